/**
 * Both proofs on any way to start Skein: `deno task proofs -- WORDS…`. Exits with 1 where one does not hold, and says
 * what was seen.
 *
 * @module
 */
import { proveFunctions } from "./functional.ts";
import { Refutation, Start } from "./start.ts";
import { proveStop } from "./stop.ts";

const ROUNDS = 3;
const USAGE = `deno task proofs -- [--rounds N] WORDS…

  WORDS       what starts Skein, such as: deno run -A main.ts
  --rounds N  Rounds of the stop proof (${ROUNDS})`;

/** A proof by its name. */
export type Proof = readonly [
  name: string,
  prove: (start: Start, say: (what: string) => void) => Promise<void>,
];

/** The proofs; the second with so many rounds. */
export function proofsOf(rounds: number = ROUNDS): readonly Proof[] {
  return [
    ["functional proof", proveFunctions],
    ["stop proof", (start, say) => proveStop(start, { rounds }, say)],
  ];
}

/** Leads a proof and says what came of it; `false` where it does not hold. */
export async function lead([name, prove]: Proof, start: Start): Promise<boolean> {
  const began = performance.now();
  try {
    await prove(start, (what) => say(`  ok      ${what}`));
    say(`ok      ${name} (${((performance.now() - began) / 1000).toFixed(1)} s)`);
    return true;
  } catch (error) {
    // What the proof did not expect refutes it too: a program that is not there, a folder that cannot be made.
    const reason = error instanceof Refutation ? error.message : error;
    say(`FAILED  ${name}: ${reason instanceof Error ? reason.message : reason}`);
    return false;
  }
}

/** Writes a line of talk. */
export function say(text: string): void {
  Deno.stderr.writeSync(new TextEncoder().encode(`${text}\n`));
}

async function main(args: readonly string[]): Promise<number> {
  const [first, ...rest] = args;
  const given = first === "--" ? rest : [...args];
  const rounds = given[0] === "--rounds" ? Number(given.splice(0, 2)[1]) : ROUNDS;
  if (given.length === 0 || given[0] === "--help" || !Number.isInteger(rounds) || rounds < 1) {
    say(USAGE);
    return given[0] === "--help" ? 0 : 2;
  }
  const start = new Start(given, Deno.env.get("INIT_CWD") ?? Deno.cwd());
  let failed = 0;
  for (const proof of proofsOf(rounds)) if (!await lead(proof, start)) failed++;
  return failed === 0 ? 0 : 1;
}

if (import.meta.main) Deno.exitCode = await main(Deno.args);
