import { assert, assertEquals, assertRejects } from "@std/assert";
import { join } from "@std/path";
import fc from "fast-check";
import type { Destination, WriteAnswer } from "../../examples/destinations/destination.ts";
import { FileDestination } from "../../examples/destinations/file.ts";
import { HttpDestination, serve } from "../../examples/destinations/http.ts";
import { SqlDestination } from "../../examples/destinations/sql.ts";
import { requestStop } from "../../src/engine/stop.ts";
import { currentEpoch } from "../../src/fence/mod.ts";
import { type GateLease, type GateMark, passGate } from "../../src/model/mod.ts";
import { cleanEnv, CONFIG, LONG, ROOT, temporaryFolder } from "../support/cli.ts";
import { lateWrites, refusalsOf, revisionsOf, startWriter } from "./race.ts";

/** A destination in a folder of its own. */
interface Site extends AsyncDisposable {
  readonly destination: Destination;
  /** How another process finds it. */
  readonly where: string;
}

const KINDS: Readonly<Record<string, (folder: string) => Site>> = {
  sql(folder) {
    const where = join(folder, "results.db");
    const destination = new SqlDestination(where);
    return {
      destination,
      where,
      [Symbol.asyncDispose]: () => Promise.resolve(destination[Symbol.dispose]()),
    };
  },
  http(folder) {
    const database = new SqlDestination(join(folder, "results.db"));
    const server = serve(database);
    const where = `http://127.0.0.1:${server.addr.port}`;
    return {
      destination: new HttpDestination(where),
      where,
      async [Symbol.asyncDispose]() {
        await server.shutdown();
        database[Symbol.dispose]();
      },
    };
  },
  file(folder) {
    const where = join(folder, "results");
    const destination = new FileDestination(where);
    return { destination, where, [Symbol.asyncDispose]: () => Promise.resolve() };
  },
};

const LEASE: GateLease = { runId: "r", taskId: "a", epoch: 1, token: 1, sequence: 5 };
/** How long writers that must be refused go on. */
const WATCH_MS = LONG ? 5_000 : 300;

async function until(what: string, holds: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + 20_000;
  while (!await holds()) {
    if (performance.now() > deadline) throw new Error(`Waited in vain until ${what}`);
    await pause(2);
  }
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/** Asserts that what was refused stays refused. */
function assertRefusedForGood(answers: readonly WriteAnswer[], why: string): void {
  const marks = answers.map(({ written }) => written ? "w" : "r").join("");
  assert(/^w+r+$/.test(marks), `${marks.length} writes: ${marks.slice(0, 200)}`);
  assertEquals(refusalsOf(answers), [why]);
}

for (const [kind, open] of Object.entries(KINDS)) {
  Deno.test(`${kind} destination: a write that races a newer token is refused from then on (G7)`, async () => {
    using folder = temporaryFolder();
    await using site = open(folder.path);
    const { destination, where } = site;
    const over = (name: string) => join(folder.path, `${name}-over`);
    const order = { kind, where };
    await using stale = startWriter({ ...order, lease: LEASE, text: "stale", over: over("stale") });
    await until("the stale one writes", async () => await destination.read("thing") === "stale");
    // The same task, in the hands of whoever has claimed the run since.
    const lease = { ...LEASE, token: 2, sequence: 6 };
    await using fresh = startWriter({ ...order, lease, text: "fresh", over: over("fresh") });
    await until("the fresh one writes", async () => await destination.read("thing") === "fresh");
    const end = performance.now() + WATCH_MS;
    while (performance.now() < end) {
      assertEquals(await destination.read("thing"), "fresh");
      await pause(1);
    }
    for (const name of ["fresh", "stale"]) Deno.writeTextFileSync(over(name), "");
    const [old, young] = await Promise.all([stale.answers, fresh.answers]);
    assertRefusedForGood(old, "old-token");
    assertEquals([refusalsOf(young), lateWrites(old, young)], [[], []]);
    assertEquals(await destination.read("thing"), "fresh");
  });

  Deno.test(`${kind} destination: a write that races a stop is refused once it was told the epoch (G3)`, async () => {
    using folder = temporaryFolder();
    await using site = open(folder.path);
    const { destination, where } = site;
    const state = join(folder.path, "state");
    const over = join(folder.path, "over");
    await using stale = startWriter({ kind, where, lease: LEASE, text: "stale", over });
    await until("it writes", async () => await destination.read("thing") === "stale");
    await requestStop(state, { reason: "it loops" });
    await destination.raiseEpoch(currentEpoch(state));
    // Whatever comes now is after the stop.
    const last = await destination.write({ ...LEASE, epoch: 2, sequence: 6 }, "thing", "fresh");
    await pause(WATCH_MS);
    Deno.writeTextFileSync(over, "");
    const answers = await stale.answers;
    assertRefusedForGood(answers, "old-epoch");
    assertEquals([last.written, lateWrites(answers, [last])], [true, []]);
    assertEquals(await destination.read("thing"), "fresh");
  });

  Deno.test(`${kind} destination: tasks of one run do not disturb each other, and what is no lease writes nothing (G3)`, async () => {
    using folder = temporaryFolder();
    await using site = open(folder.path);
    const { destination } = site;
    const write = async (lease: unknown) => {
      const answer = await destination.write(lease as GateLease, "thing", JSON.stringify(lease));
      return answer.written ? answer.revision : answer.why;
    };
    const none = [{}, { ...LEASE, epoch: 0 }, { ...LEASE, runId: "" }, { ...LEASE, token: -1 }];
    for (const lease of none) assertEquals(await write(lease), "no-lease");
    assertEquals(await destination.read("thing"), null);
    const b = { ...LEASE, taskId: "b", sequence: 6 };
    assertEquals([await write(b), await write(LEASE), await write(b)], [1, 2, 3]);
    assertEquals(await write({ ...LEASE, sequence: 4 }), "old-sequence");
    // A claim of the run covers all of its tasks.
    assertEquals(await write({ ...b, token: 2, sequence: 7 }), 4);
    assertEquals(await write({ ...LEASE, sequence: 99 }), "old-token");
    const { token: _, ...local } = { ...LEASE, runId: "another" };
    assertEquals([await write(local), await write({ ...local, sequence: 4 })], [5, "old-sequence"]);
    await destination.raiseEpoch(3);
    await destination.raiseEpoch(2);
    assertEquals(await write({ ...local, epoch: 2 }), "old-epoch");
    assertEquals(await write({ ...local, epoch: 3, sequence: 6 }), 6);
    assertEquals(JSON.parse(await destination.read("thing") ?? "").epoch, 3);
  });

  Deno.test(`${kind} destination: what it has seen outlives it (G3, G7)`, async () => {
    using folder = temporaryFolder();
    {
      await using site = open(folder.path);
      await site.destination.raiseEpoch(2);
      await site.destination.write({ ...LEASE, epoch: 2, token: 3 }, "thing", "kept");
    }
    await using site = open(folder.path);
    const write = async (lease: GateLease) => {
      const answer = await site.destination.write(lease, "thing", "late");
      return answer.written ? "written" : answer.why;
    };
    assertEquals(await write(LEASE), "old-epoch");
    assertEquals(await write({ ...LEASE, epoch: 2 }), "old-token");
    assertEquals(await site.destination.read("thing"), "kept");
  });
}

Deno.test("lateWrites() names a stale write that came between another one's comparison and its write", async () => {
  // A destination that compares and writes with a moment in between.
  let mark: GateMark = { epoch: 0, token: 0, sequence: 0 };
  let revision = 0;
  const write = async (lease: GateLease, between: Promise<void>): Promise<WriteAnswer> => {
    const answer = passGate(lease, mark);
    await between;
    if (!answer.admitted) return { written: false, why: answer.why, message: answer.message };
    mark = answer.mark;
    return { written: true, revision: ++revision };
  };
  const fresh = { ...LEASE, token: 2, sequence: 6 };
  const overtaken = Promise.withResolvers<void>();
  const slow = write(LEASE, overtaken.promise);
  const young = await write(fresh, Promise.resolve());
  overtaken.resolve();
  assertEquals(lateWrites([await slow], [young]), [2]);
  assertEquals(lateWrites([young], [{ written: true, revision: 1 }]), [1], "a revision twice");
  assertEquals(revisionsOf([young]), [1]);
});

/** What comes to a destination. */
type Step = { readonly raise: number } | { readonly lease: GateLease };

/** The rule in other words: what was admitted so far decides, and no mark is kept. */
class Rule {
  readonly #admitted: GateLease[] = [];
  #told = 0;

  take(step: Step): string {
    if ("raise" in step) {
      this.#told = Math.max(this.#told, step.raise);
      return "raised";
    }
    const { lease } = step;
    const { epoch, token = 0 } = lease;
    const before = this.#admitted.filter(({ runId }) => runId === lease.runId);
    if (epoch < Math.max(this.#told, ...this.#admitted.map((one) => one.epoch))) return "old-epoch";
    if (before.some((one) => (one.token ?? 0) > token)) return "old-token";
    const own = before.filter((one) => one.taskId === lease.taskId && (one.token ?? 0) === token);
    if (own.some((one) => one.sequence > lease.sequence)) return "old-sequence";
    this.#admitted.push(lease);
    return "written";
  }
}

const small = fc.integer({ min: 1, max: 3 });
const leases = fc.record({
  runId: fc.constantFrom("r", "s"),
  taskId: fc.constantFrom("a", "b", "__proto__"),
  epoch: small,
  token: fc.option(small, { nil: undefined }),
  sequence: fc.integer({ min: 1, max: 4 }),
});
const steps = fc.array(
  fc.oneof(
    { weight: 8, arbitrary: leases.map((lease): Step => ({ lease: lease as GateLease })) },
    { weight: 1, arbitrary: small.map((raise): Step => ({ raise })) },
  ),
  { maxLength: 14 },
);

async function assertFollows(destination: Destination, coming: readonly Step[]): Promise<void> {
  const rule = new Rule();
  for (const step of coming) {
    const expected = rule.take(step);
    if ("raise" in step) {
      await destination.raiseEpoch(step.raise);
      continue;
    }
    const { token, ...rest } = step.lease;
    const lease = token === undefined ? rest : { ...rest, token };
    const answer = await destination.write(lease, "thing", "text");
    assertEquals(answer.written ? "written" : answer.why, expected, JSON.stringify(step));
  }
}

Deno.test("sql destination: its statements decide as the gate's rule does, whatever comes (G3, G7)", async () => {
  await fc.assert(
    fc.asyncProperty(steps, async (coming) => {
      using destination = new SqlDestination(":memory:");
      await assertFollows(destination, coming);
    }),
    { numRuns: LONG ? 5000 : 300 },
  );
});

Deno.test("file destination: it decides as the gate's rule does, whatever comes (G3, G7)", async () => {
  await fc.assert(
    fc.asyncProperty(steps, async (coming) => {
      using folder = temporaryFolder();
      await assertFollows(new FileDestination(folder.path), coming);
    }),
    { numRuns: LONG ? 300 : 30 },
  );
});

Deno.test("file destination: a folder that has lost what it had seen, or holds nonsense, takes nothing (G3)", async () => {
  using folder = temporaryFolder();
  const destination = new FileDestination(folder.path);
  await destination.write(LEASE, "thing", "kept");
  const seen = join(folder.path, ".seen");
  for (
    const text of ["", "nonsense", "null", "{}", '{"epoch":1,"revision":1,"marks":[{"run":"r"}]}']
  ) {
    Deno.writeTextFileSync(seen, text);
    const write = () => destination.write(LEASE, "thing", "late");
    if (text.includes("marks")) {
      const answer = await write();
      assertEquals(answer.written ? "" : answer.why, "no-mark");
    } else await assertRejects(write, Error);
  }
  Deno.removeSync(seen);
  await assertRejects(() => destination.write(LEASE, "thing", "late"), Error, "is missing");
  for (const name of ["", "..", "a/b", ".seen"]) {
    assert(
      await assertRejects(async () => await destination.write(LEASE, name, "x")) instanceof Error,
    );
  }
  assertEquals(await destination.read("thing"), "kept");
});

Deno.test("http destination: what is no request of its own is refused", async () => {
  using folder = temporaryFolder();
  using database = new SqlDestination(join(folder.path, "results.db"));
  const server = serve(database);
  const status = async (method: string, path: string, body?: unknown) => {
    const response = await fetch(`http://127.0.0.1:${server.addr.port}${path}`, {
      method,
      ...body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) },
    });
    await response.body?.cancel();
    return response.status;
  };
  assertEquals(await status("GET", "/things/thing"), 404);
  assertEquals(await status("PUT", "/things/thing", { lease: LEASE, text: "text" }), 200);
  assertEquals(await status("PUT", "/things/thing", { lease: LEASE, text: 1 }), 400);
  assertEquals(await status("PUT", "/things/thing", { text: "text" }), 400);
  assertEquals(await status("PUT", "/things/thing", "nonsense"), 400);
  assertEquals(
    await status("PUT", "/things/thing", { lease: LEASE, text: "x".repeat(2 ** 20) }),
    400,
  );
  assertEquals(await status("PUT", "/things/%ff", { lease: LEASE, text: "text" }), 400);
  assertEquals(await status("DELETE", "/things/thing"), 405);
  for (const epoch of [0, 1.5, "2", null]) {
    assertEquals(await status("PUT", "/epoch", { epoch }), 400);
  }
  assertEquals(await status("PUT", "/epoch", { epoch: 2 }), 204);
  assertEquals(await status("PUT", "/things/thing", { lease: LEASE, text: "late" }), 409);
  await server.shutdown();
  assertEquals(await database.read("thing"), "text");
});

/** The command line of a destination, outside of a run. */
function command(kind: string, ...words: string[]): { code: number; stderr: string } {
  const program = join(ROOT, "examples/destinations", `${kind}.ts`);
  const { code, stderr } = new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "-q", "--no-prompt", "--config", CONFIG, program, ...words],
    env: { ...cleanEnv(), NO_COLOR: "1" },
    clearEnv: true,
    stdin: "null",
  }).outputSync();
  return { code, stderr: new TextDecoder().decode(stderr) };
}

Deno.test("a destination's command line says how it is written, and exits with 2, for words that make no sense", () => {
  using folder = temporaryFolder();
  const where: Record<string, string> = {
    sql: join(folder.path, "results.db"),
    file: join(folder.path, "results"),
    http: "http://127.0.0.1:9",
  };
  const everywhere = [["raise", "abc"], ["raise", "0"], ["write", "name"], ["read"], ["raed", "x"]];
  for (const [kind, place] of Object.entries(where)) {
    const lines = [[], [place], ...everywhere.map((words) => [place, ...words])];
    if (kind === "http") lines.push(["serve"], ["serve", join(folder.path, "x.db"), "abc"]);
    for (const words of lines) {
      const { code, stderr } = command(kind, ...words);
      assertEquals(
        [code, stderr.slice(0, 6)],
        [2, "Usage:"],
        `${kind} ${words.join(" ")}: ${stderr}`,
      );
    }
  }
  assertEquals(Array.from(Deno.readDirSync(folder.path)), [], "nothing was opened");
});

Deno.test("a destination's command line says in one line what fails (1) and what is refused (4)", () => {
  using folder = temporaryFolder();
  const missing = join(folder.path, "missing", "results.db");
  const failing = [
    ["sql", missing, "read", "x"],
    ["http", "serve", missing],
    ["http", "nonsense", "read", "x"],
    ["file", folder.path, "read", "a/b"],
  ];
  for (const [kind = "", ...words] of failing) {
    const { code, stderr } = command(kind, ...words);
    assert(/^failed: .+\n$/.test(stderr), stderr);
    assertEquals(code, 1, stderr);
  }
  const { code, stderr } = command("file", folder.path, "write", "name", "text");
  assert(/^refused: .+\n$/.test(stderr), stderr);
  assertEquals(code, 4, "there is no lease outside of a run");
});
