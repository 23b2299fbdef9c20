import { assert, assertEquals, assertMatch, assertNotEquals, assertThrows } from "@std/assert";
import fc from "fast-check";
import {
  type Clock,
  eventTurn,
  every,
  isoTime,
  mintRunId,
  mintSwarmId,
  type Rng,
  RUN_ID,
  seededRng,
  systemClock,
  systemRng,
} from "../../src/clock/mod.ts";

function clockAt(wall: number): Clock {
  return { wall: () => wall, mono: () => 0, sleep: () => Promise.resolve() };
}

function draw(rng: Rng, count: number): number[] {
  return Array.from({ length: count }, () => rng.next());
}

Deno.test("seededRng() replays: the same seed gives the same numbers, in [0, 1)", () => {
  fc.assert(
    fc.property(fc.integer(), (seed) => {
      const numbers = draw(seededRng(seed), 20);
      assertEquals(draw(seededRng(seed), 20), numbers);
      assert(numbers.every((number) => number >= 0 && number < 1));
      assertEquals(new Set(numbers).size, 20);
    }),
  );
  assertNotEquals(draw(seededRng(1), 3), draw(seededRng(2), 3));
});

Deno.test("systemRng draws in [0, 1), over all of it", () => {
  const numbers = draw(systemRng, 2000);
  assert(numbers.every((number) => number >= 0 && number < 1));
  assert(Math.min(...numbers) < 0.1 && Math.max(...numbers) > 0.9);
});

Deno.test("mintRunId() sorts by time and looks like RUN_ID", () => {
  const time = () => fc.integer({ min: 0, max: Date.UTC(9999, 11, 31) });
  fc.assert(
    fc.property(time(), time(), fc.integer(), (one, other, seed) => {
      const rng = seededRng(seed);
      const [first, second] = [mintRunId(clockAt(one), rng), mintRunId(clockAt(other), rng)];
      assertMatch(first, RUN_ID);
      assertNotEquals(first, second);
      if (one !== other) assertEquals(first < second, one < other);
    }),
  );
});

Deno.test("mintRunId() and mintSwarmId() mint the same for the same time and chance", () => {
  assertMatch(
    mintRunId(clockAt(Date.UTC(2026, 10, 29, 17, 45, 25, 123)), seededRng(1)),
    /^20261129t174525123z-/,
  );
  assertEquals(mintSwarmId(seededRng(5)), mintSwarmId(seededRng(5)));
  assertMatch(mintSwarmId(systemRng), /^[0-9a-z]{26}$/);
});

Deno.test("systemClock.sleep() ends at once when its signal has aborted or aborts", async () => {
  const hour = 3_600_000;
  const before = systemClock.mono();
  await systemClock.sleep(hour, AbortSignal.abort());
  const controller = new AbortController();
  const sleeping = systemClock.sleep(hour, controller.signal);
  controller.abort();
  await sleeping;
  assert(systemClock.mono() - before < hour);
});

Deno.test("systemClock.sleep() wakes in time and never early, also after several legs", async () => {
  for (const ms of [0, 0.4, 30, 1100]) {
    const before = systemClock.mono();
    await systemClock.sleep(ms);
    const slept = systemClock.mono() - before;
    assert(slept >= ms, `${slept} of ${ms} ms`);
    assert(slept < ms + 1000, `${slept} of ${ms} ms`);
  }
});

Deno.test("systemClock.sleep() keeps its process alive until it ends, and not after it was given up", async () => {
  const clock = new URL("../../src/clock/mod.ts", import.meta.url).href;
  const script = `
    const { systemClock } = await import("${clock}");
    const given = new AbortController();
    void systemClock.sleep(3_600_000, given.signal);
    given.abort();
    await systemClock.sleep(1100);
    console.log("woke");
  `;
  const { code, stdout } = await new Deno.Command(Deno.execPath(), {
    args: ["eval", "--no-config", script],
  }).output();
  assertEquals([code, new TextDecoder().decode(stdout)], [0, "woke\n"]);
});

Deno.test("every() calls back until it is disposed of", async () => {
  let calls = 0;
  {
    using _ticks = every(1, () => calls++);
    while (calls < 5) await systemClock.sleep(1);
  }
  const last = calls;
  await systemClock.sleep(50);
  assertEquals(calls, last);
});

Deno.test("eventTurn() lets a timer that is due, a signal and a file watch have their turn", async () => {
  const folder = Deno.makeTempDirSync();
  const watcher = Deno.watchFs(folder);
  const seen = new Set<string>();
  const onSignal = () => seen.add("signal");
  const signal = Deno.build.os === "windows" ? "SIGINT" : "SIGWINCH";
  Deno.addSignalListener(signal, onSignal);
  const watching = watcher[Symbol.asyncIterator]().next().then(() => seen.add("watch"));
  const sleeping = systemClock.sleep(1).then(() => seen.add("timer"));
  try {
    if (signal === "SIGWINCH") Deno.kill(Deno.pid, signal);
    else onSignal();
    Deno.writeTextFileSync(`${folder}/file`, "");
    const deadline = systemClock.mono() + 5000;
    while (seen.size < 3 && systemClock.mono() < deadline) await eventTurn();
    assertEquals([...seen].sort(), ["signal", "timer", "watch"]);
    await Promise.all([watching, sleeping]);
  } finally {
    Deno.removeSignalListener(signal, onSignal);
    watcher.close();
    Deno.removeSync(folder, { recursive: true });
  }
});

Deno.test("systemClock.sleep() of many who have a long way: each ends when it is given up, and alone", async () => {
  const givenUp = Array.from({ length: 100 }, () => new AbortController());
  const ended = new Set<number>();
  const sleeping = givenUp.map(({ signal }, one) =>
    systemClock.sleep(3_600_000, signal).then(() => ended.add(one))
  );
  const early = systemClock.sleep(1500).then(() => ended.add(-1));
  givenUp[7]?.abort();
  await eventTurn();
  assertEquals([...ended], [7]);
  await early;
  assertEquals([...ended], [7, -1]);
  for (const one of givenUp) one.abort();
  await Promise.all(sleeping);
  assertEquals(ended.size, 101);
});

Deno.test("systemClock.sleep() of more than 31 bits does not end at once", async () => {
  const given = new AbortController();
  const ended: string[] = [];
  const sleeping = systemClock.sleep(2 ** 31 + 1000, given.signal).then(() => ended.push("long"));
  await systemClock.sleep(1200);
  assertEquals(ended, []);
  given.abort();
  await sleeping;
  assertEquals(ended, ["long"]);
});

Deno.test("isoTime() says what a date says, however often and in whatever order it is asked", () => {
  const moments = fc.array(fc.oneof(fc.integer({ min: -5, max: 5 }), fc.integer()), {
    minLength: 1,
  });
  fc.assert(fc.property(moments, (list) => {
    for (const ms of [...list, ...list]) assertEquals(isoTime(ms), new Date(ms).toISOString());
    for (const bad of [NaN, Infinity, 8.64e15 + 1]) assertThrows(() => isoTime(bad), RangeError);
    assertEquals(isoTime(list[0] ?? 0), new Date(list[0] ?? 0).toISOString());
  }));
});
