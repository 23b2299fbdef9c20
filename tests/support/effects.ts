/**
 * The command line of this checkout, which tells at its end what its process still may do. Each kind of permission is
 * tried out, and not asked for. As soon as the file that `PROBE_FILE` names is there, the same is tried out during the
 * command, and the file taken away; `PROBE_ADDRESS` is an address that modules may be imported from.
 *
 * @module
 */
import { main } from "../../src/cli/main.ts";
import { KINDS, type PermissionKind } from "../../src/cli/permissions.ts";

/** Whether each kind is permitted. */
export type Effects = Readonly<Record<PermissionKind, boolean>>;

/** What a process tells of itself, as JSON on the last line of its standard error. */
export interface Told {
  /** The exit code of the command. */
  readonly code: number;
  /** What the process may do after the command. */
  readonly after: Effects;
  /** What it could do while the command went on, `null` where the file was not there. */
  readonly during: Effects | null;
}

type Trials = Readonly<Record<PermissionKind, () => unknown>>;

const POLL_MS = 2;
let imports = 0;

function trialsWith(address: string): Trials {
  return {
    read: () => Deno.statSync("."),
    write: () => Deno.removeSync("/nothing/there"),
    env: () => Deno.env.get("HOME"),
    sys: () => Deno.hostname(),
    run: () => new Deno.Command("true").outputSync(),
    net: () => Deno.listen({ hostname: "127.0.0.1", port: 0 }).close(),
    ffi: () => Deno.dlopen("/nothing/there.so", {}),
    import: () => import(`${address}/${++imports}.ts`),
  };
}

async function tryOut(trials: Trials): Promise<Effects> {
  const effects: Partial<Record<PermissionKind, boolean>> = {};
  for (const kind of KINDS) effects[kind] = await isPermitted(trials[kind]);
  return effects as Effects;
}

/** What fails for another reason, such as that a file is not there, is permitted. */
async function isPermitted(trial: () => unknown): Promise<boolean> {
  try {
    await trial();
    return true;
  } catch (error) {
    return !(error instanceof Deno.errors.NotCapable) &&
      !/^Requires \w+ access/.test((error as Error).message);
  }
}

function isThere(path: string): boolean {
  try {
    return Deno.statSync(path).isFile;
  } catch {
    return false;
  }
}

if (import.meta.main) {
  const file = Deno.env.get("PROBE_FILE");
  const trials = trialsWith(Deno.env.get("PROBE_ADDRESS") ?? "");
  // A child that the run has not started would be ended as what a pass has left.
  const beside = {
    ...trials,
    run: () => {
      if (Deno.permissions.querySync({ name: "run" }).state !== "granted") {
        throw new Deno.errors.NotCapable();
      }
    },
  };
  let during: Promise<Effects> | null = null;
  const look = async (path: string) => {
    const effects = await tryOut(beside);
    Deno.removeSync(path);
    return effects;
  };
  const timer = file === undefined ? undefined : setInterval(() => {
    if (during === null && isThere(file)) during = look(file);
  }, POLL_MS);
  // Without a word nothing is run, and nothing is given up.
  const code = Deno.args.length === 0 ? 0 : await main(Deno.args);
  clearInterval(timer);
  const told: Told = { code, after: await tryOut(trials), during: await during };
  Deno.stderr.writeSync(new TextEncoder().encode(`\n${JSON.stringify(told)}\n`));
}
