import { assert, assertEquals, assertFalse } from "@std/assert";
import type { Invocation } from "../../src/cli/command.ts";
import { EXIT, outranksOutput } from "../../src/cli/exit.ts";
import { main } from "../support/main_here.ts";
import {
  answer,
  print,
  printBytes,
  printJson,
  say,
  sayPassing,
  sayRaw,
  takeOutputFailure,
  wantsJson,
} from "../../src/cli/output.ts";
import { captured } from "../support/streams.ts";

function asked(...flags: string[]): Invocation {
  return {
    words: [],
    has: (flag) => flags.includes(flag),
    text: () => undefined,
    integer: () => undefined,
    stateDir: ".skein",
  };
}

Deno.test("print() ends a text with one newline, and writes nothing for an empty one", async () => {
  const text = await captured("stdout", () => {
    print("a");
    print("b\n");
    print("");
    printJson({ c: [1] });
  });
  assertEquals(text, 'a\nb\n{"c":[1]}\n');
  assertEquals(await captured("stderr", () => say("talk")), "talk\n");
});

Deno.test("print() goes on after a partial write, and after one that would have blocked", async () => {
  let calls = 0;
  const text = await captured("stdout", () => print("0123456789"), (bytes) => {
    if (++calls % 2 === 0) throw new Deno.errors.WouldBlock();
    return Math.min(3, bytes.length);
  });
  assertEquals(text, "0123456789\n");
});

/** A stream that takes nothing. */
function failing(error: Error): () => never {
  return () => {
    throw error;
  };
}

Deno.test("print() takes a reader that has gone away for no error, and keeps any other failure", async () => {
  const lose = () => {
    print("lost");
    assertFalse(printBytes(new Uint8Array(3)));
  };
  await captured("stdout", lose, failing(new Deno.errors.BrokenPipe()));
  assertEquals(takeOutputFailure(), null);
  await captured("stdout", lose, failing(new Error("disk")));
  assertEquals([takeOutputFailure(), takeOutputFailure()], ["disk", null]);
});

Deno.test("say() ignores every error of standard error", async () => {
  for (
    const error of [
      new Deno.errors.BrokenPipe(),
      new Deno.errors.WouldBlock(),
      new Error("Input/output error (os error 5)"),
    ]
  ) {
    await captured("stderr", () => {
      say("lost");
      sayRaw("lost");
      sayPassing("lost");
    }, failing(error));
  }
});

Deno.test("main() exits with 1 where the answer could not be written, and says why", async () => {
  let code = -1;
  const talk = await captured("stderr", async () => {
    await captured("stdout", async () => {
      code = await main(["version", "--json"]);
    }, failing(new Error("disk")));
  });
  assertEquals([code, talk], [1, "skein: Cannot write to standard output: disk\n"]);
});

Deno.test("outranksOutput() is true of a stop and of a signal alone", () => {
  assertEquals(Object.values(EXIT).filter(outranksOutput), [4, 129, 130, 143]);
});

Deno.test("wantsJson() follows the flags, and else whether somebody reads on a terminal", () => {
  assert(wantsJson(asked("json")));
  assert(wantsJson(asked("json", "text")));
  assertFalse(wantsJson(asked("text")));
  assertEquals(wantsJson(asked()), !Deno.stdout.isTerminal());
});

Deno.test("answer() makes the text only where it is wanted", async () => {
  const never = () => {
    throw new Error("It must not be asked for");
  };
  assertEquals(await captured("stdout", () => answer(asked("json"), { a: 1 }, never)), '{"a":1}\n');
  assertEquals(
    await captured("stdout", () => answer(asked("text"), { a: 1 }, () => "one")),
    "one\n",
  );
});
