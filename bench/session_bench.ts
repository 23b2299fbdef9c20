/**
 * What it costs to give a process a session of its own: `/bin/true`, eight at a time, both streams through pipes (ADR
 * 3). Linux only; what is not installed is left out.
 *
 * @module
 */
const STARTS = 200;
const AT_ONCE = 8;
const HELD_BYTES = 200_000_000;
const TRUE = "/bin/true";
const PIPED = { stdin: "null", stdout: "piped", stderr: "piped" } as const;

type Start = () => Deno.Command;

const STARTS_BY_NAME: readonly (readonly [name: string, program: string, start: Start])[] = [
  ["plain, no session", TRUE, () => command(TRUE, [])],
  ["busybox setsid", "/bin/busybox", () => command("/bin/busybox", ["setsid", TRUE])],
  ["setsid", "/usr/bin/setsid", () => command("/usr/bin/setsid", [TRUE])],
  ["detached", TRUE, detached],
];

for (const [name, program, start] of STARTS_BY_NAME) {
  if (!exists(program)) continue;
  Deno.bench({
    name: `${name} × ${STARTS}`,
    group: "a session",
    baseline: program === TRUE && start !== detached,
    n: 8,
    warmup: 1,
    // An async function: of another the runtime would time the beginning alone.
    async fn() {
      await startAll(start);
    },
  });
}

let held: Uint8Array | null = null;
Deno.bench({
  name: `detached beside ${HELD_BYTES / 1e6} MB × ${STARTS}`,
  group: "a session",
  n: 3,
  warmup: 1,
  async fn() {
    held ??= new Uint8Array(HELD_BYTES).fill(1);
    await startAll(detached);
  },
});

async function startAll(start: Start): Promise<void> {
  let left = STARTS;
  await Promise.all(Array.from({ length: AT_ONCE }, async () => {
    while (left-- > 0) {
      const child = start().spawn();
      await Promise.all([child.status, child.stdout.cancel(), child.stderr.cancel()]);
    }
  }));
}

function detached(): Deno.Command {
  return new Deno.Command(TRUE, { detached: true, ...PIPED });
}

function command(program: string, args: string[]): Deno.Command {
  return new Deno.Command(program, { args, ...PIPED });
}

function exists(path: string): boolean {
  try {
    return Deno.statSync(path).isFile;
  } catch {
    return false;
  }
}
