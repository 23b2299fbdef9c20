import { type Clock, Timestamps } from "../clock/mod.ts";
import { type EventKind, messageOf, type RunEvent } from "../model/mod.ts";

const BUFFER_BYTES = 65_536;

/** Where the events of a run go. */
export interface EventLog {
  /** Adds an event. Never throws: the first error is kept. */
  emit(
    kind: EventKind,
    taskId?: string,
    pass?: number,
    attempt?: number,
    status?: string,
    message?: string,
  ): void;
  /** Hands what is buffered to the system. */
  flush(): void;
  /** Ends the log and returns its first error, `null` where there was none. */
  close(): string | null;
}

/** A log in a file, one event a line. */
export class EventFile implements EventLog {
  readonly #run: { readonly runId: string; readonly epoch: number };
  readonly #stamps: Timestamps;
  readonly #sync: boolean;
  readonly #buffer = new Uint8Array(BUFFER_BYTES);
  readonly #encoder = new TextEncoder();
  #file: Deno.FsFile | null = null;
  #used = 0;
  #seq = 0;
  #error: string | null = null;

  /**
   * Opens a log.
   *
   * @param sync flushes and syncs after each event.
   */
  constructor(
    path: string,
    run: { readonly runId: string; readonly epoch: number },
    clock: Clock,
    sync: boolean,
  ) {
    this.#run = run;
    this.#stamps = new Timestamps(clock);
    this.#sync = sync;
    this.#guard(() => {
      this.#file = Deno.openSync(path, { write: true, createNew: true, mode: 0o600 });
    });
  }

  /** Adds an event. */
  emit(kind: EventKind, taskId = "", pass = 0, attempt = 0, status = "", message = ""): void {
    if (this.#error !== null) return;
    const event: RunEvent = {
      seq: ++this.#seq,
      at: this.#stamps.now(),
      kind,
      runId: this.#run.runId,
      taskId,
      pass,
      attempt,
      epoch: this.#run.epoch,
      status,
      message,
    };
    this.#append(`${JSON.stringify(event)}\n`);
    if (!this.#sync) return;
    this.flush();
    this.#guard(() => this.#file?.syncDataSync());
  }

  /** Hands what is buffered to the system. */
  flush(): void {
    this.#guard(() => this.#write(this.#buffer.subarray(0, this.#used)));
    this.#used = 0;
  }

  /** Ends the log. */
  close(): string | null {
    this.flush();
    const file = this.#file;
    this.#file = null;
    try {
      file?.close();
    } catch (error) {
      this.#error ??= messageOf(error);
    }
    return this.#error;
  }

  #append(line: string): void {
    if (line.length * 3 > BUFFER_BYTES - this.#used) this.flush();
    if (line.length * 3 > BUFFER_BYTES) {
      return this.#guard(() => this.#write(this.#encoder.encode(line)));
    }
    this.#used += this.#encoder.encodeInto(line, this.#buffer.subarray(this.#used)).written;
  }

  #write(bytes: Uint8Array): void {
    for (let written = 0; written < bytes.length;) {
      written += this.#file?.writeSync(bytes.subarray(written)) ?? bytes.length;
    }
  }

  #guard(action: () => void): void {
    if (this.#error !== null) return;
    try {
      action();
    } catch (error) {
      this.#error = messageOf(error);
    }
  }
}
