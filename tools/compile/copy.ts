/**
 * A copy of what is compiled, in which nothing depends on when and where it was made: the sources, the configuration
 * and the packages, all of the same age, because the runtime embeds the age of each file.
 *
 * @module
 */
import { dirname, fromFileUrl, join, relative } from "@std/path";
import type { Compiler } from "./compiler.ts";

/** The checkout. */
export const ROOT: string = fromFileUrl(new URL("../..", import.meta.url));

/** What the program is made of, in the checkout. */
const SOURCES = ["main.ts", "src", "deno.json", "deno.lock", "tools/npm"];
/** How old everything that is copied is said to be. */
const AGE = new Date("2020-01-01T00:00:00Z");
/** What of a package is part of the program: its modules, and what names them. */
const PART = /\.js$|^package\.json$/;
/** What goes with it all the same. */
const LICENCE = /^licen[cs]e/i;
/** What of the user's cache is only named in the copy's: downloads, whose age is not embedded. */
const NAMED = ["dl", "remote"];

/** A copy that can be compiled. */
export interface Copy {
  /** The checkout's copy. */
  readonly root: string;
  /** Its configuration. */
  readonly config: string;
  /** Variables for the compiler. */
  readonly env: Readonly<Record<string, string>>;
}

/**
 * Copies the checkout into a folder of its own.
 *
 * @param config the configuration of the checkout whose registry answers.
 * @throws what the compiler says where it cannot get the packages.
 */
export async function copyCheckout(
  folder: string,
  config: string,
  compiler: Compiler,
): Promise<Copy> {
  const root = join(folder, "skein");
  for (const path of SOURCES) copy(join(ROOT, path), join(root, path));
  const own = join(root, relative(ROOT, config));
  const cache = join(folder, "cache");
  await fillCache(cache, own, join(root, "main.ts"), compiler);
  giveAge(root);
  giveAge(join(cache, "npm"));
  return { root, config: own, env: { ...compiler.env, DENO_DIR: cache } };
}

/** Makes a cache with the packages that the lock file names and nothing else. */
async function fillCache(
  cache: string,
  config: string,
  entry: string,
  { deno }: Compiler,
): Promise<void> {
  await output(deno, "cache", "-q", "--config", config, entry);
  const info = JSON.parse(await output(deno, "info", "--json", "--no-config"));
  Deno.mkdirSync(join(cache, "npm"), { recursive: true });
  for (const name of NAMED.filter((each) => exists(join(info.denoDir, each)))) {
    nameFolder(join(info.denoDir, name), join(cache, name));
  }
  const { npm = {} } = JSON.parse(Deno.readTextFileSync(join(dirname(config), "deno.lock")));
  for (const { name: registry } of Deno.readDirSync(info.npmCache)) {
    for (const key of Object.keys(npm)) {
      const [, name = "", version = ""] = /^(.+)@([^@_]+)/.exec(key) ?? [];
      const place = join(registry, name, version);
      if (exists(join(info.npmCache, place))) {
        copyPackage(join(info.npmCache, place), join(cache, "npm", place));
      }
    }
  }
}

async function output(program: string, ...args: string[]): Promise<string> {
  const { success, stdout, stderr } = await new Deno.Command(program, {
    args,
    stdin: "null",
  }).output();
  const decoder = new TextDecoder();
  if (!success) throw new Error(decoder.decode(stderr).trim());
  return decoder.decode(stdout);
}

/** Without the right to make links (Windows) the folder is copied. */
function nameFolder(from: string, to: string): void {
  try {
    Deno.symlinkSync(from, to, { type: "dir" });
  } catch (error) {
    if (error instanceof Deno.errors.AlreadyExists) throw error;
    copy(from, to);
  }
}

/** Copies a file, or a folder with all that is in it. */
export function copy(from: string, to: string): void {
  Deno.mkdirSync(dirname(to), { recursive: true });
  if (!Deno.statSync(from).isDirectory) return Deno.copyFileSync(from, to);
  Deno.mkdirSync(to, { recursive: true });
  for (const { name } of Deno.readDirSync(from)) copy(join(from, name), join(to, name));
}

/** Copies what of a package is part of the program. A licence becomes JSON: the compiler would read it as a module. */
function copyPackage(from: string, to: string): void {
  Deno.mkdirSync(to, { recursive: true });
  for (const { name, isDirectory } of Deno.readDirSync(from)) {
    const [source, target] = [join(from, name), join(to, name)];
    if (isDirectory) copyPackage(source, target);
    else if (PART.test(name)) Deno.copyFileSync(source, target);
    else if (LICENCE.test(name)) {
      Deno.writeTextFileSync(`${target}.json`, JSON.stringify(Deno.readTextFileSync(source)));
    }
  }
}

function giveAge(place: string): void {
  if (Deno.statSync(place).isDirectory) {
    for (const { name } of Deno.readDirSync(place)) giveAge(join(place, name));
  }
  Deno.utimeSync(place, AGE, AGE);
}

function exists(path: string): boolean {
  try {
    Deno.lstatSync(path);
    return true;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}
