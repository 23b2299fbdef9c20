/**
 * The command lines of the documentation: read out of a page, with the exit code that the page states for each.
 *
 * @module
 */

/** A command line of a page. */
export interface CommandLine {
  /** Its text without the comment that follows; of several lines where it goes on. */
  readonly text: string;
  /** The line of the page that it begins on, from 1. */
  readonly line: number;
  /** The exit code that its comment states (`exits 4`, `exit code 4`), 0 without. */
  readonly exit: number;
}

/** The command lines of a page that stand under one heading, in their order. */
export interface Section {
  /** The heading, without its marks; empty above the first. */
  readonly heading: string;
  /** What its command lines are for. */
  readonly shell: Shell;
  /** The command lines. */
  readonly commands: readonly CommandLine[];
  /** Files that the section tells its reader to write, by their names. */
  readonly files: ReadonlyMap<string, string>;
}

/** Who reads a command line. */
export type Shell = "sh" | "powershell";

const SHELLS: Readonly<Record<string, Shell>> = {
  sh: "sh",
  bash: "sh",
  shell: "sh",
  powershell: "powershell",
  ps1: "powershell",
};
const TRANSCRIPT = "console";
const FENCE = /^```(\S*)/;
/** A heading of the page, or a step in bold that begins a paragraph. */
const HEADING = /^(?:#{1,6} +(.+)|\*\*([^*]+)\*\*.*)$/;
const EXIT_CODE = /\bexit(?:s| code| with)*(?: with)? (\d+)\b/;
const WRITE = /[Ww]rite `([\w./-]+)`[^`]*:$/;

/** Reads every command line of a page. */
export function sectionsOf(page: string): Section[] {
  const sections: {
    heading: string;
    shell: Shell;
    commands: CommandLine[];
    files: Map<string, string>;
  }[] = [];
  let heading = "";
  let asked = "";
  const section = (shell: Shell) => {
    const last = sections.at(-1);
    if (last !== undefined && last.heading === heading && last.shell === shell) return last;
    const made = { heading, shell, commands: [], files: new Map<string, string>() };
    sections.push(made);
    return made;
  };
  for (const { kind, lines, first } of blocksOf(page)) {
    if (kind === null) {
      for (const [index, line] of lines.entries()) {
        const found = HEADING.exec(line);
        if (found !== null) heading = (found[1] ?? found[2] ?? "").replace(/[.:]$/, "");
        if (line.trim() !== "") asked = WRITE.exec(line)?.[1] ?? "";
        const typed = /^\s*\$ (.+)$/.exec(line)?.[1];
        if (typed !== undefined) section("sh").commands.push(commandOf(typed, first + index));
      }
      continue;
    }
    const shell = SHELLS[kind];
    if (shell !== undefined) section(shell).commands.push(...logicalLines(lines, first));
    else if (kind === TRANSCRIPT) section("sh").commands.push(...typedLines(lines, first));
    else if (asked !== "") section("sh").files.set(asked, `${lines.join("\n")}\n`);
    asked = "";
  }
  return sections.filter(({ commands }) => commands.length > 0);
}

/** A part of a page: text (`null`), or what stands between two fences. */
interface Block {
  readonly kind: string | null;
  readonly lines: readonly string[];
  readonly first: number;
}

function blocksOf(page: string): Block[] {
  const blocks: { kind: string | null; lines: string[]; first: number }[] = [];
  let block = { kind: null as string | null, lines: [] as string[], first: 1 };
  for (const [index, line] of page.split("\n").entries()) {
    const fence = FENCE.exec(line);
    if (fence === null) {
      block.lines.push(line);
      continue;
    }
    blocks.push(block);
    block = { kind: block.kind === null ? fence[1] ?? "" : null, lines: [], first: index + 2 };
  }
  return [...blocks, block];
}

/** The lines of a script: what ends in a backslash goes on, and so does a document for standard input. */
function logicalLines(lines: readonly string[], first: number): CommandLine[] {
  const commands: CommandLine[] = [];
  for (let at = 0; at < lines.length; at++) {
    const begins = at;
    let text = lines[at] ?? "";
    if (text.trim() === "" || text.trimStart().startsWith("#")) continue;
    const until = /<<-?\s*(['"]?)(\w+)\1/.exec(text)?.[2];
    if (until !== undefined) {
      while (lines[at] !== until && at + 1 < lines.length) text += `\n${lines[++at] ?? ""}`;
      commands.push({ text, line: first + begins, exit: 0 });
      continue;
    }
    while (/\\$/.test(lines[at] ?? "") && at + 1 < lines.length) text += `\n${lines[++at] ?? ""}`;
    commands.push(commandOf(text, first + begins));
  }
  return commands;
}

/** The lines of a transcript that somebody typed. */
function typedLines(lines: readonly string[], first: number): CommandLine[] {
  return lines.flatMap((line, index) =>
    line.startsWith("$ ") ? [commandOf(line.slice(2), first + index)] : []
  );
}

function commandOf(written: string, line: number): CommandLine {
  const comment = commentOf(written);
  const text = written.slice(0, written.length - comment.length).trimEnd();
  return { text, line, exit: Number(EXIT_CODE.exec(comment)?.[1] ?? 0) };
}

/** The comment at the end of a line: a `#` after a space that no quote holds. */
function commentOf(text: string): string {
  let quote = "";
  for (const [index, character] of Array.from(text).entries()) {
    if (quote !== "") {
      if (character === quote) quote = "";
    } else if (character === "'" || character === '"') quote = character;
    else if (character === "#" && /\s/.test(text[index - 1] ?? "")) return text.slice(index);
  }
  return "";
}

/** The examples in the generated page of commands: two spaces in, under `Examples:`. */
export function helpSections(page: string): Section[] {
  return Array.from(page.matchAll(/^## (.+)\n[^]*?(?=^## |(?![^]))/gm), (found) => {
    const [all, heading = ""] = found;
    const first = page.slice(0, found.index).split("\n").length;
    const lines = all.split("\n");
    const begin = lines.indexOf("Examples:") + 1;
    const end = lines.indexOf("", begin);
    const commands = begin === 0
      ? []
      : lines.slice(begin, end).flatMap((line, index) =>
        /^ {2}\S/.test(line) ? [{ text: line.trim(), line: first + begin + index, exit: 0 }] : []
      );
    return { heading, shell: "sh" as const, commands, files: new Map<string, string>() };
  }).filter(({ commands }) => commands.length > 0);
}

/** Command lines of Skein in running text, such as those of a table: the words after `skein`. */
export function inlineCommands(page: string): string[][] {
  const text = blocksOf(page).filter(({ kind }) => kind === null).flatMap(({ lines }) => lines);
  return text.flatMap((line) =>
    Array.from(line.matchAll(/`skein ([^`]+)`/g), ([, words = ""]) => words)
  )
    .map((words) => words.split(/\s+/));
}
