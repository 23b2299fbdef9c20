import type { Block, Lease, Outcome, Task } from "../model/mod.ts";
import type { Ending, Execution, PassInput, PassOutput, RunContext } from "./executor.ts";
import type { SealedOutput } from "./passes.ts";
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

/** What only some attempts come to: many neither read nor write here, and end by themselves. */
interface Extras {
  output: SealedOutput | null;
  input: PassInput | null;
  controller: AbortController | null;
  ending: Ending | null;
  abandon: ((outcome: Outcome) => void) | null;
  isAbandoned: boolean;
}

const ABANDONED: Outcome = { kind: "aborted" };

/** One attempt of one pass. What its executor does not ask for is not made: its signal, its input, its output. */
export class Attempt implements Execution {
  /** The right to run it. */
  readonly lease: Lease;
  /** The task. */
  readonly task: Task;
  /** Its block. */
  readonly block: Block;
  readonly #ground: AttemptGround;
  /** What the pass before has written, `null` for the first. */
  readonly previous: PassOutput | null;
  #extras: Extras | null = null;
  #isClosed = false;

  /** Makes an attempt that nobody runs yet. */
  constructor(
    ground: AttemptGround,
    lease: Lease,
    task: Task,
    block: Block,
    previous: PassOutput | null,
  ) {
    this.#ground = ground;
    this.lease = lease;
    this.task = task;
    this.block = block;
    this.previous = previous;
  }

  /** Whether the lease is still worth anything; it may be taken out of its object. */
  get leaseHolds(): () => boolean {
    return () => !this.#isClosed && !this.isEnding && this.#ground.stage.recheck(this.lease);
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
    const extras = this.#extra();
    if (extras.controller === null) {
      extras.controller = new AbortController();
      if (extras.ending !== null) extras.controller.abort(extras.ending);
    }
    return extras.controller.signal;
  }

  /** What it reads. */
  get input(): PassInput {
    const { pass, attempt } = this.lease;
    return this.#extra().input ??= this.#ground.stage.input(
      this.task,
      pass,
      this.previous,
      attempt,
    );
  }

  /** What it writes. */
  get output(): PassOutput {
    const { pass, attempt } = this.lease;
    return this.#extra().output ??= this.#ground.stage.output(this.task, pass, attempt);
  }

  /** What it has written, `null` where its executor never asked for the output. */
  get written(): PassOutput | null {
    return this.#extras === null ? null : this.#extras.output;
  }

  /** Ends it; the first ending counts. */
  end(ending: Ending): void {
    const extras = this.#extra();
    if (extras.ending !== null) return;
    extras.ending = ending;
    extras.controller?.abort(ending);
  }

  /** Whether it was asked to end. */
  get isEnding(): boolean {
    return this.#extras !== null && this.#extras.ending !== null;
  }

  /** Whether it was asked to end because its time was over. */
  get timedOut(): boolean {
    return this.#extras?.ending?.cause === "timeout";
  }

  /** Waits for an outcome, but no longer than until {@linkcode Attempt.abandon}. */
  orAbandoned(outcome: Promise<Outcome>): Promise<Outcome> {
    return new Promise((resolve, reject) => {
      const extras = this.#extra();
      extras.abandon = resolve;
      outcome.then(resolve, reject);
      // It may have been left alone before it could be waited for.
      if (extras.isAbandoned) resolve(ABANDONED);
    });
  }

  /** Leaves it alone: what it comes to is dropped. Only what was waited for with `orAbandoned` can be. */
  abandon(): void {
    const extras = this.#extra();
    extras.isAbandoned = true;
    extras.abandon?.(ABANDONED);
  }

  /** It has ended: from now on its lease holds no more, and its output takes nothing. */
  close(): void {
    this.#isClosed = true;
    this.#extras?.output?.seal();
  }

  #extra(): Extras {
    return this.#extras ??= {
      output: null,
      input: null,
      controller: null,
      ending: null,
      abandon: null,
      isAbandoned: false,
    };
  }
}
