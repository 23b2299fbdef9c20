import {
  fileNameOf,
  formatLineage,
  type Lease,
  LINEAGE_VARIABLE,
  type Outcome,
  SkeinError,
} from "../model/mod.ts";
import {
  addEntries,
  grantedEnv,
  type Leftovers,
  ownEnv,
  platform,
  runProcess,
} from "../proc/mod.ts";
import { point } from "../faults/mod.ts";
import type { Execution, RunContext } from "./executor.ts";

/** Runs one attempt of one pass as a process. */
export async function executeProcess(execution: Execution): Promise<Outcome> {
  const { output, input, block, task, run } = execution;
  if (output.path === null || output.errorPath === null) {
    throw new SkeinError("usage", "Cannot run processes in memory: they write files", {
      next: "Leave out `inMemory`, or pass another executor",
    });
  }
  const outcome = await runProcess(
    {
      argv: [...block.argv, ...task.args],
      cwd: block.cwd,
      env: environmentOf(execution),
      stdin: input.path === null ? await inlineInput(execution) : { path: input.path },
      stdout: output.path,
      stderr: output.errorPath,
      sequence: execution.lease.sequence,
      maxOutputBytes: run.manifest.limits.maxOutputBytes,
      mayRun: () => {
        point("run.spawned");
        return execution.leaseHolds();
      },
    },
    platform,
    siteOf(run).leftovers,
    execution.signal,
    execution.kill,
  );
  point("run.exited");
  return outcome;
}

/** Ends whatever the processes of a run have left behind, and returns what could not be ended. */
export function finishProcesses(run: RunContext): Promise<readonly string[]> {
  return siteOf(run).leftovers.endRun();
}

async function inlineInput({ input }: Execution): Promise<Uint8Array | null> {
  const bytes = await input.bytes();
  return bytes.length === 0 ? null : bytes;
}

/** What all processes of a run have in common. */
interface Site {
  readonly leftovers: Leftovers;
  /** Made for the first process; a run whose environment may not be read has none, and ends all the same. */
  env?: Readonly<Record<string, string>>;
}

const sites = new WeakMap<RunContext, Site>();

function siteOf(run: RunContext): Site {
  let site = sites.get(run);
  if (site === undefined) {
    const { swarm, runId, token = 0, ownsProcess } = run;
    site = { leftovers: platform.leftovers({ swarm, runId, token, adopt: ownsProcess }) };
    sites.set(run, site);
  }
  return site;
}

function commonEnv(run: RunContext): Readonly<Record<string, string>> {
  const site = siteOf(run);
  if (site.env === undefined) {
    const { inheritEnv, env } = run.manifest;
    const common = grantedEnv(ownEnv(inheritEnv), inheritEnv);
    addEntries(common, env);
    site.env = common;
  }
  return site.env;
}

/** The same for every attempt at a pass, in every round: a destination that has seen it need not do it again. */
function idempotencyKeyOf({ runId, taskId, pass }: Lease): string {
  return `${runId}.${fileNameOf(taskId)}.${pass}`;
}

function environmentOf({ lease, task, block, run }: Execution): Record<string, string> {
  const env = { ...commonEnv(run) };
  addEntries(env, block.env);
  addEntries(env, task.env);
  const { epoch, runId, sequence, token = 0 } = lease;
  env.SKEIN_RUN_ID = runId;
  env.SKEIN_TASK_ID = lease.taskId;
  env.SKEIN_PASS = String(lease.pass);
  env.SKEIN_ATTEMPT = String(lease.attempt);
  env.SKEIN_EPOCH = String(epoch);
  env.SKEIN_SEQUENCE = String(sequence);
  env.SKEIN_STATE_DIR = run.stateDir;
  if (lease.token !== undefined) {
    env.SKEIN_TOKEN = String(token);
    env.SKEIN_IDEMPOTENCY_KEY = idempotencyKeyOf(lease);
  }
  const outer = Deno.env.get(LINEAGE_VARIABLE) ?? "";
  env[LINEAGE_VARIABLE] = formatLineage(outer, {
    swarm: run.swarm,
    epoch,
    run: runId,
    token,
    sequence,
  });
  return env;
}
