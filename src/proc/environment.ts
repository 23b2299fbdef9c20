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
