/**
 * A swarm with a queue whose processes die or freeze at named points, and tasks that note who executed them.
 *
 * @module
 */
import { assert, assertEquals } from "@std/assert";
import { startWorker, submit as submitTo } from "../e2e/queue_swarm.ts";
import { eventually, type Result } from "../support/cli.ts";
import { isAlive } from "../support/processes.ts";
import { type Running, Swarm, type TaskDraft, textOf } from "../support/swarm.ts";
import { writeSwappedImports } from "../support/swapped_imports.ts";
import { stateOf } from "./harness.ts";

/** How long a claim holds without a renewal, in milliseconds. */
export const TTL_MS = 1_000;
/** What a shell says of a process that was killed. */
export const KILLED = 128 + 9;

/** An execution of a task, as its own process has noted it. */
export interface Execution {
  /** The run. */
  readonly runId: string;
  /** The task. */
  readonly taskId: string;
  /** The token that it was executed under. */
  readonly token: number;
  /** The process. */
  readonly pid: number;
  /** When that has started, in the kernel's ticks. */
  readonly startTime: string;
}

/**
 * Notes who executes, and whoever of an older token of the run still lives. Reads `/proc` without another program, so
 * that nothing lies between the start and the look.
 */
const TASK = `
seen() { { read -r stat < "/proc/$1/stat"; } 2>/dev/null && set -- $stat && state=$3 && start=\${22}; }
while read -r run task token pid since; do
  [ "$run" = "$SKEIN_RUN_ID" ] && [ "$token" -lt "$SKEIN_TOKEN" ] || continue
  state=Z; start=; seen "$pid"
  [ "$start" = "$since" ] && [ "$state" != Z ] && [ "$state" != X ] && echo "$pid of $task" >> "$SURVIVORS"
done < "$EXECUTIONS"
seen $$
echo "$SKEIN_RUN_ID $SKEIN_TASK_ID $SKEIN_TOKEN $$ $start" >> "$EXECUTIONS"
sleep "$1"
[ "$2" != fail ] || exit 3
echo "$SKEIN_TASK_ID"
`;

/** A swarm whose tasks leave a ledger. */
export class QueueSite extends Swarm {
  readonly #importMap = writeSwappedImports(this.folder);

  /** Makes the folder and an empty ledger. */
  constructor() {
    super();
    this.write("task.sh", TASK);
    for (const name of ["executions", "survivors"]) this.write(name, "");
  }

  /** Writes `swarm.json`: a chain of tasks of so many seconds. */
  chain(ids: readonly string[], seconds: number, ending: "succeed" | "fail" = "succeed"): void {
    const argv = ["sh", "task.sh", String(seconds), ending];
    // Under load claims of a second are lost without a death, and each counts as an attempt.
    const block = ending === "fail" ? {} : { retry: { maxAttempts: 100 } };
    const drafts = ids.map((id, index): [string, TaskDraft] => {
      return [id, { argv, block, needs: ids.slice(Math.max(0, index - 1), index) }];
    });
    const env = [`EXECUTIONS=${this.path("executions")}`, `SURVIVORS=${this.path("survivors")}`];
    this.manifest(Object.fromEntries(drafts), { env });
  }

  /** Puts `swarm.json` into the queue. */
  submit(...flags: string[]): Promise<string> {
    return submitTo(this, ...flags);
  }

  /** Starts a command with a fault. */
  faulty(args: readonly string[], fault: string): Running {
    return this.start(args, { env: { SKEIN_FAULT: fault }, importMap: this.#importMap });
  }

  /** Starts a worker that ends when the queue is empty. */
  worker(...flags: string[]): Running {
    return startWorker(this, ...WORKER, ...flags);
  }

  /** Starts such a worker with a fault. */
  faultyWorker(fault: string, ...flags: string[]): Running {
    return this.faulty(["work", "--poll", "30", ...WORKER, ...flags], fault);
  }

  /** Lets a worker empty the queue. */
  async settle(): Promise<void> {
    const { code, stderr } = await this.worker().result;
    assertEquals(code, 0, stderr);
  }

  /** Every execution so far. */
  executions(): Execution[] {
    return textOf(this.path("executions")).split("\n").slice(0, -1).map((line) => {
      const [runId = "", taskId = "", token, pid, startTime = ""] = line.split(" ");
      return { runId, taskId, token: Number(token), pid: Number(pid), startTime };
    });
  }

  /** How often a task was executed. */
  count(taskId: string): number {
    return this.executions().filter((execution) => execution.taskId === taskId).length;
  }

  /** Waits until so many executions have begun. */
  async executing(count: number): Promise<void> {
    await eventually(`${count} executions`, () => this.executions().length >= count);
  }

  /** Nothing of an executor that was replaced was alive when the next began, and nothing lives now. */
  assertDead(): void {
    assertEquals(textOf(this.path("survivors")), "", "alive when the next executor began");
    assertEquals(this.executions().filter(isAlive), []);
  }
}

const WORKER = ["--until-idle", "--lease-ttl", String(TTL_MS)];

/** What a fault does to a process. */
export type Blow = "kill" | "freeze";

/**
 * Waits for a fault. A process that it kills is gone; one that it freezes is left so past its ttl, unless the others
 * end sooner, and goes on then.
 */
export async function survive(
  struck: Running,
  blow: Blow,
  others: () => Promise<unknown>,
): Promise<Result> {
  if (blow === "kill") {
    const result = await struck.result;
    assertEquals(
      result.code,
      KILLED,
      `the point was not reached: ${result.stdout}${result.stderr}`,
    );
    await others();
    return result;
  }
  let over = false;
  void struck.result.then(() => over = true);
  await eventually("the point is reached", () => over || stateOf(struck.pid) === "T");
  assert(!over, "the point was not reached");
  const done = others();
  await Promise.race([done, new Promise((resolve) => setTimeout(resolve, PAST_TTL_MS))]);
  struck.kill("SIGCONT");
  await done;
  return await struck.result;
}

/** The ttl, the allowance and an interval of the reaper, with room. */
const PAST_TTL_MS = 2 * TTL_MS;
