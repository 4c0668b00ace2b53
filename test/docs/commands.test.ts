// SPDX-License-Identifier: Apache-2.0
// The pages name commands, options and keys that exist: every command line of README.md and docs, every YAML file of the
// guides, and every option of `openUnit` or its functions that a sentence names.

import { readFileSync } from "node:fs";
import type { Command } from "commander";
import { describe, expect, it } from "vitest";

import { inRepository } from "../../src/base/paths.ts";
import { parseYaml } from "../../src/base/yaml.ts";
import { buildProgram } from "../../src/cli/main.ts";
import { parseExplore } from "../../src/explore/explore-spec.ts";
import { parseSweep } from "../../src/explore/spec.ts";
import { csdDeviceSchema, ndpDeviceSchema } from "../../src/machine/host/near-device-file.ts";
import { deviceSchema } from "../../src/machine/host/device-file.ts";
import { parsePlan } from "../../src/papers/plan/plan.ts";
import { runOptions, sendOptions, unitOptions } from "../../src/rtl/options.ts";
import { checkScenario } from "../../src/scenario/resolve.ts";
import { documentationPages as pages } from "../helpers/pages.ts";

const program = await buildProgram();
const text = (page: string): string => readFileSync(inRepository(page), "utf8");

/** Command lines of indented code, with continued lines joined and comments cut. */
function commandLines(page: string): readonly string[] {
  return [
    ...text(page)
      .replaceAll(/\\\n\s*/g, "")
      .matchAll(/^ {4,}(?:npx )?neardata (.*)$/gm),
  ]
    .map(([, words = ""]) => words.replace(/\s+#.*$/, ""))
    .filter((words) => !/^\S+: /.test(words));
}

/**
 * The options of a command line that its command does not have; the whole line if the command does
 * not exist.
 */
function unknownOptions(line: string): readonly string[] {
  const words = line.replaceAll(/"[^"]*"/g, "TEXT").split(/\s+/);
  let command: Command = program;
  for (const word of words) {
    const next = command.commands.find((one) => one.name() === word);
    if (next === undefined) break;
    command = next;
  }
  if (command.parent === null) return words[0]?.startsWith("-") === true ? [] : [line];
  const known = command.options.flatMap(({ long, short }) => [long, short]);
  const named = words.filter((word) => word.startsWith("-")).map((word) => word.split("=")[0]);
  return named
    .filter((name) => !known.includes(name) && name !== "--help")
    .map((name) => `${command.name()} ${name ?? ""}`);
}

describe("command lines", () => {
  it("are found in the pages", () => {
    expect(pages.flatMap(commandLines).length).toBeGreaterThan(80);
  });

  it("with an unknown option or command are found", () => {
    expect(unknownOptions("run x.yaml --fidelity cycle --outt runs")).toEqual(["run --outt"]);
    expect(unknownOptions('lm tokens --windows "0"')).toEqual(["lm --windows"]);
    expect(unknownOptions("runn x.yaml")).toEqual(["runn x.yaml"]);
  });

  it.each(pages)("%s names commands and options of the program", (page) => {
    expect(commandLines(page).flatMap(unknownOptions)).toEqual([]);
  });
});

/** Checks a YAML block by the schema of the kind of file that its keys show; false if it is a part of a file. */
function checkBlock(block: string): boolean {
  const content = parseYaml("block.yaml", block);
  const has = (key: string): boolean =>
    typeof content === "object" && content !== null && key in content;
  if (has("kind")) {
    const { kind } = content as { readonly kind: string };
    const schema = { ndp: ndpDeviceSchema, csd: csdDeviceSchema }[kind] ?? deviceSchema;
    schema.parse(content);
  } else if (has("unit") && has("space")) parseExplore("block.yaml", block);
  else if (has("scenario")) parseSweep("block.yaml", block);
  else if (has("host") && has("batch")) {
    parsePlan(
      "block.yaml",
      block.replace(/: \S+-gpu\.yaml$/m, ": h100-80\n  link: pcie5"),
      () => "",
    );
  } else if (has("name") && !has("space")) checkScenario("block.yaml", content);
  else return false;
  return true;
}

const blocks = pages.flatMap((page) =>
  [...text(page).matchAll(/^```yaml\n([\s\S]*?)^```$/gm)].map(
    ([, block = ""], i) => [`${page} ${String(i + 1)}`, block] as const,
  ),
);

describe("YAML files of the pages", () => {
  it("with an unknown key are found", () => {
    expect(() => checkBlock("name: x\nexpert: { hiden: 64 }\n")).toThrow(/hiden/);
    expect(() => checkBlock("name: x\nscenario: y.yaml\ngrids: { seed: [1] }\n")).toThrow(/grids/);
  });

  it("are whole files, most of them", () => {
    expect(blocks.filter(([, block]) => checkBlock(block)).length).toBeGreaterThan(15);
  });
});

it("an option of openUnit, run or send that a sentence names is in the schema", () => {
  const schemas = { openUnit: unitOptions, run: runOptions, send: sendOptions.unwrap() };
  const named = pages.flatMap((page) =>
    [...text(page).matchAll(/option `(\w+)` of `(openUnit|run|send)`/g)].map(
      ([, option = "", of = ""]) => ({ page, option, of: of as keyof typeof schemas }),
    ),
  );
  expect(named.length).toBeGreaterThan(0);
  expect(named.filter(({ option, of }) => !(option in schemas[of].shape))).toEqual([]);
});
