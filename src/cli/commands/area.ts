// SPDX-License-Identifier: Apache-2.0
// `neardata area`: what a unit of the RTL takes of a chip or of an FPGA, and the clock it reaches.

import type { Command } from "commander";

import { inputError } from "../../errors.ts";
import type { Parameters, Target } from "../../synth/types.ts";
import { printJson, printText, remark } from "../output.ts";

interface Options {
  readonly target?: string;
  readonly param: readonly string[];
  readonly liberty?: string;
  readonly json: boolean;
}

/** Adds `area`. */
export function register(program: Command): void {
  program
    .command("area")
    .description("synthesize a unit: area, gate equivalents, FPGA resources, critical path")
    .argument("[unit]", "ndp, argtopk, nfc or any module under rtl/", "ndp")
    .option("--target <target>", "xc7 (Xilinx 7 series) or asic (standard cells)")
    .option("--param <name=value>", "a parameter of the unit; may be repeated", collect, [])
    .option("--liberty <file>", "standard cells other than synth/gates7.lib (.lib, .lib.gz)")
    .option("--json", "print one JSON document", false)
    .action(area);
}

function collect(value: string, previous: readonly string[]): readonly string[] {
  return [...previous, value];
}

async function area(name: string, options: Options): Promise<void> {
  const [
    { measureArea },
    { findFlow },
    { ownLibrary, readLibrary },
    { unitOf },
    { areaDocument, areaText },
  ] = await Promise.all([
    import("../../synth/area.ts"),
    import("../../synth/slice.ts"),
    import("../../synth/liberty.ts"),
    import("../../synth/units.ts"),
    import("../../synth/summary.ts"),
  ]);
  const target = targetOf(options.target ?? unitOf(name).target);
  const library = target === "xc7" ? null : readLibrary(options.liberty ?? ownLibrary());
  const report = await measureArea(
    await findFlow(library),
    name,
    parametersOf(options.param),
    (slice) => {
      remark(`slice ${slice.module} ${JSON.stringify(slice.parameters)}`);
    },
  );
  if (options.json) printJson(areaDocument(report));
  else printText(areaText(report));
}

function targetOf(name: string): Target {
  if (name === "xc7" || name === "asic") return name;
  throw inputError("--target", `${name} is neither xc7 nor asic.`);
}

function parametersOf(words: readonly string[]): Parameters {
  return Object.fromEntries(
    words.map((word) => {
      const [, name, value] = /^(\w+)=(\d+)$/.exec(word) ?? [];
      if (name === undefined || value === undefined) {
        throw inputError("--param", `${word} is not NAME=VALUE with a whole number.`);
      }
      return [name, Number(value)];
    }),
  );
}
