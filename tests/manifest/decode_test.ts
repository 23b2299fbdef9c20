import { assert, assertEquals } from "@std/assert";
import { type ManifestInput, validateManifest } from "../../src/manifest/mod.ts";

const PLAIN: ManifestInput = {
  version: 1,
  blocks: { b: { argv: ["true"] } },
  tasks: [{ id: "a", block: "b" }],
};

function refusals(value: unknown): string[] {
  const decoded = validateManifest(value, { folder: "/base" });
  return decoded.ok ? [] : decoded.diagnostics.map(({ code, path, line, column }) => {
    assertEquals([line, column], [0, 0]);
    return `${code} ${path}`;
  });
}

Deno.test("validateManifest() fills in every default", () => {
  const decoded = validateManifest(PLAIN, { folder: "/base" });
  assert(decoded.ok);
  assertEquals(JSON.parse(JSON.stringify(decoded.manifest)), {
    version: 1,
    name: "swarm",
    workers: 0,
    limits: { maxPasses: 1000, maxOutputBytes: 67108864, runTimeoutMs: 86400000 },
    env: [],
    inheritEnv: [],
    blocks: {
      b: {
        argv: ["true"],
        passes: 1,
        timeoutMs: 3600000,
        env: [],
        cwd: "/base",
        retry: { maxAttempts: 1, backoffMs: 200, maxBackoffMs: 30000 },
      },
    },
    tasks: [{ id: "a", block: "b", args: [], needs: [], env: [] }],
  });
});

Deno.test("validateManifest() reads limits of 0 as the defaults and keeps workers of 0", () => {
  const limits = { maxPasses: 0, maxOutputBytes: 0, runTimeoutMs: 0 };
  const decoded = validateManifest({ ...PLAIN, workers: 0, limits }, { folder: "/base" });
  assert(decoded.ok);
  assertEquals(decoded.manifest.limits, {
    maxPasses: 1000,
    maxOutputBytes: 67108864,
    runTimeoutMs: 86400000,
  });
  assertEquals(decoded.manifest.workers, 0);
});

Deno.test("validateManifest() makes paths absolute", () => {
  const decoded = validateManifest({
    ...PLAIN,
    blocks: { b: { argv: ["./tool"], cwd: "../side" }, c: { argv: ["x"], cwd: "/else" } },
    tasks: [
      { id: "a", block: "b", stdinFile: "in/a.txt" },
      { id: "c", block: "c", stdinFile: "/abs" },
    ],
  }, { folder: "/base/sub" });
  assert(decoded.ok);
  const { blocks, tasks } = decoded.manifest;
  assertEquals([blocks["b"]?.cwd, blocks["c"]?.cwd], ["/base/side", "/else"]);
  assertEquals(tasks.map(({ stdinFile }) => stdinFile), ["/base/sub/in/a.txt", "/abs"]);
  assertEquals(blocks["b"]?.argv, ["./tool"]);
});

Deno.test("validateManifest() takes its own canonical form and leaves it as it is", () => {
  const input = {
    ...PLAIN,
    inheritEnv: true,
    limits: { maxPasses: 7 },
    tasks: [
      { id: "a", block: "b", stdin: "", passes: 7, timeoutMs: 5 },
      { id: "c", block: "b", needs: ["a"], stdinFrom: "a" },
    ],
  };
  const once = validateManifest(input, { folder: "/base" });
  assert(once.ok);
  const twice = validateManifest(once.manifest, { folder: "/other" });
  assert(twice.ok);
  assertEquals(twice.manifest, once.manifest);
});

Deno.test("validateManifest() takes an undefined member as an absent one, but not as a known one", () => {
  assertEquals(refusals({ ...PLAIN, name: undefined }), []);
  assertEquals(refusals({ ...PLAIN, version: undefined }), ["missing-key $.version"]);
  assertEquals(refusals({ ...PLAIN, needz: undefined }), ["unknown-key $.needz"]);
});

Deno.test("validateManifest() refuses what no text could say", () => {
  class Task {
    id = "a";
    block = "b";
  }
  const getter = {
    id: "a",
    get block() {
      return "b";
    },
  };
  const hidden = Object.defineProperty({ id: "a" }, "block", { value: "b" });
  const named = Object.assign([{ id: "a", block: "b" }], { extra: 1 });
  assertEquals(refusals({ ...PLAIN, tasks: [new Task()] }), ["not-plain $.tasks[0]"]);
  assertEquals(refusals(Object.create(PLAIN)), ["not-plain $"]);
  assertEquals(refusals(new Map()), ["not-plain $"]);
  assertEquals(refusals({ ...PLAIN, tasks: [getter] })[0], "not-plain $.tasks[0]");
  assertEquals(refusals({ ...PLAIN, tasks: [hidden] })[0], "not-plain $.tasks[0]");
  assertEquals(refusals({ ...PLAIN, tasks: named }), ["not-plain $.tasks"]);
  assertEquals(refusals({ ...PLAIN, tasks: new Array(4_000_000_000) }), ["not-plain $.tasks"]);
  assertEquals(refusals({ ...PLAIN, [Symbol("s")]: 1 }), ["not-plain $"]);
  assertEquals(refusals({ ...PLAIN, workers: 1n }), ["wrong-type $.workers"]);
  assertEquals(refusals({ ...PLAIN, name: () => "x" }), ["wrong-type $.name"]);
  assertEquals(refusals(undefined), ["wrong-type $"]);
});

Deno.test("validateManifest() refuses a value that contains itself", () => {
  const env: unknown[] = [];
  env.push(env);
  const [first] = refusals({ ...PLAIN, env });
  assert(first?.startsWith("not-plain $.env[0][0]"));
});

Deno.test("validateManifest() runs no code of the value after it has looked at it", () => {
  let reads = 0;
  const tasks = new Proxy([{ id: "a", block: "b" }], {
    get: (target, key, receiver) => {
      if (key === "0") reads++;
      return Reflect.get(target, key, receiver);
    },
  });
  assert(validateManifest({ ...PLAIN, tasks }, { folder: "/base" }).ok);
  assertEquals(reads, 1);
});

Deno.test("validateManifest() says where a repeated id stands first without a line", () => {
  const decoded = validateManifest({ ...PLAIN, tasks: [...PLAIN.tasks, ...PLAIN.tasks] });
  assert(!decoded.ok);
  assertEquals(decoded.diagnostics.map(({ message }) => message), [
    'Repeated task id "a", first at $.tasks[0].id',
  ]);
});

Deno.test("validateManifest() gives a draft of a manifest with a cycle", () => {
  const tasks = [{ id: "a", block: "b", needs: ["c"] }, { id: "c", block: "b", needs: ["a"] }];
  const decoded = validateManifest({ ...PLAIN, tasks }, { folder: "/base" });
  assert(!decoded.ok);
  assertEquals(decoded.draft?.tasks.map(({ id }) => id), ["a", "c"]);
});

Deno.test("validateManifest() accepts an id whose file name just fits and refuses one more", () => {
  const task = (id: string) => ({ ...PLAIN, tasks: [{ id, block: "b" }] });
  assertEquals(refusals(task("a".repeat(200))), []);
  assertEquals(refusals(task("a".repeat(201))), ["long-id $.tasks[0].id"]);
  assertEquals(refusals(task("A".repeat(100))), []);
  assertEquals(refusals(task("A".repeat(101))), ["long-id $.tasks[0].id"]);
  assertEquals(refusals(task("€".repeat(22))), []);
  assertEquals(refusals(task("€".repeat(23))), ["long-id $.tasks[0].id"]);
});
