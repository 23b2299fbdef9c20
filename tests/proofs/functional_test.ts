import { assert, assertEquals, assertRejects } from "@std/assert";
import { type Part, PARTS, proveFunctions } from "../../tools/proofs/functional.ts";
import { Refutation, Start } from "../../tools/proofs/start.ts";
import { eventually, ROOT } from "../support/cli.ts";
import { commandOf } from "../support/namespace.ts";
import { liarWords } from "./liar.ts";

const WHOLE = "it is whole: its version, its schema";
const FAN_OUT = "a fan-out succeeds";
const STOP = "a run is stopped, and nothing of it is left";
const REFUSED = "the next run is refused with 4, and starts nothing";
const RESET = "a reset lets work start again";
const AGAIN = "the next run succeeds, at a higher epoch";
const WORK = "a worker executes a queued run";
const BAD = "a bad manifest is refused, and starts nothing";

/** What the parts after it need of the stop, without its trees. */
const LATCHED: Part = ["a stop", async (scene) => {
  await scene.start.run(scene.words("stop"));
  scene.epoch++;
}];

/** The lies, with the parts that lead to them, the last of which must find it, and how that reads. */
const FOUND: readonly (readonly [lie: string, parts: readonly Part[], message: string])[] = [
  ["a schema of something else", [part(WHOLE)], "The schema knows no tasks"],
  ["an output that is not what the task wrote", [part(FAN_OUT)], 'task "join" is "something else"'],
  ["a stopped run that says it succeeded", [part(STOP)], "exited with 0 where 4 was expected"],
  ["a run while the swarm is stopped", [LATCHED, part(REFUSED)], "exited with 0 where 4"],
  ["a reset that resets nothing", [LATCHED, part(RESET)], "The status says stopped: true"],
  ["a reset that forgets the epoch", [LATCHED, part(RESET)], "stopped: false, epoch: 1"],
  ["a run under an older epoch", [LATCHED, part(RESET), part(AGAIN)], "The run's epoch is 1"],
  ["a worker that does nothing", [part(WORK)], 'The queued run\'s status is "queued"'],
  ["a bad manifest that is taken", [part(BAD)], "exited with 0 where 1 was expected"],
];

function part(name: string): Part {
  const found = PARTS.find(([what]) => what === name);
  assert(found !== undefined, name);
  return found;
}

for (const [lie, parts, message] of FOUND) {
  Deno.test(`the functional proof finds ${lie}`, async () => {
    const held: string[] = [];
    await assertRejects(
      () => proveFunctions(new Start(liarWords(lie), ROOT), (what) => void held.push(what), parts),
      Refutation,
      message,
    );
    assertEquals(held, parts.slice(0, -1).map(([what]) => what));
  });
}

Deno.test("the functional proof has a lie for each of its parts", () => {
  const found = new Set(FOUND.map(([, parts]) => parts.at(-1)));
  assertEquals(PARTS.filter((each) => !found.has(each)), []);
});

Deno.test("the functional proof finds a stop that stops nothing, and ends what that has left", async () => {
  const start = new Start(liarWords("a stop that stops nothing"), ROOT);
  const { message } = await assertRejects(
    () => proveFunctions(start, () => {}, [part(STOP)]),
    Refutation,
    "The stop left alive",
  );
  const pids = Array.from(message.matchAll(/\d+/g), ([pid]) => Number(pid));
  assertEquals(pids.length, 4, "two trees of two were alive");
  await eventually(
    "they are gone",
    () => pids.every((pid) => !commandOf(pid).includes("tools/proofs/task.ts")),
  );
});
