// SPDX-License-Identifier: Apache-2.0
// Completion scripts of shells from a table of commands: words of commands, flags, choices of flags
// and arguments; files everywhere else.

export interface CompletedOption {
  readonly flag: string;
  readonly description: string;
  readonly choices: readonly string[];
  readonly takesValue: boolean;
}

/** One command; the program itself has no words. */
export interface CompletedCommand {
  readonly words: readonly string[];
  readonly commands: readonly { readonly name: string; readonly description: string }[];
  /** Of its argument. */
  readonly choices: readonly string[];
  readonly options: readonly CompletedOption[];
}

export type Shell = "bash" | "zsh" | "fish";

export function completionScript(shell: Shell, commands: readonly CompletedCommand[]): string {
  switch (shell) {
    case "bash":
      return bashScript(commands);
    case "zsh":
      return zshScript(commands);
    case "fish":
      return fishScript(commands);
  }
}

const nextWords = ({ commands, choices, options }: CompletedCommand): string =>
  [...commands.map(({ name }) => name), ...choices, ...options.map(({ flag }) => flag)].join(" ");

/** The words of every command but the program itself. */
const knownPaths = (commands: readonly CompletedCommand[]): readonly string[] =>
  commands.map(({ words }) => words.join(" ")).filter((path) => path !== "");

function bashScript(commands: readonly CompletedCommand[]): string {
  const words = commands.map(
    (command) => `    "${command.words.join(" ")}") words="${nextWords(command)}" ;;`,
  );
  const values = commands.flatMap(({ words: path, options }) =>
    options
      .filter(({ takesValue }) => takesValue)
      .map(({ flag, choices }) => {
        const key = [...path, flag].join(" ");
        return choices.length === 0
          ? `    "${key}") files=1 ;;`
          : `    "${key}") words="${choices.join(" ")}" ;;`;
      }),
  );
  return `_neardata() {
  local current="\${COMP_WORDS[COMP_CWORD]}" before="\${COMP_WORDS[COMP_CWORD-1]}"
  local command="" words="" files="" word
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "\${command:+$command }$word" in
    ${knownPaths(commands)
      .map((path) => `"${path}"`)
      .join(" | ")}) command="\${command:+$command }$word" ;;
    esac
  done
  case "\${command:+$command }$before" in
${values.join("\n")}
    *) case "$command" in
${words.join("\n")}
    esac ;;
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
  if [ -n "$files" ] || [ \${#COMPREPLY[@]} -eq 0 ]; then
    COMPREPLY+=($(compgen -f -- "$current"))
  fi
}
complete -o filenames -F _neardata neardata
`;
}

const inSingleQuotes = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

/** A word and its description, in the format of zsh's `_describe`. */
const described = (name: string, description: string): string =>
  inSingleQuotes(`${name.replaceAll(":", "\\:")}:${description}`);

/** The same as bash's, with descriptions. A file of `fpath` is the body of the function. */
function zshScript(commands: readonly CompletedCommand[]): string {
  const values = commands.flatMap(({ words, options }) =>
    options
      .filter(({ takesValue }) => takesValue)
      .map(({ flag, choices }) => {
        const what = choices.length === 0 ? "_files" : `compadd -- ${choices.join(" ")}`;
        return `    "${[...words, flag].join(" ")}") ${what}; return ;;`;
      }),
  );
  const words = commands.map(({ words: path, commands: below, choices, options }) => {
    const next = [
      ...below.map(({ name, description }) => described(name, description)),
      ...choices.map(inSingleQuotes),
    ];
    const flags = options.map(({ flag, description }) => described(flag, description));
    return `    "${path.join(" ")}") next=(${next.join(" ")}) flags=(${flags.join(" ")}) ;;`;
  });
  return `#compdef neardata
_neardata() {
  local command="" longer at
  local -a next flags
  for ((at = 2; at < CURRENT; at++)); do
    longer="\${command:+$command }$words[at]"
    case "$longer" in
    ${knownPaths(commands)
      .map((path) => `"${path}"`)
      .join(" | ")}) command="$longer" ;;
    esac
  done
  case "\${command:+$command }$words[CURRENT-1]" in
${values.join("\n")}
  esac
  case "$command" in
${words.join("\n")}
  esac
  if [[ "$PREFIX" == -* ]]; then
    _describe option flags
  elif (( $#next )); then
    _describe command next
  else
    _files
  fi
}
if [ "$funcstack[1]" = _neardata ]; then
  _neardata "$@"
else
  (( $+functions[compdef] )) || { autoload -U compinit && compinit; }
  compdef _neardata neardata
fi
`;
}

function fishScript(commands: readonly CompletedCommand[]): string {
  const quoted = (text: string): string =>
    `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
  const lines = commands.flatMap(({ words, commands: below, choices, options }) => {
    const at = quoted(`__neardata_at ${words.join(" ")}`.trimEnd());
    // The next word is a command or a choice, not a file.
    const noFiles = below.length + choices.length > 0 ? [`complete -c neardata -n ${at} -f`] : [];
    return [
      ...noFiles,
      ...below.map((c) => `complete -c neardata -n ${at} -a ${c.name} -d ${quoted(c.description)}`),
      ...choices.map((choice) => `complete -c neardata -n ${at} -a ${quoted(choice)}`),
      ...options.map(({ flag, description, takesValue, choices: values }) => {
        const value = takesValue
          ? values.length > 0
            ? ` -x -a ${quoted(values.join(" "))}`
            : " -r"
          : "";
        return `complete -c neardata -n ${at} -l ${flag.replace(/^-+/, "")}${value} -d ${quoted(description)}`;
      }),
    ];
  });
  return `function __neardata_at
  set -l command ''
  for word in (commandline -opc)[2..-1]
    set -l longer (string trim -- "$command $word")
    contains -- $longer ${knownPaths(commands).map(quoted).join(" ")}
    and set command $longer
  end
  test "$command" = "$argv"
end
${lines.join("\n")}
`;
}
