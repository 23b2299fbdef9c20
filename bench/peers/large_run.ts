/**
 * A large run of a function behind the fence: says when it has begun, and at its end how many tasks were admitted and
 * when the last one was.
 *
 * @module
 */
import { functionExecutor, run } from "../../main.ts";
import { manifestOf } from "../graphs.ts";

const [stateDir = "", tasks = ""] = Deno.args;
let admitted = 0;
let lastMs = 0;

const executor = functionExecutor(() => {
  lastMs = Date.now();
  if (++admitted === 1) print("started");
});
const { status } = await run(manifestOf("independent", Number(tasks)), { stateDir, executor });
print(JSON.stringify({ admitted, lastMs, status }));

function print(line: string): void {
  Deno.stdout.writeSync(new TextEncoder().encode(`${line}\n`));
}
