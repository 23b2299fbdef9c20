import * as z from "zod/mini";
import { MANIFEST_LIMITS as LIMITS } from "../model/mod.ts";
import { INPUT_SOURCES, type ManifestInput } from "./input.ts";

/** What the JSON Schema says about a key beside its type and range. */
interface Note {
  readonly title: string;
  readonly description: string;
  readonly default?: unknown;
  readonly [keyword: string]: unknown;
}

/** The titles and descriptions of the keys, by schema. */
const notes: z.core.$ZodRegistry<Note> = z.registry<Note>();

// With the u flag a surrogate in a class is a lone one only, so this refuses NUL and what is no well-formed text.
const UNFIT = String.raw`\u0000\uD800-\uDFFF`;
// The messages say what is needed: the diagnostics put "Expected …, found …" around them.
const text = () => matching(`^[^${UNFIT}]*$`, "text without NUL characters");
const filled = () => matching(`^[^${UNFIT}]+$`, "text that is not empty");
const program = matching(String.raw`^(?=\s*\S)[^${UNFIT}]+$`, "a program that is not blank");
const entries = () => z.array(entry);
const entry = matching(
  `^[^=${UNFIT}]+=[^${UNFIT}]*$`,
  "an entry NAME=value with a name that is not empty",
);
const inherited = matching(
  String.raw`^(?=\s*[^\s*])[^=*${UNFIT}]+\*?$`,
  "a variable's name, or the beginning of names and one * at the end",
);
/** Standard input is bytes: a NUL can be passed, half a surrogate pair cannot. */
const input = matching(String.raw`^[^\uD800-\uDFFF]*$`, "well-formed text");

/** Inherits every variable. */
const ALL = true;

/** A block, before the defaults are filled in. */
export const blockShape = z.strictObject({
  argv: note(z.tuple([program], text()), {
    title: "Command",
    description: "The program and its arguments; no shell reads them",
  }),
  passes: note(z._default(whole(1, LIMITS.maxPasses.most), 1), {
    title: "Passes",
    description:
      "Executions of the command, one after another; the output of one is the input of the next; at most limits.maxPasses",
  }),
  timeoutMs: note(z._default(whole(1, LIMITS.timeoutMs.most), LIMITS.timeoutMs.default), {
    title: "Timeout",
    description: "Bound of one attempt of one pass, in milliseconds",
  }),
  env: note(z._default(entries(), []), {
    title: "Environment",
    description: "Entries NAME=value, added to the manifest's",
  }),
  cwd: note(z._default(filled(), "."), {
    title: "Folder",
    description: "The command's working folder, relative to the manifest's folder",
  }),
  retry: note(
    z.prefault(
      z.strictObject({
        maxAttempts: note(
          z._default(whole(1, LIMITS.maxAttempts.most), LIMITS.maxAttempts.default),
          { title: "Attempts", description: "Attempts of one pass in all" },
        ),
        backoffMs: note(z._default(whole(0, LIMITS.backoffMs.most), LIMITS.backoffMs.default), {
          title: "First wait",
          description:
            "The first wait's upper bound, in milliseconds; it doubles with every attempt",
        }),
        maxBackoffMs: note(
          z._default(whole(0, LIMITS.maxBackoffMs.most), LIMITS.maxBackoffMs.default),
          { title: "Longest wait", description: "The upper bound of every wait, in milliseconds" },
        ),
      }),
      {},
    ),
    {
      title: "Retry",
      description:
        "How a pass is tried again after a non-zero exit, a signal or a timeout: after a wait that is uniform in [0, min(maxBackoffMs, backoffMs·2^(n−1))]",
    },
  ),
});

const taskShape = note(
  z.strictObject({
    id: note(filled(), { title: "Id", description: "The task's name, unique in the manifest" }),
    block: note(z.string(), { title: "Block", description: "The name of the block that it runs" }),
    args: note(z._default(z.array(text()), []), {
      title: "Arguments",
      description: "Arguments after the block's own",
    }),
    needs: note(z._default(z.array(z.string()), []), {
      title: "Needs",
      description: "Tasks that must have succeeded before this one starts",
      uniqueItems: true,
    }),
    stdin: note(z.optional(input), {
      title: "Input text",
      description: "Text that the first pass reads",
    }),
    stdinFile: note(z.optional(filled()), {
      title: "Input file",
      description: "The file that the first pass reads, relative to the manifest's folder",
    }),
    stdinFrom: note(z.optional(z.string()), {
      title: "Input task",
      description: "The task in needs whose published output the first pass reads",
    }),
    passes: note(z.optional(whole(1, LIMITS.maxPasses.most)), {
      title: "Passes",
      description: "Overrides the block's passes",
    }),
    timeoutMs: note(z.optional(whole(1, LIMITS.timeoutMs.most)), {
      title: "Timeout",
      description: "Overrides the block's timeout, in milliseconds",
    }),
    env: note(z._default(entries(), []), {
      title: "Environment",
      description: "Entries NAME=value, added to the block's",
    }),
  }),
  {
    title: "Task",
    description: "A node of the graph; its first pass reads at most one input source",
    not: { anyOf: pairs(INPUT_SOURCES).map((required) => ({ required })) },
  },
);

/** A bound of a run: 0 stands for the default. */
function limit(range: { readonly default: number; readonly most: number }, about: Note) {
  return note(z._default(whole(0, range.most), range.default), about);
}

/** The whole manifest, before the defaults that depend on something else are filled in. */
export const manifestShape = note(
  z.strictObject({
    $schema: note(z.optional(z.string()), {
      title: "Schema",
      description: "The address of this schema, for editors; it is not read",
    }),
    version: note(z.literal(1), { title: "Version", description: "The format's version" }),
    name: note(z._default(filled(), "swarm"), {
      title: "Name",
      description: "What the run is called",
    }),
    workers: note(z._default(whole(0, LIMITS.maxWorkers), 0), {
      title: "Workers",
      description: "Tasks that run at the same time; 0: the machine's logical processors",
    }),
    limits: note(
      z.prefault(
        z.strictObject({
          maxPasses: limit(LIMITS.maxPasses, {
            title: "Most passes",
            description: "Most passes that a block or task may ask for; 0: the default",
          }),
          maxOutputBytes: limit(LIMITS.maxOutputBytes, {
            title: "Most output",
            description:
              "Most bytes that one attempt may write to its standard output and error together; 0: the default",
          }),
          runTimeoutMs: limit(LIMITS.runTimeoutMs, {
            title: "Run timeout",
            description: "Bound of the whole run, in milliseconds; 0: the default",
          }),
        }),
        {},
      ),
      { title: "Limits", description: "The bounds of a run" },
    ),
    env: note(z._default(entries(), []), {
      title: "Environment",
      description: "Entries NAME=value for every process",
    }),
    inheritEnv: note(z._default(z.union([z.literal(ALL), z.array(inherited)]), []), {
      title: "Inherited environment",
      description:
        "Variables of the executing process that every process sees beside those that a program needs to start: names, PREFIX_* for all that begin so, or true for all",
    }),
    blocks: note(
      z.record(
        filled(),
        note(blockShape, { title: "Block", description: "A reusable command" }),
      ),
      { title: "Blocks", description: "The commands by name" },
    ),
    tasks: note(z.array(taskShape).check(z.minLength(1)), {
      title: "Tasks",
      description: "The nodes of the graph; of several that are ready the first starts first",
    }),
  }),
  {
    title: "Skein manifest",
    description: "An explicit graph of tasks that Skein executes with bounded concurrency",
  },
);

/** A manifest whose structure is right. */
export type ManifestShape = z.output<typeof manifestShape>;
/** A block whose structure is right. */
export type BlockShape = z.output<typeof blockShape>;

type ReadonlyDeep<T> = T extends readonly unknown[] | object
  ? { readonly [K in keyof T]: ReadonlyDeep<T[K]> }
  : T;
type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends (<T>() => T extends B ? 1 : 2) ? true
  : false;
// The hand-written interface and the definition cannot drift: this line stops compiling when they do.
const _same: Same<ReadonlyDeep<z.input<typeof manifestShape>>, ReadonlyDeep<ManifestInput>> = true;

let generated: Record<string, unknown> | undefined;

/**
 * The JSON Schema (draft 7) of a manifest, generated from the definition that the decoder uses. What only the
 * whole document shows, such as unknown names and cycles, is beyond a schema.
 */
export function manifestSchema(): Record<string, unknown> {
  generated ??= z.toJSONSchema(manifestShape, { target: "draft-7", io: "input", metadata: notes });
  return structuredClone(generated);
}

function matching(pattern: string, needed: string) {
  return z.string().check(z.regex(new RegExp(pattern, "u"), needed));
}

function whole(least: number, most: number) {
  return z.int().check(z.gte(least), z.lte(most));
}

function note<S extends z.core.$ZodType>(schema: S, about: Note): S {
  notes.add(schema, about);
  return schema;
}

function pairs<T>(values: readonly T[]): [T, T][] {
  return values.flatMap((a, i) => values.slice(i + 1).map((b): [T, T] => [a, b]));
}
