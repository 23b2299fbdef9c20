import { assert, assertEquals } from "@std/assert";
import { type Contender, interleave, type Sample } from "../../bench/peers/samples.ts";
import { Witnessed } from "../../bench/peers/witness.ts";

const ROUNDS = 4;

/** Gives one sample after another; the time of each is its number, from 0 for the one that warms up. */
function contender(name: string, isShared: (at: number) => boolean | undefined): Contender {
  let taken = 0;
  return {
    name,
    sample(): Promise<Sample> {
      const at = taken++;
      const shared = isShared(at);
      return Promise.resolve({ ms: at, ...(shared === undefined ? {} : { isShared: shared }) });
    },
  };
}

async function timesOf(isShared: (at: number) => boolean | undefined) {
  const { series } = await interleave("g", "a", [contender("a", isShared)], ROUNDS);
  const [only] = series;
  assert(only !== undefined);
  return { times: only.samples.map(({ ms }) => ms), leftOut: only.leftOut };
}

Deno.test("interleave() does not count the sample that warms up", async () => {
  assertEquals(await timesOf(() => undefined), { times: [1, 2, 3, 4], leftOut: 0 });
});

Deno.test("interleave() takes a sample again whose core was shared", async () => {
  const shared = (at: number) => at === 2 || at === 3;
  assertEquals(await timesOf(shared), { times: [1, 4, 5, 6], leftOut: 2 });
});

Deno.test("interleave() counts samples of a shared core where twice as many rounds gave no others", async () => {
  assertEquals(await timesOf(() => true), { times: [1, 2, 3, 4], leftOut: 4 });
  assertEquals(await timesOf((at) => at !== 7), { times: [7, 1, 2, 3], leftOut: 4 });
});

Deno.test("interleave() asks only who lacks samples in a further round, and one that failed no more", async () => {
  const asked: string[] = [];
  const noting = (each: Contender): Contender => ({
    name: each.name,
    sample() {
      asked.push(each.name);
      return each.sample();
    },
  });
  const failing: Contender = {
    name: "failing",
    sample: () => Promise.reject(new Error("It is broken")),
  };
  const { series } = await interleave("g", "a", [
    noting(contender("alone", () => false)),
    noting(contender("shared", (at) => at === 1)),
    noting(failing),
  ], ROUNDS);
  const count = (name: string) => asked.filter((each) => each === name).length;
  assertEquals([count("alone"), count("shared"), count("failing")], [5, 6, 1]);
  assertEquals(series.map(({ failure }) => failure), [null, null, "It is broken"]);
});

Deno.test("Witnessed calls a core shared where its witness is far slower than it ever was", () => {
  const witnessed = new Witnessed();
  const said = [0.5, 0.62, 0.63, undefined, 0.4, 0.51, 0.49].map((ms) => witnessed.isShared(ms));
  assertEquals(said, [false, false, true, false, false, true, false]);
});
