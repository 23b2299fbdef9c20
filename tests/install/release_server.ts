/**
 * A server on loopback that has a release, and can fail in the ways that servers do.
 *
 * @module
 */

/** How a file is answered. */
export interface Answer {
  /** Its bytes; the answer announces their number. */
  readonly body: Uint8Array;
  /** What happens in the middle of them: the connection ends, or stays open and nothing more comes. */
  readonly halfway?: "cut" | "stall";
  /** The address that it leads on to. */
  readonly location?: string;
}

/** Serves one request a connection; what it does not have is answered with 404. */
export class ReleaseServer implements AsyncDisposable {
  /** The files, by their paths. */
  readonly files: Map<string, Answer> = new Map();
  /** The paths that were asked for, in order. */
  readonly requests: string[] = [];
  /** When an answer stays away. */
  readonly stalled: PromiseWithResolvers<void> = Promise.withResolvers();
  /** When the client of that answer has gone. */
  readonly hungUp: PromiseWithResolvers<void> = Promise.withResolvers();
  readonly #listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  readonly #open = new Set<Deno.Conn>();
  readonly #serving: Promise<void> = this.#serve();
  #closed = false;

  /** The address of the releases. */
  get address(): string {
    return `http://127.0.0.1:${this.#listener.addr.port}/releases`;
  }

  async #serve(): Promise<void> {
    const answering: Promise<void>[] = [];
    for await (const connection of this.#listener) {
      this.#open.add(connection);
      answering.push(
        this.#answer(connection).catch(ignoreLeaving).finally(() => {
          if (this.#open.delete(connection)) connection.close();
        }),
      );
    }
    await Promise.all(answering);
  }

  async #answer(connection: Deno.Conn): Promise<void> {
    const path = await requestedPath(connection);
    if (path === null) return;
    this.requests.push(path);
    const found = this.files.get(path);
    const { body, halfway, location }: Answer = found ??
      { body: new TextEncoder().encode("Not found\n") };
    const status = found === undefined
      ? "404 Not Found"
      : location === undefined
      ? "200 OK"
      : `302 Found\r\nLocation: ${location}`;
    const head =
      `HTTP/1.1 ${status}\r\nContent-Length: ${body.length}\r\nConnection: close\r\n\r\n`;
    await writeAll(connection, new TextEncoder().encode(head));
    if (halfway === undefined) return await writeAll(connection, body);
    await writeAll(connection, body.subarray(0, Math.floor(body.length / 2)));
    if (halfway === "cut") return;
    this.stalled.resolve();
    // Nothing comes any more: the read ends when the client does.
    await connection.read(new Uint8Array(1)).catch(ignoreLeaving);
    this.hungUp.resolve();
  }

  /** Ends every connection, and takes no more; the second time does nothing. */
  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    this.#listener.close();
    for (const connection of this.#open) {
      this.#open.delete(connection);
      connection.close();
    }
    await this.#serving;
  }
}

async function requestedPath(connection: Deno.Conn): Promise<string | null> {
  const buffer = new Uint8Array(4096);
  let head = "";
  while (!head.includes("\r\n\r\n")) {
    const read = await connection.read(buffer);
    if (read === null) return null;
    head += new TextDecoder().decode(buffer.subarray(0, read));
  }
  return /^GET (\S+) /.exec(head)?.[1] ?? null;
}

async function writeAll(connection: Deno.Conn, bytes: Uint8Array): Promise<void> {
  for (let at = 0; at < bytes.length;) at += await connection.write(bytes.subarray(at));
}

/** A client may leave, and the test may end, whenever they like. */
function ignoreLeaving(error: unknown): void {
  const left = [
    Deno.errors.BrokenPipe,
    Deno.errors.ConnectionReset,
    Deno.errors.ConnectionAborted,
    Deno.errors.BadResource,
    Deno.errors.Interrupted,
  ];
  if (!left.some((kind) => error instanceof kind)) throw error;
}
