import type { Ending, Execution, Executor } from "../../../src/engine/executor.ts";
import type { Outcome } from "../../../src/model/mod.ts";

/** An attempt that a test ends. */
export interface Held {
  /** What it was handed. */
  readonly execution: Execution;
  /** Ends it by itself. */
  readonly end: (outcome?: Outcome) => void;
}

/** An executor whose attempts go on until the test ends them, or the run does. */
export class Puppet implements Executor {
  /** What is going on, by task. */
  readonly live = new Map<string, Held>();
  /** Every attempt that was begun, as `task.pass.attempt`. */
  readonly begun: string[] = [];
  /** Every attempt that was ended by the run, with its cause. */
  readonly aborted: string[] = [];
  /** Runs that were finished, with their tokens. */
  readonly finished: string[] = [];

  execute(execution: Execution): Promise<Outcome> {
    const { lease, signal } = execution;
    const { promise, resolve } = Promise.withResolvers<Outcome>();
    const name = `${lease.taskId}.${lease.pass}.${lease.attempt}`;
    this.begun.push(name);
    const end = (outcome: Outcome = { kind: "succeeded" }) => {
      this.live.delete(lease.taskId);
      resolve(outcome);
    };
    const onAbort = () => {
      const { cause, graceMs } = signal.reason as Ending;
      this.aborted.push(`${name} ${cause} ${graceMs}`);
      end({ kind: "aborted" });
    };
    this.live.set(lease.taskId, { execution, end });
    if (signal.aborted) onAbort();
    else signal.addEventListener("abort", onAbort);
    return promise;
  }

  finish({ runId, token }: Execution["run"]): Promise<readonly string[]> {
    this.finished.push(`${runId}#${token}`);
    return Promise.resolve([]);
  }

  /** Ends a task's attempt. */
  end(taskId: string, outcome: Outcome = { kind: "succeeded" }): void {
    const held = this.live.get(taskId);
    if (held === undefined) {
      throw new Error(`Nothing of "${taskId}" runs: ${[...this.live.keys()].join()}`);
    }
    held.end(outcome);
  }
}
