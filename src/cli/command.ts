/** A flag of a command. */
export interface Flag {
  /** What it takes: nothing, a text, or a whole number. */
  readonly type: "boolean" | "text" | "integer";
  /** What stands for its value in the help, such as `DIR`. */
  readonly value?: string;
  /** The only values that it takes. */
  readonly choices?: readonly string[];
  /** What it does. */
  readonly summary: string;
  /** Left out of the help. */
  readonly hidden?: boolean;
  /** Least and most of an integer. */
  readonly range?: readonly [number, number];
}

/** What a command is given. */
export interface Invocation {
  /** The words that are no flags, those after `--` among them. */
  readonly words: readonly string[];
  /** Whether a flag without a value stands. */
  has(flag: string): boolean;
  /** The text of a flag. */
  text(flag: string): string | undefined;
  /** The number of a flag. */
  integer(flag: string): number | undefined;
  /** The state directory. */
  readonly stateDir: string;
}

/** One command of the command line. */
export interface Command {
  /** Its name. */
  readonly name: string;
  /** One line. */
  readonly summary: string;
  /** Its words, such as `<manifest>`. */
  readonly usage: string;
  /** How many words it takes. */
  readonly words: readonly [least: number, most: number];
  /** More about it. */
  readonly description: string;
  /** Its flags, without the common ones. */
  readonly flags: Readonly<Record<string, Flag>>;
  /** Command lines with what they do. */
  readonly examples: readonly (readonly [line: string, what: string])[];
  /** The codes that it exits with. */
  readonly exits: readonly number[];
  /** Runs it and returns its exit code. */
  run(invocation: Invocation): Promise<number> | number;
}

/** Flags that every command takes, but for that of a form in which it never answers. */
export const COMMON_FLAGS: Readonly<Record<string, Flag>> = {
  state: { type: "text", value: "DIR", summary: "The state directory (SKEIN_STATE, else .skein)" },
  json: {
    type: "boolean",
    summary: "Answer in JSON, as it is where standard output is no terminal",
  },
  text: { type: "boolean", summary: "Answer in text, as it is on a terminal" },
  help: { type: "boolean", summary: "Print this help" },
};

/** A form of an answer, and the flag that asks for it. */
export type Form = "json" | "text";

/** The commands that always answer in one form. */
const ONE_FORM: Readonly<Record<string, Form>> = {
  status: "json",
  schema: "json",
  logs: "text",
  completions: "text",
  help: "text",
};

/** The form in which a command never answers, `null` where it may be asked for either. */
export function missingForm({ name }: Command): Form | null {
  const form = Object.hasOwn(ONE_FORM, name) ? ONE_FORM[name] : undefined;
  if (form === undefined) return null;
  return form === "json" ? "text" : "json";
}

/** The common flags that a command takes. */
export function commonFlagsOf(command: Command): Readonly<Record<string, Flag>> {
  const missing = missingForm(command);
  return Object.fromEntries(Object.entries(COMMON_FLAGS).filter(([name]) => name !== missing));
}

/** What stands for the value of a flag in the help: its choices, or a name. */
export function placeOf({ choices, value }: Flag): string {
  return choices?.join("|") ?? value ?? "N";
}
