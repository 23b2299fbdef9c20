import { assertEquals, assertStringIncludes } from "@std/assert";
import type { Outcome } from "../../src/model/mod.ts";
import {
  type Leftovers,
  platform,
  type ProcessRequest,
  runProcess,
  type Stdin,
} from "../../src/proc/mod.ts";
import { eventually, temporaryFolder } from "../support/cli.ts";

/** The scripts are for a POSIX shell. */
const ignore = Deno.build.os === "windows";
const NEVER = new AbortController().signal;

/** Ends the group of a pass, which is all that these tests start. */
const ownGroup: Leftovers = {
  began: () => {},
  endPass({ leader }) {
    platform.signalGroup(leader, "SIGKILL");
    return Promise.resolve(0);
  },
  endRun: () => Promise.resolve([]),
};

/** A folder in which processes run. */
class Place implements Disposable {
  readonly #folder = temporaryFolder();
  readonly path = this.#folder.path;

  run(
    argv: readonly string[],
    more: Partial<ProcessRequest> = {},
    ending: AbortSignal = NEVER,
    kill: AbortSignal = NEVER,
  ): Promise<Outcome> {
    const request: ProcessRequest = {
      argv,
      cwd: this.path,
      env: { PATH: Deno.env.get("PATH") ?? "" },
      stdin: null,
      stdout: `${this.path}/out`,
      stderr: `${this.path}/err`,
      maxOutputBytes: 1_000_000,
      sequence: 1,
      mayRun: () => true,
      ...more,
    };
    return runProcess(request, platform, ownGroup, ending, kill);
  }

  sh(script: string, more: Partial<ProcessRequest> = {}, ending = NEVER, kill = NEVER) {
    return this.run(["sh", "-c", script], more, ending, kill);
  }

  read(name = "out"): string | null {
    try {
      return Deno.readTextFileSync(`${this.path}/${name}`);
    } catch (error) {
      if (error instanceof Deno.errors.NotFound) return null;
      throw error;
    }
  }

  [Symbol.dispose](): void {
    this.#folder[Symbol.dispose]();
  }
}

const OUTCOMES: readonly (readonly [string, string, Outcome])[] = [
  ["exits with 0", "exit 0", { kind: "succeeded", written: 0 }],
  ["writes and exits with 0", "echo hi", { kind: "succeeded", written: 3 }],
  ["exits with 3", "exit 3", { kind: "exited", code: 3 }],
  ["exits with 255", "exit 255", { kind: "exited", code: 255 }],
  ["is killed by somebody else", "kill -KILL $$", { kind: "signalled", signal: "SIGKILL" }],
  ["ends by TERM of its own", "kill -TERM $$", { kind: "signalled", signal: "SIGTERM" }],
];

for (const [what, script, expected] of OUTCOMES) {
  Deno.test({
    name: `runProcess() is ${expected.kind} where the process ${what}`,
    ignore,
    async fn() {
      using place = new Place();
      assertEquals(await place.sh(script), expected);
    },
  });
}

Deno.test({
  name:
    "runProcess() tells a missing program, a missing folder and a file that is no program apart",
  ignore,
  async fn() {
    using place = new Place();
    Deno.writeTextFileSync(`${place.path}/plain`, "text", { mode: 0o644 });
    const kinds = [
      await place.run(["no-such-program-anywhere"]),
      await place.run([`${place.path}/plain`]),
      await place.run(["true"], { cwd: `${place.path}/nowhere` }),
      await place.run(["true"], { cwd: `${place.path}/plain` }),
    ].map(({ kind }) => kind);
    assertEquals(kinds, [
      "program-missing",
      "program-not-executable",
      "folder-missing",
      "folder-missing",
    ]);
  },
});

Deno.test({
  name: "runProcess() keeps the two streams apart, and makes no file where nothing was written",
  ignore,
  async fn() {
    using place = new Place();
    assertEquals((await place.sh("printf out; printf err >&2")).kind, "succeeded");
    assertEquals([place.read("out"), place.read("err")], ["out", "err"]);
    using silent = new Place();
    assertEquals((await silent.sh(":")).kind, "succeeded");
    assertEquals([silent.read("out"), silent.read("err")], [null, null]);
  },
});

Deno.test({
  name:
    "runProcess() feeds nothing, bytes or a file, and does not mind a process that reads none of it",
  ignore,
  async fn() {
    const large = "x".repeat(2_000_000);
    const inputs: [Stdin, string][] = [[null, "0"], [new TextEncoder().encode("four"), "4"]];
    for (const [stdin, size] of inputs) {
      using place = new Place();
      assertEquals((await place.sh("wc -c | tr -d ' '", { stdin })).kind, "succeeded");
      assertEquals(place.read()?.trim(), size);
    }
    using place = new Place();
    const path = `${place.path}/in`;
    Deno.writeTextFileSync(path, large);
    assertEquals((await place.sh("wc -c | tr -d ' '", { stdin: { path } })).kind, "succeeded");
    assertEquals(place.read()?.trim(), `${large.length}`);
    assertEquals((await place.sh("exit 0", { stdin: { path } })).kind, "succeeded");
    assertEquals((await place.sh("exec <&-; exit 5", { stdin: { path } })).kind, "exited");
  },
});

Deno.test({
  name: "runProcess() gives the process its environment and nothing else (G6)",
  ignore,
  async fn() {
    using place = new Place();
    const env = { PATH: Deno.env.get("PATH") ?? "", ONLY: "this one" };
    assertEquals((await place.run(["env"], { env })).kind, "succeeded");
    assertEquals(
      place.read()?.trim().split("\n").sort(),
      Object.entries(env).map(([k, v]) => `${k}=${v}`).sort(),
    );
  },
});

Deno.test({
  name: "runProcess() passes every argument on as it is: no shell reads it (G6)",
  ignore,
  async fn() {
    using place = new Place();
    const words = ["a b", "", "$HOME", "*", "`id`", '"', "'", "\\", "-n", "ü\n"];
    const outcome = await place.run([
      "sh",
      "-c",
      'for w; do printf "%s|" "$w"; done',
      "sh",
      ...words,
    ]);
    assertEquals([outcome.kind, place.read()], ["succeeded", words.map((w) => `${w}|`).join("")]);
  },
});

Deno.test({
  name: "runProcess() kills a process that writes more than it may, and keeps what fits (G12)",
  ignore,
  async fn() {
    using place = new Place();
    const outcome = await place.sh("yes; sleep 300", { maxOutputBytes: 100_000 });
    assertEquals([outcome.kind, place.read()?.length], ["output-limit", 100_000]);
    using both = new Place();
    const script = "head -c 600 /dev/zero; head -c 600 /dev/zero >&2; sleep 300";
    assertEquals((await both.sh(script, { maxOutputBytes: 1000 })).kind, "output-limit");
    assertEquals((both.read("out") ?? "").length + (both.read("err") ?? "").length, 1000);
    using exact = new Place();
    const limit = { maxOutputBytes: 600 };
    assertEquals((await exact.sh("head -c 600 /dev/zero", limit)).kind, "succeeded");
  },
});

Deno.test({
  name: "runProcess() asks with TERM first, and kills when the grace is over",
  ignore,
  async fn() {
    for (const [graceMs, expected] of [[60_000, "asked"], [50, ""], [0, ""]] as const) {
      using place = new Place();
      const ending = new AbortController();
      // The one that has no time ignores TERM.
      const trap = expected === "" ? "''" : "'printf asked; exit 0'";
      const script = `trap ${trap} TERM; : > ready; while :; do sleep 0.02; done`;
      const outcome = place.sh(script, {}, ending.signal);
      await eventually("the trap is set", () => place.read("ready") !== null);
      ending.abort({ graceMs });
      assertEquals([(await outcome).kind, place.read() ?? ""], ["aborted", expected]);
    }
  },
});

Deno.test({
  name: "runProcess() ends the grace when `kill` aborts",
  ignore,
  async fn() {
    using place = new Place();
    const ending = new AbortController();
    const kill = new AbortController();
    const script = "trap '' TERM; : > ready; while :; do sleep 0.02; done";
    const outcome = place.sh(script, {}, ending.signal, kill.signal);
    await eventually("the trap is set", () => place.read("ready") !== null);
    ending.abort({ graceMs: 600_000 });
    kill.abort();
    assertEquals((await outcome).kind, "aborted");
  },
});

Deno.test({
  name: "runProcess() kills at once what may not run any more (G3)",
  ignore,
  async fn() {
    using place = new Place();
    const outcome = await place.sh("sleep 300; : > late", { mayRun: () => false });
    assertEquals([outcome.kind, place.read("late")], ["aborted", null]);
  },
});

Deno.test({
  name:
    "runProcess() does not wait for a grandchild that holds the pipe, and keeps what was written",
  ignore,
  async fn() {
    using place = new Place();
    const ending = new AbortController();
    const script = [
      "setsid sh -c 'echo $$ > pid; exec sleep 300' &",
      "printf before; while [ ! -s pid ]; do sleep 0.02; done",
    ].join("\n");
    const outcome = await place.sh(script, {}, ending.signal);
    assertEquals([outcome.kind, place.read()], ["succeeded", "before"]);
    Deno.kill(Number(place.read("pid")), "SIGKILL");
  },
});

Deno.test({
  name: "runProcess() fails with the path where an output cannot be written",
  ignore,
  async fn() {
    using place = new Place();
    const stdout = `${place.path}/nowhere/out`;
    const outcome = await place.sh("echo x; sleep 300", { stdout });
    assertEquals(outcome.kind, "failed");
    assertStringIncludes("message" in outcome ? outcome.message : "", stdout);
  },
});
