/**
 * Compiles Skein into one file for a system, and reads from that file what it needs.
 *
 * @module
 */
import { join } from "@std/path";
import { anyCompiler, type Compiler, ownCompiler } from "./compiler.ts";
import { copyCheckout } from "./copy.ts";
import { type Difference, differencesOf } from "./differences.ts";
import { compareVersions, glibcNeeded } from "./glibc.ts";
import { fileOf, GLIBC, permissionsOf, type Target, targetNamed } from "./targets.ts";

/** The list of the digests of all binaries in a folder, as `sha256sum --check` reads it. */
export const SUMS = "SHA256SUMS";

const MIB = 1024 * 1024;

/** A binary that was made. */
export interface Binary {
  /** Where it is. */
  readonly path: string;
  /** Its size. */
  readonly bytes: number;
  /** The least glibc that it needs, `null` where it needs none. */
  readonly glibc: string | null;
  /** What has made it. */
  readonly compiler: string;
}

/** How to compile. */
export interface CompileOptions {
  /** The configuration of the checkout whose registry answers. */
  readonly config: string;
  /** What compiles; this Deno by default. */
  readonly compiler?: Compiler;
}

/**
 * Compiles for a system.
 *
 * @param out the folder that the binary is put into.
 * @throws what the compiler says, or where the binary needs a newer glibc than is documented.
 */
export async function compile(
  target: Target,
  out: string,
  { config, compiler = ownCompiler }: CompileOptions,
): Promise<Binary> {
  Deno.mkdirSync(out, { recursive: true });
  // In the same folder: what fails leaves an old binary alone, what succeeds takes its place in one rename.
  const folder = Deno.makeTempDirSync({ dir: Deno.realPathSync(out), prefix: ".compile-" });
  try {
    const copy = await copyCheckout(folder, config, compiler);
    const made = join(folder, fileOf(target));
    const words = [
      ...["compile", "-q", "--no-check", "--no-code-cache", "--config", copy.config],
      ...[...compiler.flags, ...permissionsOf(target), "--target", target, "--output", made],
      join(copy.root, "main.ts"),
    ];
    const { success, stderr } = await new Deno.Command(compiler.deno, {
      args: words,
      cwd: copy.root,
      env: copy.env,
      stdin: "null",
    }).output();
    if (!success) throw new Error(new TextDecoder().decode(stderr).trim());
    const bytes = Deno.readFileSync(made);
    const glibc = target.includes("-linux-") ? glibcNeeded(bytes) : null;
    if (glibc !== null && compareVersions(glibc, GLIBC) > 0) {
      throw new Error(`The binary needs glibc ${glibc} where ${GLIBC} is documented`);
    }
    const path = join(out, fileOf(target));
    Deno.renameSync(made, path);
    return { path, bytes: bytes.length, glibc, compiler: compiler.name };
  } finally {
    Deno.removeSync(folder, { recursive: true });
  }
}

/**
 * Compiles for this machine with whatever can: where Deno's download site does not answer, with an older runtime.
 *
 * @returns the binary, or why there is none.
 */
export async function compileAnywhere(
  out: string,
  config: string,
): Promise<Binary | { readonly missing: string }> {
  const target = ownTarget();
  const compiler = await anyCompiler(target);
  return "missing" in compiler ? compiler : await compile(target, out, { config, compiler });
}

/** A binary for a reader: its size, and what it needs. */
export function describe({ path, bytes, glibc, compiler }: Binary): string {
  const needs = glibc === null ? "" : `, glibc ${glibc} or newer`;
  return `${path}: ${(bytes / MIB).toFixed(1)} MiB (${bytes} bytes), ${compiler}${needs}`;
}

/** Where a program is compiled twice: in folders of different lengths. */
const PLACES = ["first", "second, somewhere else"];

/** Compiles twice, in two places, and says what differs. */
export async function compileTwice(
  target: Target,
  options: CompileOptions,
): Promise<Difference[]> {
  const folder = Deno.makeTempDirSync({ prefix: "skein-twice-" });
  try {
    const made: string[] = [];
    for (const place of PLACES) {
      made.push((await compile(target, join(folder, place), options)).path);
    }
    const [first = "", second = ""] = made;
    return differencesOf(Deno.readFileSync(first), Deno.readFileSync(second));
  } finally {
    Deno.removeSync(folder, { recursive: true });
  }
}

/** Writes the digests of all binaries of a folder beside them. */
export async function writeSums(folder: string): Promise<string> {
  const names = Array.from(Deno.readDirSync(folder), ({ name }) => name)
    .filter((name) => name.startsWith("skein-")).sort();
  const lines: string[] = [];
  for (const name of names) {
    const digest = await crypto.subtle.digest("SHA-256", Deno.readFileSync(join(folder, name)));
    lines.push(`${new Uint8Array(digest).toHex()}  ${name}\n`);
  }
  Deno.writeTextFileSync(join(folder, SUMS), lines.join(""));
  return lines.join("");
}

/** This machine's target. */
export function ownTarget(): Target {
  const target = targetNamed(Deno.build.target);
  if (typeof target !== "string") throw new Error(target.problem);
  return target;
}
