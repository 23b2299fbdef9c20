import { assert } from "@std/assert";
import { Calm } from "../../../src/engine/durable/calm.ts";

/** A tick every 10 s, of a leader whose ttl is a minute. */
function calm(): { readonly calm: Calm; at(seconds: number, jumped?: number): boolean } {
  const calm = new Calm({ waitMs: 60_000, lateMs: 10_000, jumpMs: 5_000 });
  const moment = (seconds: number, jumped: number) => {
    return { mono: seconds * 1_000, wall: (seconds + jumped) * 1_000 };
  };
  return {
    calm,
    at(seconds, jumped = 0) {
      const now = moment(seconds, jumped);
      calm.begin(now, 10_000);
      calm.end(now);
      return calm.isAt(now);
    },
  };
}

Deno.test("Calm lets a reaper reap at once, and as long as its ticks are in time", () => {
  const { at } = calm();
  assert([0, 10, 20, 31, 45].every((second) => at(second)));
});

Deno.test("Calm keeps a reaper from reaping for one ttl after a late tick", () => {
  const { at } = calm();
  assert(at(0) && !at(21));
  assert([31, 41, 51, 61, 71].every((second) => !at(second)));
  assert(at(81));
});

Deno.test("Calm keeps a reaper from reaping for one ttl after a jump of the wall clock, on or back", () => {
  for (const jump of [3_600, -3_600]) {
    const { at } = calm();
    assert(at(0) && at(10) && !at(20, jump));
    assert([30, 40, 50, 60, 70].every((second) => !at(second, jump)));
    assert(at(80, jump));
  }
});

Deno.test("Calm takes a machine that slept for one whose clocks have come apart", () => {
  const { at } = calm();
  assert(at(0) && !at(10, 600));
});
