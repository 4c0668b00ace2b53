// SPDX-License-Identifier: Apache-2.0
// Help texts have one style: every description is a sentence, every command and every group of commands has an example,
// and every example parses.

import type { Command } from "commander";
import { describe, expect, it } from "vitest";

import { buildProgram } from "../../src/cli/main.ts";

/** A command and all commands below it. */
function treeOf(command: Command): readonly Command[] {
  return [command, ...command.commands.flatMap(treeOf)];
}

function pathOf(command: Command): string {
  return command.parent === null ? command.name() : `${pathOf(command.parent)} ${command.name()}`;
}

/** The descriptions of a command, its options and its arguments, each behind its place. */
function descriptionsOf(command: Command): readonly (readonly [place: string, text: string])[] {
  const help = command.createHelp();
  const path = pathOf(command);
  return [
    [path, command.description()],
    ...help
      .visibleOptions(command)
      .map(({ flags, description }) => [`${path} ${flags}`, description] as const),
    ...help
      .visibleArguments(command)
      .map((argument) => [`${path} ${argument.name()}`, argument.description] as const),
  ];
}

/** The text that `--help` prints. */
function helpText(command: Command): string {
  let text = "";
  command.configureOutput({ writeOut: (part) => (text += part) });
  command.outputHelp();
  return text;
}

/** The command lines below "Example:". */
function examplesOf(command: Command): readonly string[] {
  const [, block = ""] = helpText(command).split("\nExample:\n");
  return block.split("\n").flatMap((line) => (line.startsWith("  neardata ") ? [line.trim()] : []));
}

/** The words of a command line without the redirection. */
function wordsOf(line: string): readonly string[] {
  const [own = ""] = line.split(" > ");
  return [...own.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? "");
}

/** Parses a command line, without running the command, and returns the command. */
async function parsed(line: string): Promise<string> {
  const program = await buildProgram();
  let reached = "";
  for (const command of treeOf(program)) {
    if (command.commands.length === 0) command.action(() => void (reached = pathOf(command)));
  }
  program.parse(["node", ...wordsOf(line)]);
  return reached;
}

const tree = treeOf(await buildProgram());
/** Commands that only have commands below them, without the program itself. */
const groups = tree.filter(({ commands, parent }) => commands.length > 0 && parent !== null);
const leaves = tree.filter(({ commands }) => commands.length === 0);

describe("help", () => {
  it("describes each command, option and argument in one sentence with a capital letter and a full stop", () => {
    const texts = tree.flatMap(descriptionsOf);
    expect(texts.length).toBeGreaterThan(150);
    expect(texts.filter(([, text]) => !/^[A-Z].*[^.]\.$/.test(text))).toEqual([]);
  });

  it.each(leaves.map((leaf) => [pathOf(leaf), leaf] as const))(
    "has an example of %s that parses",
    async (path, leaf) => {
      const examples = examplesOf(leaf);
      expect(examples).not.toEqual([]);
      expect(await Promise.all(examples.map(parsed))).toEqual(examples.map(() => path));
    },
  );

  it("has groups of commands", () => {
    expect(groups.map(pathOf)).toContain("neardata dram");
  });

  it.each(groups.map((group) => [pathOf(group), group] as const))(
    "has an example of %s that parses as a command of the group",
    async (path, group) => {
      const examples = examplesOf(group);
      expect(examples).not.toEqual([]);
      for (const reached of await Promise.all(examples.map(parsed))) {
        expect(reached.startsWith(`${path} `)).toBe(true);
      }
    },
  );

  it("marks the options without which a command does not start, and no others", () => {
    const marked = leaves.flatMap((leaf) => {
      const lines = helpText(leaf).split(/\n(?= {2}-)/);
      return leaf.options.map(({ long, mandatory }) => {
        const line = lines.find((text) => text.includes(`${String(long)} <`)) ?? "";
        return {
          name: `${pathOf(leaf)} ${String(long)}`,
          mandatory,
          shown: line.includes("(required)"),
        };
      });
    });
    expect(marked.filter(({ mandatory, shown }) => mandatory !== shown)).toEqual([]);
    expect(marked.filter(({ shown }) => shown).length).toBeGreaterThan(10);
  });

  it("rejects an example with an unknown option", async () => {
    await expect(parsed("neardata run --fidelty cycle")).rejects.toThrow(/fidelty/);
  });

  it("puts every command under a heading", () => {
    const [program] = tree;
    expect(program?.commands.filter((command) => command.helpGroup() === "")).toEqual([]);
    expect(program === undefined ? "" : helpText(program)).not.toMatch(/^Commands:$/m);
  });
});
