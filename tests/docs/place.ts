/**
 * Where command lines of the documentation are executed: a folder of their own, with this checkout's `skein`, `deno` and
 * `npx` before everything else on the path.
 *
 * @module
 */
import { join } from "@std/path";
import { cleanEnv, CONFIG, type Result, ROOT } from "../support/cli.ts";

/** A command line and what it came to. */
export interface Ended {
  /** Its text, as it was executed. */
  readonly text: string;
  /** Its exit code, `null` where the shell did not come to it. */
  readonly code: number | null;
}

/** What the command lines of a section came to. */
export interface Executed {
  /** Each command line. */
  readonly commands: readonly Ended[];
  /** What all of them wrote, to standard output and error. */
  readonly output: string;
}

/** Programs of the reader that pages name without providing them. */
const STAND_INS: Readonly<Record<string, string>> = {
  generate: "cat nightly.json",
  dot: "cat",
};
const LONGEST_MS = 60_000;
const CODES = "codes";

/** Where the runtime keeps what it has fetched. */
const CACHE: string = JSON.parse(
  new TextDecoder().decode(
    new Deno.Command(Deno.execPath(), { args: ["info", "--json"] }).outputSync().stdout,
  ),
).denoDir;

/** A script that starts a command line and asks it to end as soon as it has written something. */
function untilItSpeaks(text: string): string {
  return [
    `(exec ${text}) > said 2>&1 &`,
    "until [ -s said ]; do sleep 0.1; done",
    "kill -TERM $!",
    "wait $!",
  ].join("\n");
}

/** A folder in which command lines are executed, removed at the end of a `using` block. */
export class Place implements AsyncDisposable {
  /** The folder. */
  readonly folder: string = Deno.realPathSync(Deno.makeTempDirSync({ prefix: "skein-docs-" }));
  readonly #bin: string = Deno.realPathSync(Deno.makeTempDirSync({ prefix: "skein-docs-bin-" }));
  /** Variables beside those of the tests. */
  readonly env: Record<string, string> = {};
  readonly #work: AsyncDisposable[] = [];

  /** Makes the folder. */
  constructor() {
    const deno = `"${Deno.execPath()}"`;
    const flags = `-A -q --no-prompt --config "${CONFIG}"`;
    this.#program("skein", `exec ${deno} run ${flags} "${join(ROOT, "main.ts")}" "$@"`);
    this.#program("deno", `exec ${deno} "$@"`);
    // `npx -y deno@2.9.6 WORDS`
    this.#program("npx", `shift 2; exec ${deno} "$@"`);
    for (const [name, script] of Object.entries(STAND_INS)) this.#program(name, script);
  }

  /** A path in the folder. */
  path(...parts: string[]): string {
    return join(this.folder, ...parts);
  }

  /** Writes a file in the folder. */
  write(name: string, text: string): void {
    Deno.writeTextFileSync(this.path(name), text);
  }

  /** Has something ended with the folder. */
  defer(work: AsyncDisposable): void {
    this.#work.push(work);
  }

  /** Runs a command of Skein, to get something ready. */
  async skein(...args: string[]): Promise<Result> {
    return await this.#run(join(this.#bin, "skein"), args, this.folder);
  }

  /** Starts a command of Skein that is ended with the folder. */
  start(...args: string[]): Deno.ChildProcess {
    const child = this.#command(join(this.#bin, "skein"), args, this.folder).spawn();
    const ended = child.output();
    this.defer({
      async [Symbol.asyncDispose]() {
        for (const signal of ["SIGTERM", "SIGINT"] as const) {
          try {
            child.kill(signal);
          } catch {
            // It has ended.
          }
        }
        await ended;
      },
    });
    return child;
  }

  /**
   * Executes command lines one after another in one shell. Those in `endless` are asked to end once they have said
   * something.
   */
  async execute(
    commands: readonly string[],
    { cwd = this.folder, endless = [] }: { cwd?: string; endless?: readonly string[] } = {},
  ): Promise<Executed> {
    const codes = join(this.#bin, CODES);
    const lines = commands.flatMap((text, index) => {
      const line = endless.includes(text) ? untilItSpeaks(text) : text;
      return [line, `echo "${index} $?" >> "${codes}"`];
    });
    const script = join(this.#bin, "script.sh");
    Deno.writeTextFileSync(script, [...lines, "wait", ""].join("\n"));
    Deno.writeTextFileSync(codes, "");
    const { stdout, stderr } = await this.#run("sh", [script], cwd);
    const found = new Map(
      Deno.readTextFileSync(codes).trim().split("\n").map((line) => {
        const [index, code] = line.split(" ");
        return [Number(index), Number(code)];
      }),
    );
    return {
      commands: commands.map((text, index) => ({ text, code: found.get(index) ?? null })),
      output: stdout + stderr,
    };
  }

  /** Ends what was started, and removes the folder. */
  async [Symbol.asyncDispose](): Promise<void> {
    for (const work of this.#work.reverse()) await work[Symbol.asyncDispose]();
    Deno.removeSync(this.folder, { recursive: true });
    Deno.removeSync(this.#bin, { recursive: true });
  }

  #program(name: string, script: string): void {
    Deno.writeTextFileSync(join(this.#bin, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  }

  async #run(program: string, args: readonly string[], cwd: string): Promise<Result> {
    const { code, stdout, stderr } = await this.#command(program, args, cwd).output();
    const decoder = new TextDecoder();
    return { code, stdout: decoder.decode(stdout), stderr: decoder.decode(stderr) };
  }

  #command(program: string, args: readonly string[], cwd: string): Deno.Command {
    const env = cleanEnv();
    return new Deno.Command(program, {
      args: [...args],
      cwd,
      env: {
        ...env,
        PATH: `${this.#bin}:${env["PATH"] ?? ""}`,
        // What a page writes into its reader's home stays here; what the runtime has fetched is where it was.
        HOME: this.folder,
        DENO_DIR: CACHE,
        NO_COLOR: "1",
        SKEIN_CONFIG: CONFIG.slice(ROOT.length).replace(/^\//, ""),
        // In the checkout nothing is left behind.
        ...this.env,
        ...cwd === this.folder ? {} : { SKEIN_STATE: this.path(".skein") },
      },
      clearEnv: true,
      stdin: "null",
      stdout: "piped",
      stderr: "piped",
      signal: AbortSignal.timeout(LONGEST_MS),
    });
  }
}
