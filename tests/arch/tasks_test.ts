import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { CONFIG, ROOT, temporaryFolder } from "../support/cli.ts";

const JSR = readJson("deno.json");
const NPM = readJson("tools/npm/deno.json");
const NPM_MAP = readJson("tools/npm/import_map.json");
const LOCKS = ["deno.lock", "tools/npm/deno.lock"];

/** A document whose shape the tests themselves look at. */
// deno-lint-ignore no-explicit-any
type Json = any;

function readJson(path: string): Json {
  return JSON.parse(Deno.readTextFileSync(join(ROOT, path)));
}

function sorted(values: Iterable<string>): string[] {
  return [...values].sort();
}

Deno.test("tasks: both configurations have the same compiler options", () => {
  assertEquals(NPM.compilerOptions, JSR.compilerOptions);
});

Deno.test("tasks: both configurations have the same sets of permissions", () => {
  assertEquals(NPM.permissions, JSR.permissions);
});

Deno.test("tasks: both import maps name the same modules, and the package's own entries", () => {
  const entries = Object.keys(JSR.exports).map((path) => `${JSR.name}${path.slice(1)}`);
  assertEquals(
    sorted(Object.keys(NPM_MAP.imports)),
    sorted([...entries, ...Object.keys(JSR.imports)]),
  );
  for (const [name, target] of Object.entries(JSR.imports as Record<string, string>)) {
    if (target.startsWith("npm:")) assertEquals(NPM_MAP.imports[name], target);
    else assert(name.startsWith("@std/") && target.startsWith(`jsr:${name}@`), name);
  }
});

Deno.test("tasks: each lock file holds what its import map asks for, with integrity", () => {
  const jsr = readJson("deno.lock");
  const targets = Object.values(JSR.imports as Record<string, string>).map(packageOf);
  assertEquals(sorted(jsr.workspace.dependencies), sorted(new Set(targets)));
  assertEquals(targets.filter((target) => jsr.specifiers[target] === undefined), []);
  for (const [specifier, version] of Object.entries(jsr.specifiers as Record<string, string>)) {
    const [, registry = "", name = ""] = /^(jsr|npm):(@?[^@]+)/.exec(specifier) ?? [];
    assert(jsr[registry][`${name}@${version}`]?.integrity, specifier);
  }
  const npm = readJson("tools/npm/deno.lock");
  const own = Object.values(NPM_MAP.imports as Record<string, string>).filter((target) =>
    target.startsWith("npm:")
  ).map(packageOf);
  assertEquals(own.filter((target) => npm.specifiers[target] === undefined), []);
  assertEquals(npm.jsr, undefined);
});

Deno.test("tasks: both lock files are frozen", () => {
  assertEquals([JSR.lock.frozen, NPM.lock.frozen], [true, true]);
});

/** `npm:zod@4.6.7/mini` is of the package `npm:zod@4.6.7`. */
function packageOf(target: string): string {
  return /^\w+:(?:@[^/]+\/)?[^/]+/.exec(target)?.[0] ?? target;
}

/** The answer of `tools/registry.ts` on a machine that has cached nothing, for the JSR at an address. */
async function registryFor(jsr: string): Promise<{ answer: string; ms: number }> {
  using folder = temporaryFolder();
  const before = LOCKS.map((path) => Deno.readTextFileSync(join(ROOT, path)));
  const started = performance.now();
  const { stdout } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "-q", "--no-config", join(ROOT, "tools/registry.ts")],
    env: { ...plainEnv(), JSR_URL: jsr, DENO_DIR: `${folder.path}/cache` },
    clearEnv: true,
  }).output();
  const ms = performance.now() - started;
  assertEquals(LOCKS.map((path) => Deno.readTextFileSync(join(ROOT, path))), before);
  return { answer: new TextDecoder().decode(stdout), ms };
}

function plainEnv(): Record<string, string> {
  const { PATH = "", HOME = "" } = Deno.env.toObject();
  return { PATH, HOME, NO_PROXY: "127.0.0.1", NO_COLOR: "1" };
}

/** Patience of the probe and the start of two processes, on a machine that is busy. */
const MOST_MS = 10_000;

Deno.test("tasks: the npm configuration is picked where nothing listens for JSR", async () => {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const { port } = listener.addr;
  listener.close();
  const { answer, ms } = await registryFor(`http://127.0.0.1:${port}/`);
  assertEquals(answer, "tools/npm/deno.json");
  assert(ms < MOST_MS, `${ms} ms`);
});

Deno.test("tasks: the npm configuration is picked where JSR accepts and never answers", async () => {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const accepted: Deno.Conn[] = [];
  const accepting = (async () => {
    for await (const connection of listener) accepted.push(connection);
  })();
  const { answer, ms } = await registryFor(`http://127.0.0.1:${listener.addr.port}/`);
  listener.close();
  await accepting;
  for (const connection of accepted) connection.close();
  assertEquals(answer, "tools/npm/deno.json");
  assert(accepted.length > 0, "it was asked");
  assert(ms > 2500 && ms < MOST_MS, `${ms} ms`);
});

Deno.test("tasks: the JSR configuration is picked where JSR answers", async () => {
  const asked: string[] = [];
  const files = await registryFiles();
  const server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen() {} },
    (request) => {
      const { pathname } = new URL(request.url);
      asked.push(pathname);
      const body = files[pathname];
      return body === undefined ? new Response(null, { status: 404 }) : new Response(body);
    },
  );
  const { answer } = await registryFor(`http://127.0.0.1:${server.addr.port}/`);
  await server.shutdown();
  assertEquals(answer, "deno.json", asked.join());
  assert(asked.includes("/@std/internal/1.0.14_meta.json"), asked.join());
});

/** What a JSR answers for the one module that the probe asks for. */
async function registryFiles(): Promise<Record<string, string>> {
  const module = "export const os = 1;\n";
  const bytes = new TextEncoder().encode(module);
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)).toHex();
  return {
    "/@std/internal/meta.json": JSON.stringify({
      scope: "std",
      name: "internal",
      versions: { "1.0.14": {} },
    }),
    "/@std/internal/1.0.14_meta.json": JSON.stringify({
      manifest: { "/os.ts": { size: bytes.length, checksum: `sha256-${digest}` } },
      exports: { "./os": "./os.ts" },
    }),
    "/@std/internal/1.0.14/os.ts": module,
  };
}

/** `deno task skein` in a folder that is not the checkout. */
async function taskSkein(
  cwd: string,
  ...args: string[]
): Promise<{ code: number; stdout: string; stderr: string }> {
  const config = CONFIG.slice(ROOT.length).replace(/^\//, "");
  // A task inside a task keeps the outer one's folder: these tests are a task themselves.
  const { INIT_CWD: _, ...env } = Deno.env.toObject();
  const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["task", "-q", "--config", join(ROOT, "deno.json"), "skein", ...args],
    env: { ...env, SKEIN_CONFIG: config, NO_COLOR: "1" },
    clearEnv: true,
    cwd,
  }).output();
  const decoder = new TextDecoder();
  return { code, stdout: decoder.decode(stdout), stderr: decoder.decode(stderr) };
}

Deno.test("tasks: `deno task skein` passes every word on as it was given, in the caller's folder", async () => {
  using folder = temporaryFolder();
  const before = LOCKS.map((path) => Deno.readTextFileSync(join(ROOT, path)));
  Deno.writeTextFileSync(`${folder.path}/a.txt`, "");
  for (
    const [index, word] of ['it\'s "all" of  it * $HOME `id` \\ ; & | >', "--help", "*"]
      .entries()
  ) {
    const state = `state ${index}`;
    // The flag's own text: `--reason=--help` is no flag.
    const { code, stderr } = await taskSkein(
      folder.path,
      "stop",
      "--no-wait",
      "--state",
      state,
      `--reason=${word}`,
    );
    assertEquals(code, 0, stderr);
    const { reason } = JSON.parse(Deno.readTextFileSync(`${folder.path}/${state}/STOP`));
    assertEquals(reason, word);
  }
  assertEquals(LOCKS.map((path) => Deno.readTextFileSync(join(ROOT, path))), before);
});

Deno.test("tasks: `deno task skein` passes an empty word and `--help` on", async () => {
  using folder = temporaryFolder();
  const empty = await taskSkein(folder.path, "");
  assertEquals(empty.code, 2);
  assertStringIncludes(empty.stderr, 'Command "" is unknown');
  const help = await taskSkein(folder.path, "stop", "--help");
  assertEquals(help.code, 0);
  assertStringIncludes(help.stdout, "skein stop");
});

Deno.test("tasks: `deno task skein` exits with the code of the command line", async () => {
  using folder = temporaryFolder();
  const manifest = (argv: string[]) =>
    JSON.stringify({
      version: 1,
      blocks: { only: { argv } },
      tasks: [{ id: "a", block: "only" }],
    });
  Deno.writeTextFileSync(`${folder.path}/it fails.json`, manifest(["false"]));
  const codeOf = async (...args: string[]) => (await taskSkein(folder.path, ...args)).code;
  assertEquals(await codeOf("validate", "nowhere.json"), 1);
  assertEquals(await codeOf("--nonsense"), 2);
  assertEquals(await codeOf("run", "it fails.json"), 3);
  assertEquals(await codeOf("stop"), 0);
  assertEquals(await codeOf("run", "it fails.json"), 4);
});
