// deno-lint-ignore-file no-console -- a command line
/**
 * An HTTP destination: a server in front of the database of `sql.ts`, and its client. The lease stands in the body of
 * the request, and a write that is out of date is answered with 409.
 *
 * A lease is no credential: who may write at all is another question, and a real server asks it first.
 *
 * ```sh
 * deno run -A examples/destinations/http.ts serve results.db
 * deno run -A examples/destinations/http.ts http://127.0.0.1:8080 write NAME TEXT
 * ```
 *
 * @module
 */
import type { GateLease } from "@skein/cli/lease";
import { attempt, type Destination, runCommand, usage, type WriteAnswer } from "./destination.ts";
import { SqlDestination } from "./sql.ts";

/** The longest body that is read, in bytes. */
const LONGEST_BODY = 1_048_576;

/** Serves a destination on the loopback interface. */
export function serve(
  destination: Destination,
  options: { readonly port?: number; readonly signal?: AbortSignal } = {},
): Deno.HttpServer<Deno.NetAddr> {
  const { port = 0, signal } = options;
  return Deno.serve({
    hostname: "127.0.0.1",
    port,
    onListen() {},
    ...signal === undefined ? {} : { signal },
  }, (request) => handle(destination, request));
}

async function handle(destination: Destination, request: Request): Promise<Response> {
  const { pathname } = new URL(request.url);
  const name = nameIn(pathname);
  if (name !== null && request.method === "GET") {
    const text = await destination.read(name);
    return text === null ? new Response(null, { status: 404 }) : new Response(text);
  }
  if (request.method !== "PUT") return new Response(null, { status: 405 });
  const body = await bodyOf(request);
  if (body === null) return new Response(null, { status: 400 });
  if (name !== null && typeof body.text === "string") {
    // What is no lease is refused by the gate.
    const lease = body.lease as GateLease;
    const answer = await destination.write(lease, name, body.text);
    const status = answer.written ? 200 : answer.why === "no-lease" ? 400 : 409;
    return Response.json(answer, { status });
  }
  if (pathname === "/epoch" && Number.isSafeInteger(body.epoch) && (body.epoch as number) > 0) {
    await destination.raiseEpoch(body.epoch as number);
    return new Response(null, { status: 204 });
  }
  return new Response(null, { status: 400 });
}

function nameIn(pathname: string): string | null {
  const [, name] = /^\/things\/([^/]+)$/.exec(pathname) ?? [];
  try {
    return name === undefined ? null : decodeURIComponent(name);
  } catch {
    return null;
  }
}

async function bodyOf(request: Request): Promise<Record<string, unknown> | null> {
  const bytes = Number(request.headers.get("content-length") ?? NaN);
  if (!(bytes <= LONGEST_BODY)) return null;
  try {
    const value = await request.json();
    return typeof value === "object" && value !== null ? value : null;
  } catch {
    return null;
  }
}

/** The same from the other side. */
export class HttpDestination implements Destination {
  readonly #base: URL;

  /** Binds the address of a server. */
  constructor(base: string) {
    this.#base = new URL(base);
  }

  /** Writes a text, if the lease passes the gate. */
  async write(lease: GateLease, name: string, text: string): Promise<WriteAnswer> {
    const response = await this.#put(`things/${encodeURIComponent(name)}`, { lease, text });
    if ([200, 400, 409].includes(response.status)) return await response.json();
    throw await unexpected(response);
  }

  /** The text of a name. */
  async read(name: string): Promise<string | null> {
    const response = await fetch(new URL(`things/${encodeURIComponent(name)}`, this.#base));
    if (response.ok) return await response.text();
    if (response.status !== 404) throw await unexpected(response);
    await response.body?.cancel();
    return null;
  }

  /** Tells it the current epoch. */
  async raiseEpoch(epoch: number): Promise<void> {
    const response = await this.#put("epoch", { epoch });
    if (!response.ok) throw await unexpected(response);
    await response.body?.cancel();
  }

  #put(path: string, body: unknown): Promise<Response> {
    return fetch(new URL(path, this.#base), { method: "PUT", body: JSON.stringify(body) });
  }
}

async function unexpected(response: Response): Promise<Error> {
  await response.body?.cancel();
  return new Error(`${response.url} answers ${response.status}`);
}

async function runServer([path = "", port = "0", ...more]: readonly string[]): Promise<number> {
  if (path === "" || !isPort(port) || more.length > 0) return usage("serve DATABASE [PORT]");
  using destination = new SqlDestination(path);
  const server = serve(destination, { port: Number(port) });
  console.log(`http://${server.addr.hostname}:${server.addr.port}`);
  await server.finished;
  return 0;
}

function isPort(word: string): boolean {
  return /^\d{1,5}$/.test(word) && Number(word) <= 65_535;
}

if (import.meta.main) {
  const [where, ...words] = Deno.args;
  Deno.exitCode = where === "serve"
    ? await attempt(() => runServer(words))
    : await runCommand((base) => new HttpDestination(base), Deno.args);
}
