/**
 * The programs that are needed: which are here, in which version, and what installs the rest.
 *
 * @module
 */
import { fromFileUrl } from "@std/path";
import { messageOf } from "../../src/model/error.ts";
import { finish } from "./commands.ts";
import { reasonText } from "./tables.ts";

/** The Debian package of each program. */
const PACKAGES = {
  python3: "python3",
  make: "make",
  ninja: "ninja-build",
  xargs: "findutils",
  parallel: "parallel",
  busybox: "busybox-static",
} as const;

/** A program from Debian. */
export type Program = keyof typeof PACKAGES;

/** What was found. */
export interface Tools {
  /** The programs that are here. */
  readonly paths: Partial<Record<Program, string>>;
  /** Names and versions of everything that takes part. */
  readonly versions: readonly (readonly [name: string, version: string])[];
  /** What takes no part, and why. */
  readonly missing: readonly string[];
}

/** The configuration of the packages from npm, and their lock: the product's own knows nothing of them. */
export const PEERS_CONFIG: string = fromFileUrl(new URL("deno.json", import.meta.url));

const FOLDER = fromFileUrl(new URL(".", import.meta.url));
const NAMES = Object.keys(PACKAGES) as Program[];

/** Looks for everything. With `install` what Debian has is installed; npm's packages go to the runtime's own cache. */
export async function findTools(install: boolean): Promise<Tools> {
  if (install) {
    await installPackages(NAMES.filter((name) => find(name) === null));
  }
  const paths: Partial<Record<Program, string>> = {};
  const versions: [string, string][] = [["Deno", `${Deno.version.deno} (V8 ${Deno.version.v8})`]];
  const missing: string[] = [];
  for (const name of NAMES) {
    const path = find(name);
    if (path === null) {
      missing.push(`${name} (Debian's ${PACKAGES[name]}; \`--install\` installs it)`);
    } else {
      paths[name] = path;
      versions.push([name, await versionOf(name, path)]);
    }
  }
  const { imports } = JSON.parse(Deno.readTextFileSync(PEERS_CONFIG));
  for (const [name, target] of Object.entries<string>(imports)) {
    versions.push([name, target.slice(target.lastIndexOf("@") + 1)]);
  }
  const failure = await cachePackages();
  if (failure !== null) missing.push(`npm's packages (${failure})`);
  return { paths, versions, missing };
}

/** Debian's own python3 is compiled with more optimisation than most others: it is the one where both are here. */
function find(name: Program): string | null {
  const folders = (Deno.env.get("PATH") ?? "").split(":");
  for (const folder of name === "python3" ? ["/usr/bin", ...folders] : folders) {
    try {
      if (Deno.statSync(`${folder}/${name}`).isFile) return `${folder}/${name}`;
    } catch {
      // It is not there, and another folder may have it.
    }
  }
  return null;
}

async function versionOf(name: Program, path: string): Promise<string> {
  // Its flags are its applets'.
  const flags = name === "busybox" ? [] : ["--version"];
  const { stdout } = await finish([path, ...flags], { cwd: FOLDER });
  return /\d+(?:\.\d+)+|\d{8}/.exec(stdout)?.[0] ?? "of an unknown version";
}

async function installPackages(programs: readonly Program[]): Promise<void> {
  if (programs.length === 0) return;
  const packages = programs.map((name) => PACKAGES[name]);
  await finish(["apt-get", "update", "-qq"], { cwd: FOLDER });
  await finish(["apt-get", "install", "-qq", "-y", ...packages], { cwd: FOLDER });
}

/** Why npm's packages cannot be had, `null` where they are in the cache. */
async function cachePackages(): Promise<string | null> {
  try {
    await finish([Deno.execPath(), "install", "-q", "--config", PEERS_CONFIG], { cwd: FOLDER });
    return null;
  } catch (error) {
    return reasonText(messageOf(error));
  }
}
