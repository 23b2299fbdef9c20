/** Calls back with the path of a new folder, and removes it afterwards. */
export async function withFolder(use: (folder: string) => Promise<void> | void): Promise<void> {
  const folder = await Deno.makeTempDir();
  try {
    await use(folder);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

/** The names in a folder, sorted. */
export function namesIn(folder: string): string[] {
  return Array.from(Deno.readDirSync(folder), (entry) => entry.name).sort();
}

/** Starts a module of the tests in a process of its own; the caller ends it. */
export function startModule(config: string, module: string, args: string[]): Deno.ChildProcess {
  const words = ["run", "-A", "-q", "--no-prompt", "--config", config];
  return new Deno.Command(Deno.execPath(), {
    args: [...words, new URL(module, import.meta.url).href, ...args],
    stdin: "piped",
    stdout: "piped",
  }).spawn();
}

/** Waits for the first output of a process. */
export async function firstOutput(child: Deno.ChildProcess): Promise<string> {
  const reader = child.stdout.getReader();
  const { value } = await reader.read();
  reader.releaseLock();
  return new TextDecoder().decode(value);
}
