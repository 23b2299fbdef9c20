import type { Completed, CompletedCommand, CompletedFlag } from "./completions_table.ts";

/** The script for fish. */
export function fishScript(table: readonly CompletedCommand[]): string {
  return [
    "# Completion of skein for fish: skein completions fish > ~/.config/fish/completions/skein.fish",
    "function __skein_in",
    "    set -l words (commandline -opc)",
    "    if test (count $argv) -eq 0",
    "        test (count $words) -eq 1",
    "    else",
    "        test (count $words) -gt 1; and test $words[2] = $argv[1]",
    "    end",
    "end",
    "",
    "complete -c skein -f",
    "complete -c skein -n __skein_in -l help -d 'Explain Skein'",
    "complete -c skein -n __skein_in -l version -d 'Print the version'",
    ...table.flatMap((command) => ["", ...linesOf(command)]),
  ].join("\n");
}

function linesOf({ name, summary, word, flags }: CompletedCommand): string[] {
  const start = `complete -c skein -n ${quote(`__skein_in ${name}`)}`;
  return [
    `complete -c skein -n __skein_in -a ${name} -d ${quote(summary)}`,
    ...wordLines(start, word),
    ...flags.map((flag) => flagLine(start, flag)),
  ];
}

function wordLines(start: string, word: Completed): string[] {
  if (word.kind === "files") return [`${start} -F`];
  if (word.kind !== "words" || word.words.length === 0) return [];
  return [`${start} -a ${quote(word.words.join(" "))}`];
}

function flagLine(start: string, { name, summary, value, takes }: CompletedFlag): string {
  const flag = `${start} -l ${name.slice("--".length)} -d ${quote(summary)}`;
  if (value === null) return flag;
  switch (takes.kind) {
    case "files":
      return `${flag} -r -F`;
    case "folders":
      return `${flag} -x -a '(__fish_complete_directories)'`;
    case "words":
      return `${flag} -x -a ${quote(takes.words.join(" "))}`;
    case "anything":
      return `${flag} -x`;
  }
}

function quote(text: string): string {
  return `'${text.replaceAll(/['\\]/g, (letter) => `\\${letter}`)}'`;
}
