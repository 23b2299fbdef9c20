/** How often, and after which waits, a failed pass is tried again. */
export interface Retry {
  /** Attempts of one pass in all, from 1. */
  readonly maxAttempts: number;
  /** The first wait's upper bound, in milliseconds; it doubles with every attempt. */
  readonly backoffMs: number;
  /** The upper bound of every wait, in milliseconds. */
  readonly maxBackoffMs: number;
}

/** A reusable command. */
export interface Block {
  /** The program and its arguments; no shell reads them. */
  readonly argv: readonly string[];
  /** Executions of the command, one after another, from 1. */
  readonly passes: number;
  /** Bound of one attempt of one pass, in milliseconds. */
  readonly timeoutMs: number;
  /** Entries `NAME=value`, added to the manifest's. */
  readonly env: readonly string[];
  /** The command's folder, absolute. */
  readonly cwd: string;
  /** How a failed pass is tried again. */
  readonly retry: Retry;
}

/** A node of the graph. */
export interface Task {
  /** The task's name, unique in the manifest. */
  readonly id: string;
  /** The name of the block that it runs. */
  readonly block: string;
  /** Arguments after the block's own. */
  readonly args: readonly string[];
  /** Tasks that must have succeeded before this one starts. */
  readonly needs: readonly string[];
  /** Text that the first pass reads. */
  readonly stdin?: string;
  /** The file that the first pass reads, absolute. */
  readonly stdinFile?: string;
  /** The task in `needs` whose published output the first pass reads. */
  readonly stdinFrom?: string;
  /** Overrides the block's passes. */
  readonly passes?: number;
  /** Overrides the block's timeout. */
  readonly timeoutMs?: number;
  /** Entries `NAME=value`, added to the block's. */
  readonly env: readonly string[];
}

/** The bounds of a run. */
export interface Limits {
  /** Most passes that a task may ask for. */
  readonly maxPasses: number;
  /** Most bytes that one attempt may write to its standard output and error together. */
  readonly maxOutputBytes: number;
  /** Bound of the whole run, in milliseconds. */
  readonly runTimeoutMs: number;
}

/**
 * The canonical manifest: every default filled in, every path absolute. What {@linkcode loadManifest} and
 * {@linkcode validateManifest} return and {@linkcode run} executes.
 */
export interface Manifest {
  /** The format's version. */
  readonly version: 1;
  /** What the run is called. */
  readonly name: string;
  /** Tasks that run at the same time; 0: the machine's logical processors. */
  readonly workers: number;
  /** The bounds of a run. */
  readonly limits: Limits;
  /** Entries `NAME=value` for every process. */
  readonly env: readonly string[];
  /** Inherited variables beside those that a program needs to start: names, `PREFIX_*`, or `true` for all. */
  readonly inheritEnv: true | readonly string[];
  /** The commands by name. */
  readonly blocks: Readonly<Record<string, Block>>;
  /** The nodes of the graph, in the manifest's order. */
  readonly tasks: readonly Task[];
}

/** One problem of a manifest. */
export interface Diagnostic {
  /** A stable name of the kind of problem, such as `unknown-key`. */
  readonly code: string;
  /** What is wrong, with the near name that was probably meant. */
  readonly message: string;
  /** The place in the document, such as `$.tasks[3].needs[0]`. */
  readonly path: string;
  /** Line, from 1; 0 where the document is not a text. */
  readonly line: number;
  /** Column, from 1; 0 where the document is not a text. */
  readonly column: number;
}

/** The ranges and defaults of a manifest's numbers: `docs/manifest.md` tables them. */
export const MANIFEST_LIMITS = {
  maxWorkers: 65_536,
  maxPasses: { default: 1_000, most: 1_000_000 },
  maxOutputBytes: { default: 67_108_864, most: Number.MAX_SAFE_INTEGER },
  runTimeoutMs: { default: 86_400_000, most: 2_147_483_647 },
  timeoutMs: { default: 3_600_000, most: 2_147_483_647 },
  maxAttempts: { default: 1, most: 100 },
  backoffMs: { default: 200, most: 2_147_483_647 },
  maxBackoffMs: { default: 30_000, most: 2_147_483_647 },
} as const;
