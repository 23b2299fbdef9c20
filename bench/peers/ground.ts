/**
 * What every section stands on: how Skein is started, what is here, where files go.
 *
 * @module
 */
import { fromFileUrl, resolve } from "@std/path";
import { messageOf } from "../../src/model/error.ts";
import { registryConfig } from "../../tools/registry.ts";
import { type Contender, type Group, medianMs } from "./samples.ts";
import type { Tools } from "./tools.ts";

/** The checkout. */
export const ROOT: string = fromFileUrl(new URL("../../", import.meta.url));

/** The configuration that the checkout can use here. */
export const CONFIG: string = `${ROOT}${await registryConfig()}`;

/** The folder of these files. */
export const HERE: string = fromFileUrl(new URL(".", import.meta.url));

/** The words that start the runtime, as the project starts it. */
export const DENO_RUN: readonly string[] = [Deno.execPath(), "run", "-A", "-q", "--no-prompt"];

/** The words that start the command line of this checkout, as `deno task skein` does. */
export const SKEIN: readonly string[] = [
  ...DENO_RUN,
  "--unstable-lazy-dynamic-imports",
  "--config",
  CONFIG,
  `${ROOT}main.ts`,
];
/** The same without the flag that reads a module only when it is imported. */
export const EAGER: readonly string[] = [...DENO_RUN, "--config", CONFIG, `${ROOT}main.ts`];

/** The compiled command line, where one is given: {@linkcode binaryProblem} says whether it is one. */
export const SKEIN_BIN: string | null = binary(Deno.env.get("SKEIN_BIN"));

/** Every way to start Skein that is measured, with what the tables call it. */
export const SKEINS: readonly {
  readonly label: string;
  readonly argv: readonly string[];
}[] = [
  { label: "", argv: SKEIN },
  ...SKEIN_BIN === null ? [] : [{ label: ", compiled", argv: [SKEIN_BIN] }],
];

/** One run of the benchmarks. */
export class Ground {
  /** Samples of each contender. */
  readonly samples: number;
  /** Whether this only tries whether everything works: sizes are a fraction. */
  readonly small: boolean;
  /** What is here. */
  readonly tools: Tools;
  readonly #folder: string;
  #made = 0;

  /** Makes one whose files are in a folder. */
  constructor(folder: string, tools: Tools, options: { samples: number; small: boolean }) {
    this.#folder = folder;
    this.tools = tools;
    this.samples = options.samples;
    this.small = options.small;
  }

  /** A new, empty folder. Nothing is removed before the end: after many removals a file system is slow for a while. */
  freshFolder(): string {
    const path = `${this.#folder}/${++this.#made}`;
    Deno.mkdirSync(path);
    return path;
  }
}

/** What a section found. */
export interface Findings {
  /** Markdown, under the section's heading. */
  readonly text: string;
  /** What was timed together. */
  readonly groups: readonly Group[];
  /** Further numbers for the goals. */
  readonly numbers?: Readonly<Record<string, number>>;
}

/** A section of the document. */
export interface Section {
  /** What `--only` calls it. */
  readonly name: string;
  /** Its heading. */
  readonly title: string;
  /** Takes its samples. */
  measure(ground: Ground): Promise<Findings>;
}

/** Everything that was found, for the goals to ask. */
export class Evidence {
  readonly #groups = new Map<string, Group>();
  readonly #numbers = new Map<string, number>();

  /** Adds what a section found. */
  add({ groups, numbers = {} }: Findings): void {
    for (const group of groups) this.#groups.set(group.id, group);
    for (const [name, value] of Object.entries(numbers)) {
      this.#numbers.set(name, value);
    }
  }

  /** A median in milliseconds. */
  ms(group: string, name: string): number {
    return medianMs(this.#groups.get(group), name) ?? NaN;
  }

  /** A number that a section gave. */
  number(name: string): number {
    return this.#numbers.get(name) ?? NaN;
  }
}

/** A contender that takes part where its program is here. */
export function where(
  program: string | undefined,
  make: (program: string) => Contender,
): Contender[] {
  return program === undefined ? [] : [make(program)];
}

/** Says what happens, to whoever watches. */
export function say(text: string): void {
  Deno.stdout.writeSync(new TextEncoder().encode(`${text}\n`));
}

/** Why a compiled command line cannot be started; `null` where it can, or none is given. */
export function binaryProblem(path: string | null): string | null {
  if (path === null) return null;
  try {
    const { isFile, mode } = Deno.statSync(path);
    if (!isFile) return `SKEIN_BIN is "${path}", which is no file`;
    return ((mode ?? EXECUTABLE) & EXECUTABLE) === 0
      ? `SKEIN_BIN is "${path}", which may not be executed`
      : null;
  } catch (error) {
    return `SKEIN_BIN is "${path}", which cannot be looked at: ${messageOf(error)}`;
  }
}

const EXECUTABLE = 0o111;

/** Commands are started in other folders. */
function binary(path: string | undefined): string | null {
  return path === undefined || path === "" ? null : resolve(path);
}
