import type { Completed, CompletedCommand } from "./completions_table.ts";

/** The script for bash, from 3.2 on, which macOS has. */
export function bashScript(table: readonly CompletedCommand[]): string {
  const names = table.map(({ name }) => name).join(" ");
  return `# Completion of skein for bash. In ~/.bashrc: eval "$(skein completions bash)"
_skein_words() {
  local word
  while IFS= read -r word; do COMPREPLY+=("$word"); done < <(compgen -W "$1" -- "$2")
}

_skein_paths() {
  local path
  while IFS= read -r path; do COMPREPLY+=("$path"); done < <(compgen "$1" -- "$2")
  compopt -o filenames 2>/dev/null
}

_skein() {
  local IFS=$' \\t\\n' cur=\${COMP_WORDS[COMP_CWORD]} flag='' part='' index words=0 end='' valued=''
  local word='' listed='' flags='' files='' folders='' values='' choices=''
  COMPREPLY=()
  if (( COMP_CWORD == 1 )); then
    _skein_words '${names} --help --version' "$cur"
    return
  fi
  # The flag whose value is typed. Bash makes a word of its own of the sign in --flag=value.
  if [[ $cur == = ]]; then
    flag=\${COMP_WORDS[COMP_CWORD - 1]} cur=''
  elif [[ \${COMP_WORDS[COMP_CWORD - 1]} == = ]]; then
    flag=\${COMP_WORDS[COMP_CWORD - 2]}
  else
    flag=\${COMP_WORDS[COMP_CWORD - 1]}
  fi
  case \${COMP_WORDS[1]} in
${table.map(caseOf).join("\n")}
    *) return ;;
  esac
  for (( index = 2; index < COMP_CWORD; index++ )); do
    part=\${COMP_WORDS[index]}
    if [[ $part == -- ]]; then end=1
    elif [[ $part == = ]]; then valued=1
    elif [[ $part == -?* ]]; then
      [[ " $files $folders $values " == *" $part "* ]] && valued=1
    elif [[ -n $valued ]]; then valued=''
    else words=$(( words + 1 ))
    fi
  done
  if [[ -n $end ]]; then
    _skein_paths -f "$cur"
  elif [[ $flag == --* && " $folders " == *" $flag "* ]]; then
    _skein_paths -d "$cur"
  elif [[ $flag == --* && " $files " == *" $flag "* ]]; then
    _skein_paths -f "$cur"
  elif [[ $flag == --* && " $values " == *" $flag "* ]]; then
    listed=''
    for part in $choices; do
      [[ $part == "$flag="* ]] && listed="$listed \${part#*=}"
    done
    _skein_words "$listed" "$cur"
  elif [[ $cur == -* ]]; then
    _skein_words "$flags" "$cur"
  elif (( words > 0 )); then
    return
  elif [[ $word == files ]]; then
    _skein_paths -f "$cur"
  elif [[ $word == words ]]; then
    _skein_words "$listed" "$cur"
  fi
}

complete -F _skein skein`;
}

/** What is to be known of a command, as the shell's variables. */
function caseOf({ name, word, flags }: CompletedCommand): string {
  const valued = flags.filter(({ value }) => value !== null);
  const taking = (...kinds: Completed["kind"][]) =>
    valued.filter(({ takes }) => kinds.includes(takes.kind)).map((flag) => flag.name).join(" ");
  const choices = valued.flatMap(({ name: flag, takes }) =>
    takes.kind === "words" ? takes.words.map((choice) => `${flag}=${choice}`) : []
  );
  const variables = [
    ["word", word.kind],
    ["listed", word.kind === "words" ? word.words.join(" ") : ""],
    ["flags", flags.map((flag) => flag.name).join(" ")],
    ["files", taking("files")],
    ["folders", taking("folders")],
    ["values", taking("anything", "words")],
    ["choices", choices.join(" ")],
  ].filter(([, value]) => value !== "");
  return `    ${name}) ${variables.map(([key, value]) => `${key}='${value}'`).join(" ")} ;;`;
}
