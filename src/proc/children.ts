/**
 * The children that this process has started and waits for. What else is its child is an orphan that it has adopted.
 *
 * @module
 */
const started = new Set<number>();

/** Notes a child as soon as it was started, until it has been waited for. */
export function registerChild(child: Deno.ChildProcess): void {
  started.add(child.pid);
  const forget = () => started.delete(child.pid);
  child.status.then(forget, forget);
}

/** Whether a child was started here and has not been waited for. */
export function isRegistered(pid: number): boolean {
  return started.has(pid);
}

/** Runs a short program of the system to its end. */
export async function runTool(program: string, args: readonly string[]): Promise<ToolResult> {
  const child = new Deno.Command(program, {
    args: [...args],
    env: { LC_ALL: "C" },
    stdin: "null",
    stdout: "piped",
    stderr: "null",
  }).spawn();
  registerChild(child);
  const { stdout, success } = await child.output();
  return { pid: child.pid, text: new TextDecoder().decode(stdout), success };
}

/** What a short program came to. */
export interface ToolResult {
  /** The process that it was. */
  readonly pid: number;
  /** What it printed. */
  readonly text: string;
  /** Whether it exited with 0. */
  readonly success: boolean;
}
