import { assert, assertEquals } from "@std/assert";
import { LONG } from "./support/cli.ts";
import { NAMES } from "./support/library_uses.ts";
import { startNarrow } from "./support/narrow.ts";
import { Swarm } from "./support/swarm.ts";

/** What each use prints, and all that it needs. Processes are seen through `ffi` on Linux, else through `run`. */
const USES: Readonly<
  Record<string, { readonly prints: string; readonly needs: readonly string[] }>
> = {
  memory: { prints: "succeeded", needs: [] },
  wrong: { prints: "false", needs: [] },
  load: { prints: "1", needs: ["read"] },
  epoch: { prints: "1", needs: ["read"] },
  functions: { prints: "succeeded", needs: ["read", "write", "run"] },
  processes: { prints: "succeeded", needs: ["read", "write", "env", "run"] },
  request: { prints: "true", needs: ["write"] },
  reset: { prints: "reset", needs: ["read", "write", "env", "run"] },
};
/** Without one of its permissions a use is tried for each of them in the long form, here for the last. */
const LEFT_OUT = LONG ? Infinity : 1;

async function use(name: string, kinds: readonly string[]): Promise<string> {
  await using swarm = new Swarm();
  swarm.write(
    "swarm.jsonc",
    '{ "version": 1, /* one */ "blocks": { "b": { "argv": ["true"] } },' +
      ' "tasks": [{ "id": "a", "block": "b" }] }',
  );
  if (["epoch", "request", "reset"].includes(name)) await makeState(swarm, name === "reset");
  const flags = kinds.map((kind) => `--allow-${kind}`);
  const program = "tests/support/library_uses.ts";
  const { stdout, stderr } = await startNarrow(flags, program, [name], swarm.folder).result;
  return stdout === "" ? stderr : stdout.trim();
}

/** A state directory that has been used. */
async function makeState(swarm: Swarm, stopped: boolean): Promise<void> {
  swarm.manifest({ a: { sh: "true" } });
  await swarm.run("--quiet");
  if (stopped) assertEquals((await swarm.skein(["stop"])).code, 0);
}

Deno.test("what the library needs is tried for every use", () => {
  assertEquals(Object.keys(USES), NAMES);
});

for (const [name, { prints, needs }] of Object.entries(USES)) {
  Deno.test(`the library's use "${name}" needs ${needs.join(", ") || "no permission"}, and no more`, async () => {
    assertEquals(await use(name, needs), prints);
    for (const kind of needs.toReversed().slice(0, LEFT_OUT)) {
      const without = await use(name, needs.filter((each) => each !== kind));
      assert(without !== prints, `without ${kind} it printed ${without} too`);
    }
  });
}

Deno.test({
  name: 'the library\'s use "functions" sees processes through the C library where it may load it',
  ignore: Deno.build.os !== "linux",
  async fn() {
    assertEquals(await use("functions", ["read", "write", "ffi"]), "succeeded");
  },
});
