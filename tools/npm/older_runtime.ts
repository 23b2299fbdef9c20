/**
 * An older `deno` with its `denort` from npm, for a machine that Deno's download site does not answer. What it
 * compiles is a real executable to test on this machine, and nothing to release. Prints the folder of the pair:
 * `deno run -A tools/npm/older_runtime.ts`.
 *
 * @module
 */

/** A compiler, and what it puts programs into. */
export interface RuntimePair {
  /** The path of `deno`. */
  readonly deno: string;
  /** The path of `denort`. */
  readonly denort: string;
}

/** The pair, or why there is none. */
export type Prepared = RuntimePair | { readonly missing: string };

/** npm's packages: one is `deno`, the other a program that was made with `deno compile`, which begins with `denort`. */
const PACKAGES = ["@deno/linux-x64-glibc@2.6.8", "@mcp-stress/linux-x64@0.2.1"] as const;
const COMPILED = "package/bin/mcp-stress";
/** What the two files must be, whoever has made them. */
const DIGESTS = {
  deno: "8b254e08be2565f608a06bfde3f62f3aabbf8994712f0078c7a7f24bc8c46676",
  denort: "1b136202dc147212ad0b129de0c10eb5f17060917c9754c7921cd68f764ad2e2",
} as const;
const EXECUTABLE = 0o755;
const LITTLE_ENDIAN = true;

/** Prepares the pair in the user's cache, or finds it there. Both files are compared with their digests each time. */
export async function prepareOlderRuntime(): Promise<Prepared> {
  const { os, arch } = Deno.build;
  if (os !== "linux" || arch !== "x86_64") return { missing: "it is for x86_64 Linux only" };
  const home = Deno.env.get("HOME");
  const cache = Deno.env.get("XDG_CACHE_HOME") ?? (home === undefined ? null : `${home}/.cache`);
  if (cache === null) return { missing: "there is no folder for it: HOME is not set" };
  const folder = `${cache}/skein-older-runtime`;
  const pair = { deno: `${folder}/deno`, denort: `${folder}/denort` };
  if (await isRight(pair)) return pair;
  const work = Deno.makeTempDirSync({ prefix: "skein-older-runtime-" });
  try {
    const made = await fetchPair(work);
    if ("missing" in made) return made;
    if (!await isRight(made)) return { missing: "what npm has is not what was expected" };
    Deno.mkdirSync(folder, { recursive: true });
    for (const name of ["deno", "denort"] as const) {
      // Another process may be here too: each file appears complete.
      const temporary = `${pair[name]}.${Deno.pid}`;
      Deno.copyFileSync(made[name], temporary);
      Deno.chmodSync(temporary, EXECUTABLE);
      Deno.renameSync(temporary, pair[name]);
    }
    return pair;
  } finally {
    Deno.removeSync(work, { recursive: true });
  }
}

async function fetchPair(work: string): Promise<Prepared> {
  const packed = await run(work, "npm", "pack", "--silent", "--fetch-retries=1", ...PACKAGES);
  if (packed.problem !== null) return { missing: `npm does not have it: ${packed.problem}` };
  const archives = packed.text.trim().split("\n");
  for (const [index, archive] of archives.entries()) {
    Deno.mkdirSync(`${work}/${index}`);
    const { problem } = await run(`${work}/${index}`, "tar", "-xzf", `../${archive}`);
    if (problem !== null) return { missing: `it cannot be unpacked: ${problem}` };
  }
  const deno = `${work}/0/package/deno`;
  const denort = `${work}/denort`;
  Deno.writeFileSync(denort, beforeProgram(Deno.readFileSync(`${work}/1/${COMPILED}`)));
  return { deno, denort };
}

/** A compiled executable ends with the number of bytes that were appended to the runtime. */
function beforeProgram(executable: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  const view = new DataView(executable.buffer, executable.byteOffset, executable.byteLength);
  const appended = Number(view.getBigUint64(executable.length - 8, LITTLE_ENDIAN));
  return executable.subarray(0, Math.max(0, executable.length - appended));
}

async function isRight(pair: RuntimePair): Promise<boolean> {
  for (const name of ["deno", "denort"] as const) {
    if (await digestOf(pair[name]) !== DIGESTS[name]) return false;
  }
  return true;
}

async function digestOf(path: string): Promise<string | null> {
  try {
    const digest = await crypto.subtle.digest("SHA-256", Deno.readFileSync(path));
    return new Uint8Array(digest).toHex();
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return null;
    throw error;
  }
}

/** Runs a program; the problem is the first line of what it says, `null` where it ends well. */
async function run(
  cwd: string,
  program: string,
  ...args: string[]
): Promise<{ readonly text: string; readonly problem: string | null }> {
  try {
    const { success, stdout, stderr } = await new Deno.Command(program, {
      args,
      cwd,
      stdin: "null",
    }).output();
    const decoder = new TextDecoder();
    const [first = ""] = decoder.decode(stderr).split("\n");
    return { text: decoder.decode(stdout), problem: success ? null : `${program}: ${first}` };
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
    return { text: "", problem: `there is no program "${program}"` };
  }
}

if (import.meta.main) {
  const prepared = await prepareOlderRuntime();
  const text = "missing" in prepared ? prepared.missing : prepared.deno.replace(/\/deno$/, "");
  const stream = "missing" in prepared ? Deno.stderr : Deno.stdout;
  stream.writeSync(new TextEncoder().encode(`${text}\n`));
  Deno.exitCode = "missing" in prepared ? 1 : 0;
}
