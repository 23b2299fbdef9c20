/**
 * A second process for `skein doctor`: it is there to be found and ended, and says of a lock whether it was given it.
 * Needs nothing but the runtime, so that it starts quickly. It ends with its standard input, so that it never outlives
 * who started it.
 *
 * @module
 */
import { FileLock } from "../disk/lock.ts";

/** The hidden flag that makes Skein's own executable a witness. */
export const WITNESS_FLAG = "witness";
/** What stands for the path of a lock where there is none. */
export const NO_LOCK = "-";

/** What a witness says, a line each. */
export type Testimony = "here" | "refused" | "taken";

/** How long it waits for a lock that it was refused, in milliseconds. */
const WAIT_MS = 10_000;

/** The words that start a witness from Skein's own executable. */
export function witnessArgv(path: string): string[] {
  return Deno.build.standalone
    ? [Deno.execPath(), "doctor", `--${WITNESS_FLAG}=${path}`]
    : [Deno.execPath(), "run", "-A", "-q", "--no-config", "--no-lock", import.meta.url, path];
}

/**
 * Says that it is here. With the path of a lock it also says whether it was refused that, shared or not; if so it waits
 * for it, says when it was given it, and keeps it to its end.
 */
export async function bearWitness(path: string): Promise<number> {
  let over = false;
  const ended = endOfInput().finally(() => over = true);
  testify("here");
  if (path === NO_LOCK) {
    await ended;
    return 0;
  }
  using early = FileLock.tryAcquire(path, "exclusive") ?? FileLock.tryAcquire(path, "shared");
  if (early !== null) {
    testify("taken");
    await ended;
    return 0;
  }
  testify("refused");
  using late = await FileLock.acquire(path, "exclusive", WAIT_MS, () => over);
  if (late !== null) testify("taken");
  await ended;
  return 0;
}

function testify(what: Testimony): void {
  Deno.stdout.writeSync(new TextEncoder().encode(`${what}\n`));
}

async function endOfInput(): Promise<void> {
  for await (const _ of Deno.stdin.readable);
}

if (import.meta.main) await bearWitness(Deno.args[0] ?? NO_LOCK);
