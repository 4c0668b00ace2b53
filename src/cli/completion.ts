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
      return `#compdef neardata\nautoload -U +X bashcompinit && bashcompinit\n${bashScript(commands)}`;
    case "fish":
      return fishScript(commands);
  }
}

const nextWords = ({ commands, choices, options }: CompletedCommand): string =>
  [...commands.map(({ name }) => name), ...choices, ...options.map(({ flag }) => flag)].join(" ");

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
  const known = commands.map(({ words: path }) => path.join(" ")).filter((path) => path !== "");
  return `_neardata() {
  local current="\${COMP_WORDS[COMP_CWORD]}" before="\${COMP_WORDS[COMP_CWORD-1]}"
  local command="" words="" files="" word
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "\${command:+$command }$word" in
    ${known.map((path) => `"${path}"`).join(" | ")}) command="\${command:+$command }$word" ;;
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

function fishScript(commands: readonly CompletedCommand[]): string {
  const quoted = (text: string): string =>
    `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
  const lines = commands.flatMap(({ words, commands: below, choices, options }) => {
    const at = quoted(`__neardata_at ${words.join(" ")}`.trimEnd());
    return [
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
  const known = commands.map(({ words }) => words.join(" ")).filter((path) => path !== "");
  return `function __neardata_at
  set -l command
  for word in (commandline -opc)[2..-1]
    contains -- (string join ' ' $command $word) ${known.map(quoted).join(" ")}
    and set command $command $word
  end
  test (string join ' ' $command) = (string join ' ' $argv)
end
${lines.join("\n")}
`;
}
