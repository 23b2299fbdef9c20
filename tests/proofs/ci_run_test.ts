import { assertEquals } from "@std/assert";
import { join } from "@std/path";
import { needing } from "../support/capability.ts";
import { ROOT, temporaryFolder } from "../support/cli.ts";

/** What a task of `.ci/run` says, and how it ends. */
interface Said {
  readonly text: string;
  readonly code: number;
}

/** Runs `.ci/run` with a program in the place of `npx` that says what the two tasks are to say. */
function ciRun(ok: Said, proofs: Said): { code: number; last: string | undefined } {
  using folder = temporaryFolder();
  const program = (name: string, text: string) =>
    Deno.writeTextFileSync(join(folder.path, name), `#!/bin/sh\n${text}\n`, { mode: 0o755 });
  const say = ({ text, code }: Said) => `printf '%s\\n' '${text}'; exit ${code}`;
  program("npx", `case "$*" in *" ok") ${say(ok)} ;; *" proofs:here") ${say(proofs)} ;; esac`);
  // It installs what a machine lacks; this one is left as it is.
  program("apt-get", "exit 0");
  const { PATH = "" } = Deno.env.toObject();
  const { code, stdout } = new Deno.Command("bash", {
    args: [join(ROOT, ".ci/run")],
    env: { PATH: `${folder.path}:${PATH}` },
    stdin: "null",
    stderr: "null",
  }).outputSync();
  return { code, last: new TextDecoder().decode(stdout).trimEnd().split("\n").at(-1) };
}

const GOOD: Said = { text: "ok | 1034 passed | 0 failed | 3 ignored (9m5s)", code: 0 };
const PROVED: Said = { text: "proofs | 7 passed | 0 failed | 0 skipped", code: 0 };

const CASES: readonly (readonly [what: string, ok: Said, proofs: Said, line: string])[] = [
  ["all is well", GOOD, PROVED, "1041 passed, 0 failed, 3 skipped"],
  [
    "nothing is skipped",
    { ...GOOD, text: "ok | 5 passed | 0 failed (1s)" },
    PROVED,
    "12 passed, 0 failed",
  ],
  ["there is no runtime to compile with", GOOD, {
    text: "proofs | 4 passed | 0 failed | 3 skipped",
    code: 0,
  }, "1038 passed, 0 failed, 6 skipped"],
  [
    "a test fails",
    { text: "FAILED | 1033 passed | 1 failed | 3 ignored (9m5s)", code: 1 },
    PROVED,
    "1040 passed, 1 failed, 3 skipped",
  ],
  [
    "a gate fails before the tests",
    { text: "FAILED lint (0.3 s)", code: 1 },
    PROVED,
    "7 passed, 1 failed",
  ],
  [
    "a proof does not hold",
    GOOD,
    { text: "proofs | 5 passed | 2 failed | 0 skipped", code: 1 },
    "1039 passed, 2 failed, 3 skipped",
  ],
  [
    "the proofs break off",
    GOOD,
    { text: "error: Uncaught", code: 1 },
    "1034 passed, 1 failed, 3 skipped",
  ],
  ["the proofs say nothing", GOOD, { text: "", code: 0 }, "1034 passed, 1 failed, 3 skipped"],
  [
    "there were no tests",
    { text: "ok | 0 passed | 0 failed (1s)", code: 0 },
    PROVED,
    "7 passed, 1 failed",
  ],
];

for (const [what, ok, proofs, line] of CASES) {
  const failed = !line.includes(" 0 failed");
  Deno.test({
    ...needing(`.ci/run counts truthfully where ${what}`, { bash: Deno.build.os !== "windows" }),
    fn() {
      assertEquals(ciRun(ok, proofs), { code: failed ? 1 : 0, last: line });
    },
  });
}
