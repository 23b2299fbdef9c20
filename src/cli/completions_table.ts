import { type Command, commonFlagsOf, type Flag, placeOf } from "./command.ts";
import { COMMANDS } from "./commands.ts";

/** What stands in a place: one of these words, the path of a file or a folder, or what nobody knows beforehand. */
export type Completed =
  | { readonly kind: "words"; readonly words: readonly string[] }
  | { readonly kind: "files" | "folders" | "anything" };

/** A flag. */
export interface CompletedFlag {
  /** With its two dashes. */
  readonly name: string;
  /** What it does. */
  readonly summary: string;
  /** What stands for its value in the help, `null` where it takes none. */
  readonly value: string | null;
  /** What its value is. */
  readonly takes: Completed;
}

/** A command. */
export interface CompletedCommand {
  /** Its name. */
  readonly name: string;
  /** One line. */
  readonly summary: string;
  /** What its first word is. */
  readonly word: Completed;
  /** Its flags, the common ones last, the hidden ones left out. */
  readonly flags: readonly CompletedFlag[];
}

const ANYTHING: Completed = { kind: "anything" };
const NOTHING: Completed = { kind: "words", words: [] };

/** Every command, in the order of the help. */
export async function readTable(): Promise<CompletedCommand[]> {
  const loaded = await Promise.all(Object.values(COMMANDS).map((load) => load()));
  const names = Object.keys(COMMANDS);
  return loaded.map(({ command }) => ({
    name: command.name,
    summary: command.summary,
    word: wordOf(command, names),
    flags: Object.entries({ ...command.flags, ...commonFlagsOf(command) })
      .filter(([, { hidden }]) => hidden !== true)
      .map(([name, flag]) => ({
        name: `--${name}`,
        summary: flag.summary,
        value: flag.type === "boolean" ? null : placeOf(flag),
        takes: valueOf(flag),
      })),
  }));
}

function valueOf({ type, value, choices }: Flag): Completed {
  if (type === "boolean") return NOTHING;
  if (choices !== undefined) return { kind: "words", words: choices };
  if (value === "DIR") return { kind: "folders" };
  return value === "FILE" ? { kind: "files" } : ANYTHING;
}

/** Reads the usage: `<manifest>` is a file, `[command]` the name of one, `bash | zsh` one of these words. */
function wordOf({ usage, words: [, most] }: Command, names: readonly string[]): Completed {
  if (most === 0) return NOTHING;
  if (usage.includes("<manifest>")) return { kind: "files" };
  if (usage.includes("[command]")) return { kind: "words", words: names };
  const words = usage.replaceAll(/<[^>]*>|\[[^\]]*\]/g, "").split(/[\s|]+/)
    .filter((word) => /^[a-z][a-z-]*$/.test(word));
  return words.length === 0 ? ANYTHING : { kind: "words", words };
}
