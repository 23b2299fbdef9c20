import { assertEquals, assertFalse, assertStringIncludes } from "@std/assert";
import { main } from "../support/main_here.ts";
import { queuePath } from "../../src/engine/durable/queue_path.ts";
import { REASONS } from "../../src/reason/mod.ts";
import { exists } from "../support/swarm.ts";
import { temporaryFolder } from "../support/cli.ts";
import { captured } from "../support/streams.ts";

/** Runs a command line in this process on a state directory of its own. */
async function said(stateDir: string, ...args: string[]): Promise<[number, string, string]> {
  let code = -1;
  let stdout = "";
  const stderr = await captured("stderr", async () => {
    stdout = await captured("stdout", async () => {
      code = await main([...args, "--state", stateDir]);
    });
  });
  return [code, stdout, stderr];
}

/** Command lines that are refused with code 2, and a part of what is said. */
const REFUSED: readonly (readonly [string[], string])[] = [
  [["submit"], "needs <manifest>"],
  [["submit", "a", "b"], "one too many"],
  [["submit", "a", "--priority", "high"], "must be a whole number"],
  [["submit", "a", "--priority=-100001"], "from -100000 to 100000"],
  [["submit", "a", "--key", ""], "needs a value"],
  [["work", "--once", "--until-idle"], "exclude each other"],
  [["work", "some-run"], "only with --once"],
  [["work", "--concurrency", "0"], "from 1 to 4096"],
  [["work", "--lease-ttl", "1s"], "must be a whole number"],
  [["work", "--grace=-1"], "from 0 to 86400000"],
  [["cancel"], "needs <run>"],
  [["retry"], "needs <run>"],
  [["retry", "x", "--failed-onyl"], 'did you mean "--failed-only"?'],
  [["recover"], "needs <run>"],
  [["drain"], "an executor, or --all"],
  [["drain", "x", "--all"], "not both"],
  [["fsck", "x"], "one too many"],
  [["explain", "NOPE"], "List the codes with `skein explain`"],
  [["explain", "RUN_FAILED_TASK"], 'did you mean "RUN_FAILED_TASKS"?'],
  [["prune"], "needs --keep or --older-than"],
  [["prune", "--older-than", "month"], "must be a number with"],
  [["prune", "--older-than", "30"], "skein help prune"],
  [["runs", "--limit", "-1"], "from 1 to 1000000"],
  [["submit", "a", "--priority", "-100001"], "from -100000 to 100000"],
  [["status", "--text"], "always answers in JSON"],
  [["runs", "--json", "--text"], "exclude each other"],
  [["graph", "a", "--format", "dto"], 'mermaid, dot, json, not "dto", did you mean "dot"?'],
  [["graph", "a", "--format", "dot", "--json"], "exclude each other"],
  [["prove", "--after", "5"], 'needs "--manifest"'],
  [["prove", "--manifest", "a", "--trees", "5"], "exclude each other"],
];

for (const [args, part] of REFUSED) {
  Deno.test(`skein ${args.join(" ")} is refused with code 2, and makes nothing`, async () => {
    using folder = temporaryFolder();
    const state = `${folder.path}/state`;
    const [code, stdout, stderr] = await said(state, ...args);
    assertEquals([code, stdout], [2, ""], stderr);
    assertStringIncludes(stderr, part);
    assertFalse(exists(state));
  });
}

/** Command lines that only look, and what they answer where there is no queue. */
const LOOKS: readonly (readonly [string[], number, unknown])[] = [
  [["runs"], 0, []],
  [["fsck"], 0, { healthy: true, violations: [] }],
  [["drain", "--all"], 0, { requested: 0, executors: [], dead: [] }],
  [["prune", "--keep", "3"], 0, { removed: 0, queued: [], local: [] }],
  [["status"], 0, { stopped: false, epoch: 1 }],
  [["explain"], 0, Object.entries(REASONS).map(([code, reason]) => ({ code, ...reason }))],
  [["reset"], 0, { reset: false, stopped: false, epoch: 1 }],
  [["cancel", "latest"], 1, null],
  [["retry", "latest"], 1, null],
  [["recover", "latest"], 1, null],
  [["explain", "latest"], 1, null],
  [["drain", "executor-1"], 1, null],
];

for (const [args, expected, value] of LOOKS) {
  Deno.test(`skein ${args.join(" ")} answers without a state directory, and makes none`, async () => {
    using folder = temporaryFolder();
    const state = `${folder.path}/state`;
    const [code, stdout, stderr] = await said(state, ...args);
    assertEquals(code, expected, stderr);
    assertEquals(stdout === "" ? null : JSON.parse(stdout), value);
    assertEquals([exists(state), exists(queuePath(state))], [false, false]);
  });
}
