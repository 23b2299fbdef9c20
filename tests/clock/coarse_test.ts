import { assertEquals } from "@std/assert";
import { CoarseClock } from "../../src/clock/mod.ts";

Deno.test("CoarseClock reads again once the wall clock shows another millisecond, wherever that jumps", () => {
  const time = { wall: 1000, mono: 5 };
  const clock = new CoarseClock({
    wall: () => time.wall,
    mono: () => time.mono,
    sleep: () => Promise.resolve(),
  });
  const at = (wall: number, mono: number) => {
    Object.assign(time, { wall, mono });
    return clock.mono();
  };
  assertEquals([at(1000, 5), at(1000, 5.4), at(1001, 6), at(1, 7.5), at(1, 8)], [
    5,
    5,
    6,
    7.5,
    7.5,
  ]);
});
