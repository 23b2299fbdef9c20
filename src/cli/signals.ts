import { systemClock } from "../clock/mod.ts";
import { readProc } from "../proc/linux_files.ts";
import { EXIT } from "./exit.ts";

const CODES = { SIGINT: EXIT.interrupted, SIGTERM: EXIT.terminated, SIGHUP: EXIT.hangup } as const;
type Handled = keyof typeof CODES;

/** A program that started this one may pass on what the terminal has delivered already: the same signal twice is one. */
const SAME_MS = 100;

/** Asked before there is any listener, and before a command gives up the permission to ask. */
const HANGUP_IGNORED = isHangupIgnored();

/** The first signal cancels, the second one kills. */
export class Signals implements Disposable {
  readonly #cancel = new AbortController();
  readonly #kill = new AbortController();
  readonly #handlers: [Handled, () => void][] = [];
  #first: { readonly signal: Handled; readonly at: number } | null = null;

  /** Starts to listen. */
  constructor() {
    const deaf = HANGUP_IGNORED;
    for (const signal of Object.keys(CODES) as Handled[]) {
      const handler = () => this.#receive(signal);
      if (deaf && signal === "SIGHUP") listen(signal, ignore);
      else if (listen(signal, handler)) this.#handlers.push([signal, handler]);
    }
  }

  /** Aborts with the first signal. */
  get cancel(): AbortSignal {
    return this.#cancel.signal;
  }

  /** Aborts with the second. */
  get kill(): AbortSignal {
    return this.#kill.signal;
  }

  /** The exit code of the first signal, `null` where there was none. */
  get code(): number | null {
    return this.#first === null ? null : CODES[this.#first.signal];
  }

  /** Stops to listen. */
  [Symbol.dispose](): void {
    for (const [signal, handler] of this.#handlers) Deno.removeSignalListener(signal, handler);
    this.#handlers.length = 0;
  }

  #receive(signal: Handled): void {
    const now = systemClock.mono();
    if (this.#first === null) {
      this.#first = { signal, at: now };
      this.#cancel.abort();
    } else if (signal !== this.#first.signal || now - this.#first.at > SAME_MS) {
      this.#kill.abort();
    }
  }
}

/** Whether who started this has HUP ignored, as `nohup` does. Only Linux tells; elsewhere HUP is listened to. */
function isHangupIgnored(): boolean {
  try {
    const status = readProc("/proc/self/status") ?? "";
    // A mask in hexadecimal digits, whose lowest bit stands for signal 1.
    const [, last = "0"] = /^SigIgn:.*([0-9a-f])$/m.exec(status) ?? [];
    return (parseInt(last, 16) & 1) === 1;
  } catch {
    return false;
  }
}

/** The runtime's first listener, to whichever signal, ends that HUP is ignored: one that does nothing brings it back. */
function ignore(): void {}

/** Listens to a signal, where the system has it: Windows has no TERM. */
function listen(signal: Handled, handler: () => void): boolean {
  try {
    Deno.addSignalListener(signal, handler);
    return true;
  } catch (error) {
    if (error instanceof TypeError) return false;
    throw error;
  }
}
