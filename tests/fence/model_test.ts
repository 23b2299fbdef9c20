import { assert, assertEquals } from "@std/assert";
import { LONG } from "../support/cli.ts";
import type { Role } from "./model/actors.ts";
import { explore, type Explored } from "./model/explore.ts";
import type { Rules } from "./model/perform.ts";
import { EPOCH_WHILE_STOPPED, LOOK_BEFORE_LOCK, NO_SECOND_LOOK, REAL } from "./model/variants.ts";

const HARSH: Rules = {
  timeouts: true,
  fullDisk: true,
  deafHolders: false,
  asideCounts: true,
  count: false,
};
const DEAF: Rules = { ...HARSH, deafHolders: true };
const PATIENT: Rules = { ...DEAF, timeouts: false, fullDisk: false, count: true };
const ALL: Role[] = ["stop", "stop", "reset", "reset", "run", "run"];
const FEW: Role[] = ["stop", "reset", "run", "run"];

function report(name: string, { states }: Explored): void {
  Deno.stderr.writeSync(new TextEncoder().encode(`model: ${name}: ${states} states\n`));
}

function assertKept({ violations }: Explored): void {
  const broken = Array.from(violations, ([promise, trace]) => `${promise}:\n${trace}`);
  assert(violations.size === 0, `The protocols break a promise\n${broken.join("\n")}`);
}

Deno.test("stop(), reset(), enter(), check() and publish() keep G1 to G4 in every interleaving of two stops, two resets and two runs", () => {
  // A disk that may also refuse every write makes 3 million states 4; smaller casts meet it below.
  const explored = explore([ALL], REAL, { ...HARSH, fullDisk: LONG });
  report("two stops, two resets, two runs", explored);
  assertKept(explored);
  for (const event of ["entered", "admitted", "published", "accepted"]) {
    for (const epoch of [1, 2, 3]) {
      const moment = `${event} at epoch ${epoch}`;
      assert(explored.moments.has(moment), `The exploration never got to: ${moment}`);
    }
  }
  assert(explored.moments.has("proven"));
});

Deno.test("stop() proves nothing while somebody survives the kill with LOCK in hand (G4)", () => {
  // The whole cast has 12 million states then: it is left to the long form of the tests.
  const casts: Role[][] = LONG ? [ALL] : [["stop", "stop", "reset", "run"], FEW];
  const explored = explore(casts, REAL, DEAF);
  report("with holders that survive the kill", explored);
  assertKept(explored);
});

Deno.test("stop() and reset() together raise the epoch by exactly one, whatever crashes, where no mutex timed out (G2)", () => {
  const explored = explore([ALL], REAL, PATIENT);
  report("the same, counting", explored);
  assertKept(explored);
});

Deno.test("explore() catches publication without the second look", () => {
  const { violations } = explore([FEW], NO_SECOND_LOOK, HARSH);
  assertEquals([...violations.keys()], ["published late"]);
});

Deno.test("explore() catches a start that looks at STOP only before it takes LOCK", () => {
  const { violations } = explore([FEW], LOOK_BEFORE_LOCK, HARSH);
  const wanted = [
    "entered after a proof",
    "entered while latched",
    "epoch read while stopped",
    "epoch reused",
  ];
  assertEquals([...violations.keys()].sort(), wanted);
});

Deno.test("explore() catches an epoch that is read while stopped", () => {
  const { violations } = explore([FEW], EPOCH_WHILE_STOPPED, HARSH);
  assertEquals([...violations.keys()], ["epoch read while stopped"]);
});

Deno.test("explore() catches a latch that is lost with the reset that had set it aside", () => {
  const cast: Role[] = ["stop", "stop", "reset", "run"];
  const { violations } = explore([cast], REAL, { ...HARSH, asideCounts: false });
  const wanted = ["entered while latched", "epoch reused", "accepted after a proof"];
  assertEquals(wanted.filter((promise) => !violations.has(promise)), []);
});

Deno.test("explore() gives the shortest way to a broken promise", () => {
  const { violations } = explore([["stop", "run"]], EPOCH_WHILE_STOPPED, PATIENT);
  const lines = violations.get("epoch read while stopped")?.split("\n") ?? [];
  assertEquals(lines.map((line) => line.trim().split(" ").slice(1, 3).join(" ")), [
    "lock-stop: true;",
    "lock-shared: true",
    "look: nothing",
    "create-stop: epoch",
    'read-epoch: {"ok":true,"epoch":1}',
  ]);
});
