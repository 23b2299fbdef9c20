/** How often, and after which waits, a failed pass is tried again: as it is written. */
export interface RetryInput {
  /** Attempts of one pass in all, from 1. */
  readonly maxAttempts?: number | undefined;
  /** The first wait's upper bound, in milliseconds. */
  readonly backoffMs?: number | undefined;
  /** The upper bound of every wait, in milliseconds. */
  readonly maxBackoffMs?: number | undefined;
}

/** A reusable command, as it is written. */
export interface BlockInput {
  /** The program and its arguments; no shell reads them. */
  readonly argv: readonly [string, ...string[]];
  /** Executions of the command, one after another. */
  readonly passes?: number | undefined;
  /** Bound of one attempt of one pass, in milliseconds. */
  readonly timeoutMs?: number | undefined;
  /** Entries `NAME=value`, added to the manifest's. */
  readonly env?: readonly string[] | undefined;
  /** The command's folder, relative to the manifest's. */
  readonly cwd?: string | undefined;
  /** How a failed pass is tried again. */
  readonly retry?: RetryInput | undefined;
}

/** A node of the graph, as it is written. */
export interface TaskInput {
  /** The task's name, unique in the manifest. */
  readonly id: string;
  /** The name of the block that it runs. */
  readonly block: string;
  /** Arguments after the block's own. */
  readonly args?: readonly string[] | undefined;
  /** Tasks that must have succeeded before this one starts. */
  readonly needs?: readonly string[] | undefined;
  /** Text that the first pass reads. */
  readonly stdin?: string | undefined;
  /** The file that the first pass reads, relative to the manifest's folder. */
  readonly stdinFile?: string | undefined;
  /** The task in `needs` whose published output the first pass reads. */
  readonly stdinFrom?: string | undefined;
  /** Overrides the block's passes. */
  readonly passes?: number | undefined;
  /** Overrides the block's timeout. */
  readonly timeoutMs?: number | undefined;
  /** Entries `NAME=value`, added to the block's. */
  readonly env?: readonly string[] | undefined;
}

/** The bounds of a run, as they are written: 0 is the default. */
export interface LimitsInput {
  /** Most passes that a task may ask for. */
  readonly maxPasses?: number | undefined;
  /** Most bytes that one attempt may write. */
  readonly maxOutputBytes?: number | undefined;
  /** Bound of the whole run, in milliseconds. */
  readonly runTimeoutMs?: number | undefined;
}

/** A manifest as it is written, before the defaults are filled in. */
export interface ManifestInput {
  /** The address of the JSON Schema, for editors. */
  readonly $schema?: string | undefined;
  /** The format's version. */
  readonly version: 1;
  /** What the run is called. */
  readonly name?: string | undefined;
  /** Tasks that run at the same time; 0: the machine's logical processors. */
  readonly workers?: number | undefined;
  /** The bounds of a run. */
  readonly limits?: LimitsInput | undefined;
  /** Entries `NAME=value` for every process. */
  readonly env?: readonly string[] | undefined;
  /** Inherited variables: names, `PREFIX_*`, or `true` for all. */
  readonly inheritEnv?: true | readonly string[] | undefined;
  /** The commands by name. */
  readonly blocks: Readonly<Record<string, BlockInput>>;
  /** The nodes of the graph. */
  readonly tasks: readonly TaskInput[];
}

/** The keys that name the first pass's input; a task has at most one of them. */
export const INPUT_SOURCES = ["stdin", "stdinFile", "stdinFrom"] as const;
