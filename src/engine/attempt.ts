import type { Block, Lease, Outcome, Task } from "../model/mod.ts";
import type { Ending, Execution, PassInput, PassOutput, RunContext } from "./executor.ts";
import type { Stage } from "./stage.ts";

/** As much of a stage as an attempt asks for. */
export interface AttemptStage extends Pick<Stage, "recheck" | "output"> {
  /** What a pass reads. */
  input(task: Task, pass: number, previous: PassOutput | null, attempt: number): PassInput;
}

/** What all attempts of a run have in common. */
export interface AttemptGround {
  /** Where the run takes place. */
  readonly stage: AttemptStage;
  /** The run. */
  readonly context: RunContext;
  /** Aborts when the grace is over. */
  readonly kill: AbortSignal;
}

/** One attempt of one pass. What its executor does not ask for is not made: its signal, its input, its output. */
export class Attempt implements Execution {
  /** The right to run it. */
  readonly lease: Lease;
  /** The task. */
  readonly task: Task;
  /** Its block. */
  readonly block: Block;
  /** When it is to be ended, on the monotonic clock. */
  deadlineAt: number;
  /** Whether its time was over. */
  timedOut = false;
  readonly #ground: AttemptGround;
  /** What the pass before has written, `null` for the first. */
  readonly previous: PassOutput | null;
  #output: PassOutput | null = null;
  #input: PassInput | null = null;
  #controller: AbortController | null = null;
  #ending: Ending | null = null;
  #abandon: ((outcome: Outcome) => void) | null = null;

  /** Makes an attempt that nobody runs yet. */
  constructor(
    ground: AttemptGround,
    lease: Lease,
    task: Task,
    block: Block,
    previous: PassOutput | null,
    deadlineAt: number,
  ) {
    this.#ground = ground;
    this.lease = lease;
    this.task = task;
    this.block = block;
    this.previous = previous;
    this.deadlineAt = deadlineAt;
  }

  /** Whether the lease is still worth anything; it may be taken out of its object. */
  get leaseHolds(): () => boolean {
    return () => this.#ending === null && this.#ground.stage.recheck(this.lease);
  }

  /** The run. */
  get run(): RunContext {
    return this.#ground.context;
  }

  /** Aborts when the grace is over. */
  get kill(): AbortSignal {
    return this.#ground.kill;
  }

  /** Aborts when the attempt is to end. */
  get signal(): AbortSignal {
    if (this.#controller === null) {
      this.#controller = new AbortController();
      if (this.#ending !== null) this.#controller.abort(this.#ending);
    }
    return this.#controller.signal;
  }

  /** What it reads. */
  get input(): PassInput {
    const { pass, attempt } = this.lease;
    return this.#input ??= this.#ground.stage.input(this.task, pass, this.previous, attempt);
  }

  /** What it writes. */
  get output(): PassOutput {
    return this.#output ??= this.#ground.stage.output(
      this.task,
      this.lease.pass,
      this.lease.attempt,
    );
  }

  /** What it has written, `null` where its executor never asked for the output. */
  get written(): PassOutput | null {
    return this.#output;
  }

  /** Ends it; the first ending counts. */
  end(ending: Ending): void {
    if (this.#ending !== null) return;
    this.#ending = ending;
    this.#controller?.abort(ending);
  }

  /** Whether it was asked to end. */
  get isEnding(): boolean {
    return this.#ending !== null;
  }

  /** Waits for an outcome, but no longer than until {@linkcode Attempt.abandon}. */
  orAbandoned(outcome: Promise<Outcome>): Promise<Outcome> {
    return new Promise((resolve, reject) => {
      this.#abandon = resolve;
      outcome.then(resolve, reject);
    });
  }

  /** Leaves it alone: what it comes to is dropped. Only what was waited for with `orAbandoned` can be. */
  abandon(): void {
    this.#abandon?.({ kind: "aborted" });
  }
}
