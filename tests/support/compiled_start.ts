/**
 * Starts a compiled Skein that has the permissions of the flags before `--`, with the words behind it: for `SKEIN_START`
 * (see `narrow.ts`), where a binary cannot be told what it may do once it is made. A binary is kept for its flags in the
 * folder that `COMPILED_SKEIN` names.
 *
 * ```sh
 * COMPILED_SKEIN=$(mktemp -d) SKEIN_START='["deno", "run", "-A", "--config", "…/deno.json",
 *   "…/tests/support/compiled_start.ts", "{flags}", "--"]' deno task test tests/e2e/narrow_test.ts
 * ```
 *
 * @module
 */
import { join } from "@std/path";
import { anyCompiler, ownCompiler } from "../../tools/compile/compiler.ts";
import { TARGETS } from "../../tools/compile/targets.ts";
import { CONFIG, ROOT } from "./cli.ts";
import { sha256 } from "./digest.ts";

const split = Deno.args.indexOf("--");
const flags = Deno.args.slice(0, split);
const words = Deno.args.slice(split + 1);

async function compiled(folder: string): Promise<string> {
  const path = join(folder, await sha256(new TextEncoder().encode(flags.join("\0"))));
  if (isFile(path)) return path;
  const target = TARGETS.find((each) => each === Deno.build.target) ?? TARGETS[0];
  const compiler = await anyCompiler(target);
  if ("missing" in compiler) throw new Error(compiler.missing);
  const made = `${path}.${Deno.pid}`;
  // An older runtime locks files through the C library.
  const locks = compiler === ownCompiler || flags.includes("-A") ? [] : ["--allow-ffi"];
  const { success, stderr } = await new Deno.Command(compiler.deno, {
    args: [
      ...["compile", "-q", "--no-check", "--config", CONFIG, "--no-prompt", ...flags, ...locks],
      ...[...compiler.flags, "--output", made, join(ROOT, "main.ts")],
    ],
    cwd: ROOT,
    env: { ...compiler.env },
  }).output();
  if (!success) throw new Error(new TextDecoder().decode(stderr));
  Deno.renameSync(made, path);
  return path;
}

function isFile(path: string): boolean {
  try {
    return Deno.statSync(path).isFile;
  } catch {
    return false;
  }
}

const folder = Deno.env.get("COMPILED_SKEIN");
if (folder === undefined) throw new Error("COMPILED_SKEIN names no folder");
const binary = await compiled(folder);
const child = new Deno.Command(binary, { args: words, stdin: "inherit" }).spawn();
Deno.exit((await child.status).code);
