/**
 * What `deno task` runs: picks the registry that this checkout can reach, once, and starts the runtime with its
 * configuration.
 *
 * @module
 */
import { registryConfig, VARIABLE } from "./registry.ts";

const root = decodeURIComponent(new URL("..", import.meta.url).pathname).replace(/\/$/, "")
  .replace(/^\/(?=[A-Za-z]:)/, "");
const config = `${root}/${await registryConfig()}`;
Deno.env.set(VARIABLE, config.slice(root.length + 1));

const SOURCES = ["main.ts", "src", "tests", "tools", "examples", "bench"];

const tasks: Record<string, (args: string[]) => Promise<number>> = {
  demo: (args) => {
    const state = Deno.makeTempDirSync({ prefix: "skein-demo-" });
    const run = ["main.ts", "run", "--state", state, "--include-tasks", "examples/fanout.json"];
    return deno("run", "-A", "-q", "--no-prompt", "--config", config, ...run, ...args);
  },
  check: () => deno("check", "-q", "--config", config, ...SOURCES),
  doc: () => deno("doc", "-q", "--lint", ...importMap(), ...entries()),
  "publish:check": () => deno("run", "-A", "-q", "--no-config", "tools/publish_check.ts"),
  test: (args) => deno(...TEST, "--config", config, ...(args.length > 0 ? args : ["tests", "src"])),
  "test:long": (args) => {
    Deno.env.set("SKEIN_TEST_LONG", "1");
    return tasks.test?.(args) ?? Promise.resolve(1);
  },
  bench: (args) =>
    deno(
      ...["bench", "-A", "-q", "--no-prompt", "--v8-flags=--expose-gc", "--config", config],
      ...(args.length > 0 ? args : ["bench"]),
    ),
  "bench:peers": (args) =>
    deno("run", "-A", "-q", "--no-prompt", "--config", config, "bench/peers/main.ts", ...args),
  compile: (args) => tool("tools/compile.ts", args),
  proofs: (args) => tool("tools/proofs/main.ts", args),
  "proofs:here": (args) => tool("tools/proofs/everywhere.ts", args),
  generate: () => deno("test", "-A", "-q", "--config", config, ...GENERATED, "--", "--update"),
  ok: () =>
    inOrder([
      ["format", () => deno("fmt", "-q", "--check")],
      ["lint", () => deno("lint", "-q")],
      ["types", () => run("check", [])],
      ["documentation", () => run("doc", [])],
      ["package", () => run("publish:check", [])],
      ["tests", () => run("test", [])],
    ]),
};
const GENERATED = ["tests/manifest/accepts_test.ts", "tests/golden", "tests/manifest/docs_test.ts"];
const TEST = ["test", "-A", "-q", "--no-prompt", "--doc"];

/** The entries of the package. */
function entries(): string[] {
  const { exports } = JSON.parse(Deno.readTextFileSync(`${root}/deno.json`));
  return Object.values(exports as Record<string, string>);
}

/** The configuration names its import map, which `deno doc` takes as a flag. */
function importMap(): string[] {
  return config.endsWith("tools/npm/deno.json")
    ? ["--import-map", "tools/npm/import_map.json"]
    : [];
}

/** Runs a module of the tools. */
function tool(path: string, args: readonly string[]): Promise<number> {
  return deno("run", "-A", "-q", "--no-prompt", "--config", config, path, ...args);
}

async function deno(...args: string[]): Promise<number> {
  const child = new Deno.Command(Deno.execPath(), { args, cwd: root, stdin: "inherit" }).spawn();
  // A signal of the terminal reaches the child too: this process only waits for what it makes of it.
  const ignore = () => {};
  for (const signal of ["SIGINT"] as const) Deno.addSignalListener(signal, ignore);
  const { code } = await child.status;
  for (const signal of ["SIGINT"] as const) Deno.removeSignalListener(signal, ignore);
  return code;
}

async function inOrder(gates: [string, () => Promise<number>][]): Promise<number> {
  for (const [name, gate] of gates) {
    const started = performance.now();
    const code = await gate();
    const seconds = ((performance.now() - started) / 1000).toFixed(1);
    say(`${code === 0 ? "ok    " : "FAILED"} ${name} (${seconds} s)`);
    if (code !== 0) return code;
  }
  return 0;
}

function say(text: string): void {
  Deno.stderr.writeSync(new TextEncoder().encode(`${text}\n`));
}

async function run(name: string, args: string[]): Promise<number> {
  const task = tasks[name];
  if (task !== undefined) return await task(args);
  say(`Task "${name}" is unknown: it is one of ${Object.keys(tasks).join(", ")}`);
  return 2;
}

const [name = "", ...args] = Deno.args;
Deno.exit(await run(name, args));
