/**
 * A process that is asked one line of JSON at a time and answers with one, so that the samples of several processes can
 * be taken in turn.
 *
 * @module
 */
import { messageOf } from "../../src/model/error.ts";

/** How long an answer may take. */
const PATIENCE_MS = 600_000;

/** What is asked and answered. */
export type Message = Record<string, unknown>;

/** A process that answers. */
export class LineWorker implements AsyncDisposable {
  readonly #child: Deno.ChildProcess;
  readonly #writer: WritableStreamDefaultWriter<Uint8Array<ArrayBuffer>>;
  readonly #lines: AsyncIterator<string>;

  /** Starts it. */
  constructor([program = "", ...args]: readonly string[], env: Record<string, string>) {
    this.#child = new Deno.Command(program, {
      args,
      env,
      clearEnv: true,
      stdin: "piped",
      stdout: "piped",
      stderr: "inherit",
    }).spawn();
    this.#writer = this.#child.stdin.getWriter();
    this.#lines = linesOf(this.#child.stdout);
  }

  /** Asks, and waits for the answer. An answer with an `error` is thrown. */
  async ask(message: Message): Promise<Message> {
    const timer = setTimeout(() => this.#child.kill("SIGKILL"), PATIENCE_MS);
    try {
      await this.#writer.write(new TextEncoder().encode(`${JSON.stringify(message)}\n`));
      const { done, value } = await this.#lines.next();
      if (done === true) throw new Error("the process ended without an answer");
      const answer = JSON.parse(value) as Message;
      if (typeof answer.error === "string") throw new Error(answer.error);
      return answer;
    } finally {
      clearTimeout(timer);
    }
  }

  /** Ends it. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#writer.close().catch(() => {});
    await this.#lines.return?.();
    await this.#child.status;
  }
}

/** Answers what is asked on standard input until its end. */
export async function serve(answer: (message: Message) => Promise<Message>): Promise<void> {
  const lines = linesOf(Deno.stdin.readable);
  for (
    let next = await lines.next();
    next.done !== true;
    next = await lines.next()
  ) {
    const reply = await answer(JSON.parse(next.value)).catch((error) => ({
      error: messageOf(error),
    }));
    Deno.stdout.writeSync(new TextEncoder().encode(`${JSON.stringify(reply)}\n`));
  }
}

/** The lines of a stream of bytes. */
export async function* linesOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let pieces: string[] = [];
  for await (const chunk of stream) {
    const [first = "", ...rest] = decoder.decode(chunk, { stream: true }).split("\n");
    pieces.push(first);
    for (const piece of rest) {
      yield pieces.join("");
      pieces = [piece];
    }
  }
}
