import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import {
  fileOf,
  GLIBC,
  permissionsOf,
  SYSTEM_FACTS,
  targetNamed,
  TARGETS,
} from "../../tools/compile/targets.ts";
import { CONFIG, ROOT } from "../support/cli.ts";

const SOURCES = read(join(ROOT, "src"));

/** The text of every source, by its path. */
function read(folder: string): [path: string, text: string][] {
  return Array.from(Deno.readDirSync(folder)).flatMap(({ name, isDirectory }) => {
    const path = join(folder, name);
    return isDirectory ? read(path) : [[path, Deno.readTextFileSync(path)]];
  });
}

/** What a call in a source needs `--allow-sys` for, by the name of the call. */
const FACTS = ["hostname", "osRelease", "osUptime", "loadavg", "networkInterfaces", "uid", "gid"];

Deno.test("permissionsOf() grants what the machine tells of itself as far as a source asks for it", () => {
  const calls = [...FACTS, "systemMemoryInfo"].map((fact) => [fact, `Deno.${fact}(`] as const);
  // The room on a disk comes from a module of Node's.
  const asked = [...calls, ["statfs", "await statfs("] as const]
    .filter(([, call]) => SOURCES.some(([, text]) => text.includes(call)))
    .map(([fact]) => fact);
  assertEquals(asked.sort(), SYSTEM_FACTS.toSorted());
});

Deno.test("permissionsOf() grants no network and no import, and no source asks for one", () => {
  const connects =
    /\bDeno\.(?:connect|connectTls|listen|listenTls|serve)\(|\bfetch\(|\bWebSocket\b/;
  assertEquals(SOURCES.filter(([, text]) => connects.test(text)).map(([path]) => path), []);
  for (const target of TARGETS) {
    const flags = permissionsOf(target).map((flag) => flag.replace(/=.*/, ""));
    const common = ["--allow-run", "--allow-read", "--allow-write", "--allow-env", "--allow-sys"];
    const linux = target.includes("-linux-") ? ["--allow-ffi"] : [];
    assertEquals(flags, [...common, "--no-prompt", ...linux]);
  }
});

Deno.test("permissionsOf() grants a library where a source loads one: on Linux", () => {
  const loads = SOURCES.filter(([, text]) => text.includes("Deno.dlopen("));
  assert(loads.length > 0);
  for (const [path, text] of loads) assertStringIncludes(text, '"libc.so.6"', path);
});

Deno.test("fileOf() names the binaries as the installers look for them", () => {
  assertEquals(TARGETS.map(fileOf), [
    "skein-x86_64-unknown-linux-gnu",
    "skein-aarch64-unknown-linux-gnu",
    "skein-x86_64-apple-darwin",
    "skein-aarch64-apple-darwin",
    "skein-x86_64-pc-windows-msvc.exe",
    "skein-aarch64-pc-windows-msvc.exe",
  ]);
});

Deno.test("targetNamed() refuses what there is no runtime for", () => {
  assertEquals(targetNamed("aarch64-apple-darwin"), "aarch64-apple-darwin");
  const refused = targetNamed("riscv64gc-unknown-linux-gnu");
  assert(typeof refused !== "string");
  assertStringIncludes(refused.problem, 'There is no target "riscv64gc-unknown-linux-gnu". It is');
});

Deno.test("deno task compile refuses musl and says why", () => {
  const flags = ["-A", "-q", "--no-prompt", "--config", CONFIG];
  const { code, stderr } = new Deno.Command(Deno.execPath(), {
    args: ["run", ...flags, "tools/compile.ts", "--target", "x86_64-unknown-linux-musl"],
    cwd: ROOT,
  }).outputSync();
  assertEquals(code, 2);
  assertStringIncludes(
    new TextDecoder().decode(stderr),
    `"x86_64-unknown-linux-musl": Deno's runtime needs glibc ${GLIBC}, not musl`,
  );
});

Deno.test("docs/releasing.md states the glibc that a binary may need at most", () => {
  const text = Deno.readTextFileSync(join(ROOT, "docs/releasing.md"));
  assertStringIncludes(text, `glibc ${GLIBC} or newer`);
});
