// SPDX-License-Identifier: Apache-2.0
// `neardata completion`: a script with which a shell completes commands, options and their choices,
// generated from the commands.

import { Argument, type Command } from "commander";
import { completionScript, type CompletedCommand } from "../options/completion.ts";
import { printText } from "../terminal/output.ts";
import { example } from "../options/help.ts";

export function register(command: Command): void {
  command
    .addArgument(new Argument("<shell>", "The shell.").choices(["bash", "zsh", "fish"]))
    .addHelpText(
      "after",
      example("neardata completion bash > ~/.local/share/bash-completion/completions/neardata"),
    )
    .action((shell: "bash" | "zsh" | "fish", _options: unknown, { parent }: Command) => {
      if (parent === null) throw new Error("completion belongs to a program");
      printText(completionScript(shell, commandsBelow(parent)));
    });
}

/** Every command that does something, by its words. */
function commandsBelow(command: Command, words: readonly string[] = []): CompletedCommand[] {
  const completedCommand: CompletedCommand = {
    words,
    commands: command.commands.map((c) => ({ name: c.name(), description: c.description() })),
    choices: command.registeredArguments.flatMap((argument) => argument.argChoices ?? []),
    options: [...command.options].flatMap((option) =>
      [option.short, option.long].flatMap((flag) =>
        flag === undefined
          ? []
          : [
              {
                flag,
                description: option.description,
                choices: option.argChoices ?? [],
                takesValue: option.required || option.optional,
              },
            ],
      ),
    ),
  };
  return [
    completedCommand,
    ...command.commands.flatMap((c) => commandsBelow(c, [...words, c.name()])),
  ];
}
