// SPDX-License-Identifier: Apache-2.0
// `neardata types`: TypeScript types of a unit's ports, from its RTL, for `openUnit` of neardata/rtl.

import { existsSync, readFileSync } from "node:fs";
import type { Command } from "commander";
import { inputError } from "../../../base/errors.ts";
import { checkOptionalOutput } from "../../../base/files/output.ts";
import { collect, wholeNumber } from "../../options/options.ts";
import { printJson, printText } from "../../terminal/output.ts";
import { example } from "../../options/help.ts";
import { typeName, unitTypes } from "../../../rtl/declare/declare.ts";

interface TypesOptions {
  readonly top: string;
  readonly uses: readonly string[];
  readonly rtl?: string;
  readonly param: readonly string[];
  readonly name?: string;
  readonly out?: string;
  readonly json?: boolean;
}

export function register(command: Command): void {
  command
    .argument("[sources...]", "SystemVerilog files, or folders of them.")
    .requiredOption("--top <module>", "The top module.")
    .option("--uses <folder>", "A folder or file of neardata's RTL; repeatable.", collect, [])
    .option(
      "--rtl <folder>",
      "A folder whose files replace the files of the same names in neardata's RTL.",
    )
    .option("--param <name=value>", "A parameter of the top module; repeatable.", collect, [])
    .option("--name <type>", "The name of the type (default: from the module).")
    .option("--out <file.ts>", "Write the types here (default: standard output).")
    .option("--json", "Print one JSON document.")
    .addHelpText("after", example("neardata types my-rtl --top my_unit --out my-unit.ts"))
    .action(types);
}

async function types(sources: readonly string[], options: TypesOptions): Promise<void> {
  const { top, uses, rtl, name, out } = options;
  if (name !== undefined && !/^[A-Za-z_]\w*$/.test(name)) {
    throw inputError("--name", `"${name}" is no name of a type.`);
  }
  const output = checkOptionalOutput("--out", out, sources);
  const parameters = Object.fromEntries(options.param.map(parameterOf));
  const more = rtl === undefined ? {} : { rtl };
  const text = await unitTypes({ top, sources, uses, parameters, ...more }, name);
  const same = out !== undefined && existsSync(out) && readFileSync(out, "utf8") === text;
  if (!same) output?.write(text);
  const type = name ?? typeName(top);
  if (options.json === true) printJson({ type, out: out ?? null, changed: !same, text });
  else printText(out === undefined ? text : `${type}: ${out}${same ? " is as it was" : ""}`);
}

const maxParameterLength = 2 ** 32 - 1;

function parameterOf(text: string): readonly [string, number] {
  const [, name, value] = /^(\w+)=(\S+)$/.exec(text) ?? [];
  if (name === undefined || value === undefined) {
    throw inputError("--param", `"${text}" is not NAME=VALUE.`);
  }
  return [name, wholeNumber(`--param ${name}`, 0, maxParameterLength)(value)];
}
