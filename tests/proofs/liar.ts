/**
 * Starts Skein and lies about one thing: `deno run liar.ts LIE COMMAND…`. The proofs must find each lie.
 *
 * @module
 */
import { join } from "@std/path";
import { CONFIG, type Result, ROOT, skein } from "../support/cli.ts";

/** A lie: what a command answers in the place of the truth; `null` leaves the command alone. */
type Lie = (args: readonly string[]) => Promise<Result> | null;

/** Answers what a command did not say, and does not run it. */
function invented(code: number, answer: unknown): Promise<Result> {
  return Promise.resolve({ code, stdout: `${JSON.stringify(answer)}\n`, stderr: "" });
}

/** Runs a command on another state directory, where nothing is stopped. */
function elsewhere(args: readonly string[]): string[] {
  return args.map((word, index) => args[index - 1] === "--state" ? `${word}-other` : word);
}

/** Runs the command and changes what it answered. */
async function changed(
  args: readonly string[],
  change: (result: Result) => Partial<Result>,
): Promise<Result> {
  const result = await skein(args);
  return { ...result, ...change(result) };
}

/** The answer of a command with some of its JSON changed. */
function withJson(
  args: readonly string[],
  // deno-lint-ignore no-explicit-any
  change: (answer: any) => void,
): Promise<Result> {
  return changed(args, ({ stdout }) => {
    const answer = JSON.parse(stdout);
    change(answer);
    return { stdout: JSON.stringify(answer) };
  });
}

const is = (name: string, then: Lie): Lie => (args) => args[0] === name ? then(args) : null;
const isManifest = (args: readonly string[], name: string) =>
  args.some((word) => word.endsWith(`/${name}.json`));

/** The lies by their names. */
export const LIES: Readonly<Record<string, Lie>> = {
  "a schema of something else": is("schema", () => invented(0, { properties: {} })),
  "a worker that does nothing": is("work", () => invented(0, {})),
  "a run under an older epoch": is(
    "run",
    (args) => isManifest(args, "fan-out") ? withJson(args, (report) => report.epoch = 1) : null,
  ),
  "an output that is not what the task wrote": is(
    "run",
    (args) =>
      withJson(
        args,
        ({ folder, tasks }) =>
          Deno.writeTextFileSync(`${folder}/${tasks.at(-1).output}`, "something else"),
      ),
  ),
  "a stop that stops nothing": is(
    "stop",
    () => invented(0, { stopped: true, proven: true, survivors: 0, epoch: 2, killed: 4 }),
  ),
  "a stop that only latches": is(
    "stop",
    (args) => withJson([...args, "--no-wait"], (answer) => answer.proven = true),
  ),
  "a stopped run that says it succeeded": is(
    "run",
    (args) => isManifest(args, "trees") ? changed(args, () => ({ code: 0 })) : null,
  ),
  "a run while the swarm is stopped": is("run", (args) =>
    isManifest(args, "trees") ? null : skein(
      JSON.parse(Deno.readTextFileSync(stateOf(args, "EPOCH.high"))) > 1 ? elsewhere(args) : args,
    )),
  "a reset that resets nothing": is("reset", () => invented(0, { reset: true, epoch: 2 })),
  "a reset that forgets the epoch": is("reset", (args) =>
    changed(args, () => {
      Deno.removeSync(stateOf(args, "."), { recursive: true });
      return {};
    })),
  "a bad manifest that is taken": is(
    "run",
    (args) => isManifest(args, "bad") ? invented(0, { status: "succeeded" }) : null,
  ),
  "figures that nobody has seen": is("prove", (args) => {
    const number = (flag: string) => Number(args[args.indexOf(flag) + 1]);
    return invented(0, perfectProof(number("--rounds"), number("--trees")));
  }),
  "a heart that still beats": is(
    "prove",
    (args) => withJson(args, ({ rounds }) => rounds[0].frozen--),
  ),
  "a survivor that is hushed up": is(
    "prove",
    (args) =>
      withJson(args, (proof) => Object.assign(proof, { survivors: 0, ok: true }))
        .then((result) => ({ ...result, code: 0 })),
  ),
};

/** A proof of which every figure is as it should be. */
export function perfectProof(rounds: number, trees: number): Record<string, unknown> {
  const all = trees * rounds;
  const each = { trees, terminated: trees, frozen: trees, goneMs: 20, proven: true, survivors: [] };
  return {
    ok: true,
    rounds: Array.from({ length: rounds }, (_, index) => ({ round: index + 1, ...each })),
    ...{ trees: all, terminated: all, frozen: all, survivors: 0 },
    ...{ medianMs: 20, worstMs: 20, floorMs: 10 },
  };
}

/** The words that start Skein with a lie. */
export function liarWords(lie: string): string[] {
  const flags = ["-A", "-q", "--no-prompt", "--config", CONFIG];
  return [Deno.execPath(), "run", ...flags, join(ROOT, "tests/proofs/liar.ts"), lie];
}

function stateOf(args: readonly string[], name: string): string {
  return join(args[args.indexOf("--state") + 1] ?? "", name);
}

if (import.meta.main) {
  const [name = "", ...args] = Deno.args;
  const { code, stdout, stderr } = await (LIES[name]?.(args) ?? skein(args));
  await Deno.stdout.write(new TextEncoder().encode(stdout));
  await Deno.stderr.write(new TextEncoder().encode(stderr));
  Deno.exit(code);
}
