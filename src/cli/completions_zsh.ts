import type { Completed, CompletedCommand, CompletedFlag } from "./completions_table.ts";

/** The script for zsh. It works in a folder of `fpath` and where it is sourced. */
export function zshScript(table: readonly CompletedCommand[]): string {
  const names = table.map(({ name, summary }) => quote(`${name}:${summary}`));
  return `#compdef skein
# Completion of skein for zsh. In ~/.zshrc, behind compinit: source <(skein completions zsh)
_skein() {
  local context state state_descr line curcontext=$curcontext
  typeset -A opt_args
  local -a commands
  commands=(
${indent(names, 4)}
  )
  _arguments -C '(- *)--help[Explain Skein]' '(- *)--version[Print the version]' \\
    '1: :->command' '*:: :->word'
  case $state in
    command) _describe -t commands command commands ;;
    word)
      case $line[1] in
${table.map(caseOf).join("\n")}
      esac
      ;;
  esac
}

if [[ $funcstack[1] == _skein ]]; then
  _skein "$@"
else
  compdef _skein skein
fi`;
}

function caseOf({ name, word, flags }: CompletedCommand): string {
  const specs = [...flags.map(flagSpec), ...wordSpecs(word)].map(quote);
  return `        ${name})
          _arguments \\
${specs.map((spec) => `            ${spec}`).join(" \\\n")}
          ;;`;
}

function flagSpec({ name, summary, value, takes }: CompletedFlag): string {
  const text = summary.replaceAll(/[\\[\]:]/g, (letter) => `\\${letter}`);
  if (value === null) return `${name}[${text}]`;
  return `${name}=[${text}]:${value}:${actionOf(takes)}`;
}

function wordSpecs(word: Completed): string[] {
  if (word.kind === "words" && word.words.length === 0) return [];
  return [`1: :${actionOf(word)}`, "*: :_files"];
}

function actionOf(takes: Completed): string {
  switch (takes.kind) {
    case "files":
      return "_files";
    case "folders":
      return "_files -/";
    case "words":
      return `(${takes.words.join(" ")})`;
    case "anything":
      return " ";
  }
}

function indent(lines: readonly string[], spaces: number): string {
  return lines.map((line) => `${" ".repeat(spaces)}${line}`).join("\n");
}

function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
