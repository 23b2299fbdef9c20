import { assert, assertEquals } from "@std/assert";
import type { Clock } from "../../src/clock/mod.ts";
import { findAny, killUntilGone, platform as real } from "../../src/proc/mod.ts";
import type { Finder, Platform, Sweep, TrackedProcess } from "../../src/proc/mod.ts";

/** Goes on by ten milliseconds with every rest. */
class SteppingClock implements Clock {
  #now = 0;
  wall = () => this.#now;
  mono = () => this.#now;
  sleep = () => {
    this.#now += 10;
    return Promise.resolve();
  };
}

/** A machine in which processes do what a test says. */
class Machine implements Finder {
  readonly living = new Map<number, string>();
  readonly signals: string[] = [];
  readonly frozen = new Set<number>();
  /** Called with every signal. */
  onSignal: (pid: number, signal: Deno.Signal) => void = () => {};
  /** What a look cannot read. */
  problems: string[] = [];
  looks = 0;
  /** Called before every look. */
  onLook: () => void = () => {};
  /** Whom it was told of. */
  named = 0;
  /** Whether a look looks at everything. */
  complete: () => boolean = () => true;

  include(): void {}

  sweep(): Promise<Sweep> {
    this.looks++;
    this.onLook();
    const found = Array.from(this.living, ([pid, startTime]) => ({
      ...tracked(pid, startTime),
      named: pid === this.named,
    }));
    const conclusive = found.length === 0 && this.problems.length === 0;
    return Promise.resolve({
      found,
      complete: this.complete(),
      conclusive,
      problems: this.problems,
    });
  }

  get platform(): Platform {
    return {
      ...real,
      signal: ({ pid, startTime }, signal) => {
        assertEquals(this.living.get(pid), startTime, "only the very process is signalled");
        this.signals.push(`${signal} ${pid}`);
        this.onSignal(pid, signal);
        if (signal === "SIGSTOP") this.frozen.add(pid);
        if (signal === "SIGKILL") this.living.delete(pid);
        return true;
      },
    };
  }
}

function tracked(pid: number, startTime: string): TrackedProcess {
  return { bootId: "", pidNamespace: "", pid, startTime, command: `c${pid}`, segment: null };
}

function killAll(machine: Machine, patienceMs = 1000) {
  return killUntilGone(machine.platform, machine, patienceMs, new SteppingClock());
}

Deno.test("killUntilGone() freezes everything before it kills anything (G4)", async () => {
  const machine = new Machine();
  for (const pid of [1, 2, 3]) machine.living.set(pid, "t");
  assertEquals(await killAll(machine), { killed: 3, survivors: [], failed: [] });
  const stops = [1, 2, 3].map((pid) => `SIGSTOP ${pid}`);
  const kills = [1, 2, 3].map((pid) => `SIGKILL ${pid}`);
  assertEquals(machine.signals, [...stops, ...kills]);
});

Deno.test("killUntilGone() kills nothing while new processes are still found (G4)", async () => {
  const machine = new Machine();
  machine.living.set(1, "t");
  machine.onLook = () => {
    // Each look finds a child that was started before its parent was frozen.
    if (machine.looks <= 5) machine.living.set(machine.looks, "t");
  };
  const { killed } = await killAll(machine);
  assertEquals(killed, 5);
  const first = machine.signals.findIndex((line) => line.startsWith("SIGKILL"));
  assertEquals(first, 5);
});

Deno.test("killUntilGone() kills whom it was told of last: what the others leave is handed to it (G4)", async () => {
  const machine = new Machine();
  machine.named = 1;
  for (const pid of [1, 2]) machine.living.set(pid, "t");
  machine.onSignal = (pid, signal) => {
    if (pid === 2 && signal === "SIGKILL") machine.living.set(3, "t");
  };
  assertEquals((await killAll(machine)).killed, 3);
  const kills = machine.signals.filter((line) => line.startsWith("SIGKILL"));
  assertEquals(kills, ["SIGKILL 2", "SIGKILL 3", "SIGKILL 1"]);
});

Deno.test("killUntilGone() spares whom orphans are handed to until a look was complete, but not for ever (G4)", async () => {
  const machine = new Machine();
  machine.named = 1;
  machine.living.set(1, "t");
  machine.complete = () => machine.looks > 5;
  assertEquals((await killAll(machine)).killed, 1);
  assertEquals(machine.looks, 7);
  machine.living.set(1, "t");
  machine.complete = () => false;
  const { killed, failed } = await killAll(machine, 2000);
  // Whoever it would have been handed may be missed: that is no proof.
  assertEquals([killed, failed.length], [1, 1]);
});

Deno.test("killUntilGone() looks again after the last kill, and goes on if something came (G4)", async () => {
  const machine = new Machine();
  machine.living.set(1, "t");
  machine.onSignal = (pid, signal) => {
    if (pid === 1 && signal === "SIGKILL") machine.living.set(2, "t");
  };
  assertEquals(await killAll(machine), { killed: 2, survivors: [], failed: [] });
});

Deno.test("killUntilGone() tells a process from one that has its pid later (G4)", async () => {
  const machine = new Machine();
  machine.living.set(1, "t");
  machine.onSignal = (pid, signal) => {
    if (signal === "SIGKILL" && machine.living.get(pid) === "t") {
      queueMicrotask(() => machine.living.set(1, "later"));
    }
  };
  const { killed } = await killAll(machine);
  assertEquals(killed, 2);
  assertEquals(machine.signals, ["SIGSTOP 1", "SIGKILL 1", "SIGSTOP 1", "SIGKILL 1"]);
});

Deno.test("killUntilGone() names survivors, and does not count them as killed (G4)", async () => {
  const machine = new Machine();
  machine.living.set(1, "t");
  machine.living.set(2, "t");
  machine.onSignal = (pid, signal) => {
    if (pid === 2 && signal === "SIGKILL") queueMicrotask(() => machine.living.set(2, "t"));
  };
  const { killed, survivors } = await killAll(machine);
  assertEquals([killed, survivors.map(({ pid }) => pid)], [1, [2]]);
});

Deno.test("killUntilGone() reports what it may not signal, and gives up in time (G4)", async () => {
  const machine = new Machine();
  machine.living.set(1, "t");
  machine.onSignal = () => {
    throw new Deno.errors.PermissionDenied("Not yours");
  };
  const { killed, survivors, failed } = await killAll(machine, 100);
  assertEquals([killed, survivors.length], [0, 1]);
  assert(failed.some((line) => line.includes("process 1 (c1)") && line.includes("Not yours")));
});

Deno.test("killUntilGone() is not satisfied by a look that could not read everything (G4)", async () => {
  const machine = new Machine();
  machine.problems = ["process 9: environment not readable"];
  const { killed, survivors, failed } = await killAll(machine, 100);
  assertEquals([killed, survivors, failed], [0, [], ["process 9: environment not readable"]]);
  assert(machine.looks > 5, "it looked again and again");
});

Deno.test("killUntilGone() takes one conclusive look for an answer", async () => {
  const machine = new Machine();
  assertEquals(await killAll(machine), { killed: 0, survivors: [], failed: [] });
  assertEquals(machine.looks, 1);
});

Deno.test("findAny() kills nothing, and names what it found or could not read (G4)", async () => {
  const machine = new Machine();
  const clock = new SteppingClock();
  assertEquals(await findAny(machine, 100, clock), { killed: 0, survivors: [], failed: [] });
  machine.problems = ["unclear"];
  assertEquals(await findAny(machine, 100, clock), {
    killed: 0,
    survivors: [],
    failed: ["unclear"],
  });
  machine.living.set(1, "t");
  const { survivors } = await findAny(machine, 100, clock);
  assertEquals(survivors.map(({ pid }) => pid), [1]);
  assertEquals(machine.signals, []);
});
