import { SkeinError } from "../model/mod.ts";

/** What every program needs to start, on the systems that have it; `*` stands for any ending. */
export const BASE_VARIABLES: readonly string[] = [
  "PATH",
  "HOME",
  "USER",
  "LOGNAME",
  "SHELL",
  "LANG",
  "LC_*",
  "TERM",
  "TZ",
  "TMPDIR",
  // Windows
  "APPDATA",
  "COMSPEC",
  "HOMEDRIVE",
  "HOMEPATH",
  "LOCALAPPDATA",
  "NUMBER_OF_PROCESSORS",
  "OS",
  "PATHEXT",
  "PROCESSOR_ARCHITECTURE",
  "PROGRAMDATA",
  "PROGRAMFILES",
  "PROGRAMFILES(X86)",
  "SYSTEMDRIVE",
  "SYSTEMROOT",
  "TEMP",
  "TMP",
  "USERDOMAIN",
  "USERNAME",
  "USERPROFILE",
  "WINDIR",
];

/**
 * The variables that a task is granted of those that the orchestrator has: what a program needs to start, and what
 * `inheritEnv` names (`true`: all). Variables named `SKEIN_*` never pass: they are a task's own.
 */
export function grantedEnv(
  inherited: Readonly<Record<string, string>>,
  inheritEnv: true | readonly string[],
): Record<string, string> {
  const granted: Record<string, string> = Object.create(null);
  const admits = inheritEnv === true ? () => true : admitter([...BASE_VARIABLES, ...inheritEnv]);
  for (const [name, value] of Object.entries(inherited)) {
    if (!name.startsWith("SKEIN_") && admits(name)) granted[name] = value;
  }
  return granted;
}

/**
 * The variables of this process that {@linkcode grantedEnv} may be asked for. Where only some may be read, those are:
 * one that every program is granted and that may not be read is left out.
 *
 * @throws {SkeinError} likewise.
 */
export function ownEnv(inheritEnv: true | readonly string[]): Record<string, string> {
  if (mayReadAll()) return Deno.env.toObject();
  checkInherited(inheritEnv);
  const named = inheritEnv === true ? [] : inheritEnv;
  const env: Record<string, string> = Object.create(null);
  for (const name of [...BASE_VARIABLES, ...named].filter(mayRead)) {
    const value = Deno.env.get(name);
    if (value !== undefined) env[name] = value;
  }
  return env;
}

/**
 * Looks whether this process may read what `inheritEnv` names.
 *
 * @throws {SkeinError} `run-refused` for what it may not read, or cannot tell by its beginning.
 */
export function checkInherited(inheritEnv: true | readonly string[]): void {
  if (mayReadAll()) return;
  const named = inheritEnv === true ? ["*"] : inheritEnv;
  const refused = named.filter((name) => !mayRead(name));
  if (refused.length === 0) return;
  const names = refused.map((name) => `"${name}"`).join(", ");
  throw new SkeinError(
    "run-refused",
    `Cannot inherit ${names}: Skein is not permitted to read it`,
    {
      next: "Name each variable in `inheritEnv` and in --allow-env, or allow all of them",
    },
  );
}

function mayReadAll(): boolean {
  const { state, partial } = Deno.permissions.querySync({ name: "env" });
  return state === "granted" && !partial;
}

function mayRead(variable: string): boolean {
  return !variable.endsWith("*") &&
    Deno.permissions.querySync({ name: "env", variable }).state === "granted";
}

/** Adds `NAME=value` entries; a later one wins. */
export function addEntries(env: Record<string, string>, entries: readonly string[]): void {
  for (const entry of entries) {
    const equals = entry.indexOf("=");
    env[entry.slice(0, equals)] = entry.slice(equals + 1);
  }
}

function admitter(patterns: readonly string[]): (name: string) => boolean {
  const exact = new Set(patterns.filter((pattern) => !pattern.endsWith("*")));
  const prefixes = patterns.filter((pattern) => pattern.endsWith("*")).map((p) => p.slice(0, -1));
  return (name) =>
    exact.has(name) ||
    exact.has(name.toUpperCase()) && BASE_VARIABLES.includes(name.toUpperCase()) ||
    prefixes.some((prefix) => name.startsWith(prefix));
}
