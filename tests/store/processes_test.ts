import { assert, assertEquals } from "@std/assert";
import { systemClock } from "../../src/clock/mod.ts";
import { needing } from "../support/capability.ts";
import { CONFIG } from "../support/cli.ts";
import { Scene } from "../conformance/world.ts";
import { SqliteWorld } from "./sqlite_world.ts";

const CLAIMER = new URL("./claimer.ts", import.meta.url).pathname;
const LONG = Deno.env.has("SKEIN_TEST_LONG");

/** Starts processes, lets all of them begin at once, and returns what they print. */
async function together<T>(path: string, count: number, ...mode: string[]): Promise<T[]> {
  const children = Array.from({ length: count }, (_, index) =>
    new Deno.Command(Deno.execPath(), {
      args: ["run", "-A", "-q", "--config", CONFIG, CLAIMER, path, `p${index}`, ...mode],
      stdin: "piped",
      stdout: "piped",
    }).spawn());
  const outputs = children.map((child) => child.output());
  await Promise.all(children.map(async ({ stdin }) => {
    const writer = stdin.getWriter();
    await writer.write(new Uint8Array(1));
    await writer.close();
  }));
  const results = await Promise.all(outputs);
  return results.map(({ code, stdout }) => {
    assertEquals(code, 0);
    return JSON.parse(new TextDecoder().decode(stdout));
  });
}

Deno.test("processes on one database take each run once, and leave nothing wrong", async () => {
  await using world = await SqliteWorld.make();
  const scene = new Scene(world);
  const count = LONG ? 1_000 : 100;
  for (let index = 0; index < count; index++) await scene.submit(`r${10_000 + index}`);
  // The processes live by the machine's clock.
  world.advance(systemClock.wall() - world.clock.wall());
  const ids = (await together<string[]>(world.path, 2, "drain")).flat();
  assertEquals([ids.length, new Set(ids).size], [count, count]);
  assertEquals((await world.store.counts()).states.succeeded, count);
  assertEquals(await world.store.fsck(), []);
});

Deno.test({
  ...needing("processes that claim in a tight loop get their turns: no wait is long", {
    "an idle machine": (Deno.loadavg()[0] ?? 0) < 1,
  }),
  async fn() {
    await using world = await SqliteWorld.make();
    const scene = new Scene(world);
    for (let index = 0; index < 8; index++) await scene.submit(`r${index}`);
    world.advance(systemClock.wall() - world.clock.wall());
    const results = await together<{ count: number; longestMs: number }>(
      world.path,
      4,
      "loop",
      "5000",
    );
    const counts = results.map(({ count }) => count);
    const fairness = Math.min(...counts) / Math.max(...counts);
    const longestMs = Math.max(...results.map((result) => result.longestMs));
    assert(fairness >= 0.75, `The slowest got ${fairness.toFixed(2)} of the fastest`);
    assert(longestMs <= 100, `A wait took ${longestMs.toFixed(0)} ms`);
    assertEquals(await world.store.fsck(), []);
  },
});
