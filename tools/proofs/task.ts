/**
 * What the tasks of the functional proof do: they leave a trace of every process that was started, and say or beat.
 * Needs nothing but the runtime, on every system.
 *
 * @module
 */

/** Milliseconds between two beats. */
export const BEAT_MS = 20;

/** The file in the proof's folder without which its hearts end. */
export const LIVE = "live";

/** What a process of the proof says of itself when it starts. */
export interface Trace {
  /** Its process. */
  readonly pid: number;
  /** What tells it from one that gets its number later; empty where the system does not say. */
  readonly startTime: string;
  /** The task that it is of, with the pass. */
  readonly task: string;
  /** The epoch that its environment names. */
  readonly epoch: string;
}

/** What `/proc` says when a living process started; `null` without one, empty where there is no `/proc`. */
export function startTimeOf(pid: number): string | null {
  if (Deno.build.os !== "linux") return "";
  try {
    const text = Deno.readTextFileSync(`/proc/${pid}/stat`);
    const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
    return fields[0] === "Z" || fields[0] === "X" ? null : fields[19] ?? null;
  } catch {
    return null;
  }
}

/**
 * The words of a task. It says something after its input, or beats until it is killed or told to end, with a child of
 * its own whose heart beats too.
 */
export function taskArgv(role: "say" | "beat" | "heart", folder: string, name: string): string[] {
  const runtime = [Deno.execPath(), "run", "-A", "-q", "--no-config", "--no-lock"];
  return [...runtime, import.meta.url, role, folder, name];
}

async function main([role = "", folder = "", name = ""]: readonly string[]): Promise<void> {
  const env = (variable: string) => Deno.env.get(variable) ?? "";
  const pass = env("SKEIN_PASS");
  const trace: Trace = {
    pid: Deno.pid,
    startTime: startTimeOf(Deno.pid) ?? "",
    task: `${env("SKEIN_TASK_ID")}.${pass}`,
    epoch: env("SKEIN_EPOCH"),
  };
  // Before anything else, so that whoever counts the dead knows of it.
  Deno.writeTextFileSync(`${folder}/traces/${crypto.randomUUID()}`, JSON.stringify(trace));
  if (role === "say") {
    const input = await new Response(Deno.stdin.readable).text();
    await new Blob([`${input}${name}.${pass}\n`]).stream().pipeTo(Deno.stdout.writable);
    return;
  }
  if (role === "beat") {
    const [program = "", ...args] = taskArgv("heart", folder, `${name}-child`);
    new Deno.Command(program, { args, stdin: "null", stdout: "null", stderr: "null" }).spawn();
  }
  for (let count = 1; exists(`${folder}/${LIVE}`); count++) {
    Deno.writeTextFileSync(`${folder}/beats/${name}`, String(count));
    await new Promise((resolve) => setTimeout(resolve, BEAT_MS));
  }
}

function exists(path: string): boolean {
  try {
    return Deno.statSync(path).isFile;
  } catch {
    return false;
  }
}

if (import.meta.main) await main(Deno.args);
