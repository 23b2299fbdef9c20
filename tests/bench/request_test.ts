import { assertEquals, assertThrows } from "@std/assert";
import { requestOf, SAMPLES } from "../../bench/peers/request.ts";

const SECTIONS = ["memory", "short"];

Deno.test("requestOf() asks for everything where nothing is said", () => {
  assertEquals(requestOf([], SECTIONS), {
    samples: SAMPLES,
    only: null,
    out: null,
    small: false,
    install: false,
    help: false,
  });
});

Deno.test("requestOf() reads every flag", () => {
  const folder = Deno.makeTempDirSync();
  try {
    const out = `${folder}/out.md`;
    const words = ["--samples", "3", "--only=short", "--out", out, "--small", "--install"];
    assertEquals(requestOf(words, SECTIONS), {
      samples: 3,
      only: "short",
      out,
      small: true,
      install: true,
      help: false,
    });
  } finally {
    Deno.removeSync(folder);
  }
});

const WRONG: readonly (readonly [words: readonly string[], said: string])[] = [
  ...["0", "abc", "1.5", "", "1e3", "99999999999999999999"].map((samples) =>
    [
      ["--samples", samples],
      `--samples is "${samples}": it must be a whole number from 1 on`,
    ] as const
  ),
  [["--samples=-1"], '--samples is "-1": it must be a whole number from 1 on'],
  [["--only", "nothing"], '--only is "nothing": it must be one of memory, short'],
  [["--only"], '--only is "": it must be one of memory, short'],
  [["--smal"], 'The flag "--smal" is unknown'],
  [["memory"], 'The word "memory" is unknown'],
  [["--", "memory"], 'The word "memory" is unknown'],
  [[""], 'The word "" is unknown'],
  [["--out", ""], "--out is empty: it must be the path of a file"],
  [["--out", "/"], '--out is "/", which is a folder: it must be a file'],
  [["--out", "/no/such/out.md"], '--out is "/no/such/out.md", but there is no folder "/no/such"'],
];

for (const [words, said] of WRONG) {
  Deno.test(`requestOf() refuses ${JSON.stringify(words)}`, () => {
    assertThrows(() => requestOf(words, SECTIONS), TypeError, said);
  });
}
