/**
 * The six systems that Skein is compiled for, and what a binary may do on each.
 *
 * @module
 */

/** The systems that there is a runtime for. */
export const TARGETS = [
  "x86_64-unknown-linux-gnu",
  "aarch64-unknown-linux-gnu",
  "x86_64-apple-darwin",
  "aarch64-apple-darwin",
  "x86_64-pc-windows-msvc",
  "aarch64-pc-windows-msvc",
] as const;

/** A system. */
export type Target = typeof TARGETS[number];

/** The newest glibc that a Linux binary may ask for, as docs/releasing.md says. */
export const GLIBC = "2.27";

/** What the machine tells of itself: its name and user stand in records, `skein doctor` prints the rest. */
export const SYSTEM_FACTS: readonly string[] = ["hostname", "osRelease", "statfs", "uid"];

/**
 * What every binary may do: start the programs of manifests, which can lie anywhere, read, write and hand on the
 * environment. Neither the network nor code that is imported from elsewhere.
 */
const EVERYWHERE: readonly string[] = [
  "--allow-run",
  "--allow-read",
  "--allow-write",
  "--allow-env",
  `--allow-sys=${SYSTEM_FACTS.join(",")}`,
  "--no-prompt",
];

/** Processes are looked for in `/proc` through the C library, which is loaded before anything else is done. */
const ON_LINUX: readonly string[] = ["--allow-ffi"];

/** The flags that say what a binary may do. Nobody is ever asked for more. */
export function permissionsOf(target: Target): readonly string[] {
  return [...EVERYWHERE, ...target.includes("-linux-") ? ON_LINUX : []];
}

/** The name of a binary. */
export function fileOf(target: Target): string {
  return `skein-${target}${target.includes("-windows-") ? ".exe" : ""}`;
}

/** A target by its name, or why there is none. */
export function targetNamed(name: string): Target | { readonly problem: string } {
  const target = TARGETS.find((each) => each === name);
  if (target !== undefined) return target;
  const why = name.includes("musl") ? `: Deno's runtime needs glibc ${GLIBC}, not musl` : "";
  return { problem: `There is no target "${name}"${why}. It is one of ${TARGETS.join(", ")}` };
}
