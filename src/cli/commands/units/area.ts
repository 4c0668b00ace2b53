// SPDX-License-Identifier: Apache-2.0
// `neardata area`: the area of an RTL unit on a chip or an FPGA, and its clock. Exit code 1 if a path
// of the whole unit is longer than the assumed clock period.

import { present } from "../../../base/present.ts";
import { existsSync } from "node:fs";
import { basename, join } from "node:path";
import { Option, type Command } from "commander";

import {
  type CustomUnit,
  readCustomUnit,
  customUnitSources,
} from "../../../native/custom-unit-choice.ts";
import { inputError } from "../../../base/errors.ts";
import { checkOptionalOutput, checkOutput, type Output } from "../../../base/files/output.ts";
import { plotPackages, requirePackages } from "../../options/packages.ts";
import type { Page } from "../../../report/page.ts";
import type { AreaReport, UnitTiming } from "../../../results/area-report.ts";
import {
  type RecordedUnit,
  recordedAs,
  recordedDesigns,
  recordPath,
  sourcesHash,
} from "../../../tools/synth/record.ts";
import { type Flow, findFlow } from "../../../tools/synth/slice.ts";
import { type SweptUnit, sweptUnitOf } from "../../../tools/synth/speed.ts";
import type { Instance, Parameters, Target } from "../../../machine/slices.ts";
import { formatValue } from "../../../base/format-value.ts";
import { collect, inputPath } from "../../options/options.ts";
import { judgeChecks, printJson, printText } from "../../terminal/output.ts";
import { remark } from "../../../run/remark.ts";
import { version } from "../../../base/version.ts";
import { example } from "../../options/help.ts";
import { renderPage } from "../../../report/html.ts";
import { ndpEnergy, sparfEnergy } from "../../../tools/synth/energy.ts";
import { builtInLibrary, readLibrary } from "../../../tools/synth/cells/liberty.ts";
import { readOverlay } from "../../../native/overlay.ts";
import { claimedPeriod } from "../../../tools/synth/sta/claims.ts";
import { timeUnit } from "../../../tools/synth/sta/whole.ts";
import { unitOf } from "../../../tools/synth/units.ts";
import { claims } from "../../../tools/area/unit-timing.ts";
import { designs, fixedParameters, sweptParameters } from "../../../tools/synth/parameters.ts";
import { measureArea } from "../../../tools/synth/area.ts";
import { areaDocument, areaText } from "../../../tools/area/summary.ts";

interface Options {
  readonly target?: string;
  readonly rtl?: string;
  readonly param: readonly string[];
  readonly sweep: readonly string[];
  readonly liberty?: string;
  readonly out?: string;
  readonly record: boolean;
  readonly json: boolean;
}

export function register(command: Command): void {
  command
    .argument(
      "[unit]",
      "Unit ndp, sparf, argtopk or nfc, any module under rtl/, or the folder of a unit.",
      inputPath,
      "ndp",
    )
    .option("--target <target>", "Synthesize for xc7 (Xilinx 7 series) or asic (standard cells).")
    .option(
      "--rtl <folder>",
      "A folder whose files replace the files of the same names in neardata's RTL.",
    )
    .option("--param <name=value>", "A parameter of the unit; repeatable.", collect, [])
    .option(
      "--sweep <name=v1,v2>",
      "Area and speed (ndp, sparf) at each value of a parameter; repeatable.",
      collect,
      [],
    )
    .option("--out <file.html>", "Write a page.")
    .option("--liberty <file>", "Standard cells in place of synth/gates7.lib (.lib, .lib.gz).")
    .addOption(
      new Option(
        "--record",
        "Also measure energy, and record the results in data/cost (ndp, sparf).",
      )
        .default(false)
        // Recorded are designs of the machines, in the cells of the repository.
        .conflicts(["sweep", "liberty", "target", "rtl"]),
    )
    .option("--json", "Print one JSON document.", false)
    .addHelpText("after", example("neardata area argtopk --target asic"))
    .action(area);
}

async function area(given: string, options: Options): Promise<void> {
  const output = checkOptionalOutput("--out", options.out, inputsOf(options));
  if (output !== null) requirePackages(...plotPackages);
  const ownDesign = ownAt(given);
  if (ownDesign !== null && options.rtl !== undefined) {
    throw inputError("--rtl", `${given} has its own files.`);
  }
  const modules = ownDesign?.modules ?? changedModules(options.rtl);
  const name = ownDesign?.top ?? given;
  const target = targetOf(options.target ?? unitOf(name).target);
  if (target === "xc7" && options.liberty !== undefined) {
    throw inputError("--liberty", "standard cells are for --target asic, not xc7.");
  }
  if (options.sweep.length > 0) sweptUnit(name, options);
  const choices = [...fixedParameters(options.param), ...sweptParameters(options.sweep)];
  const [design = {}, ...others] = designs(name, choices, modules);
  const record = options.record ? recordOf(name, design) : null;
  const library = target === "xc7" ? null : readLibrary(options.liberty ?? builtInLibrary());
  const flow = await findFlow(library, modules, ownDesign?.separately);
  if (options.sweep.length > 0) {
    await sweep(name, flow, [design, ...others], options, output);
    return;
  }
  const measured = await measureArea(flow, name, design, saySlice);
  const timing = await wholeUnit(name, flow, design);
  const named = ownDesign === null ? {} : { unit: ownDesign.name, title: ownDesign.title };
  const report = { ...measured, ...named, timing };
  if (record !== null) await keep(record, flow, report);
  if (options.json) printJson(areaDocument(report));
  else printText(areaText(report));
  if (output !== null) {
    const { areaPage } = await import("../../../tools/area/page.ts");
    writePage(output, areaPage(report, version));
    remark(`page written to ${options.out ?? ""}`);
  }
  judgeChecks(
    claims(report).map((claim) => ({
      ...claim,
      id: claim.name,
      title: `claim not met: ${claim.name}`,
    })),
  );
}

/** Static timing of the slices of a unit, linked. */
async function wholeUnit(name: string, flow: Flow, parameters: Parameters): Promise<UnitTiming> {
  remark("timing of the whole unit");
  const { top: module } = unitOf(name);
  return timeUnit(flow, { module, parameters }, claimedPeriod(name, flow.library));
}

/** A unit of a folder: its modules by their files. */
interface OwnDesign extends Pick<CustomUnit, "name" | "title" | "top" | "separately"> {
  readonly modules: Readonly<Record<string, string>>;
}

/** The unit in a directory of this name; null if it has no unit. */
function ownAt(folder: string): OwnDesign | null {
  if (!existsSync(join(folder, "unit.yaml"))) return null;
  const ownUnit = readCustomUnit(folder, ".");
  return { ...ownUnit, modules: modulesIn(ownUnit.directory) };
}

/** Files by the modules that they have. */
function modulesIn(directory: string): Readonly<Record<string, string>> {
  const files = customUnitSources(directory).filter((file) => file.endsWith(".sv"));
  return Object.fromEntries(files.map((file) => [basename(file, ".sv"), join(directory, file)]));
}

/** Those of a folder of changes of neardata's RTL. @throws NeardataError `bad-input` */
function changedModules(folder: string | undefined): Readonly<Record<string, string>> | undefined {
  if (folder === undefined) return undefined;
  readOverlay(folder, ".");
  return modulesIn(folder);
}

function inputsOf({ liberty }: Options): readonly string[] {
  return liberty === undefined ? [] : [liberty];
}

/** Where reports look for area and energy of a unit. */
interface RecordPlace {
  readonly name: RecordedUnit;
  readonly design: Parameters;
  readonly path: string;
  readonly output: Output;
}

function recordOf(name: string, design: Parameters): RecordPlace {
  const recorded = recordedAs(name, design);
  if (recorded === undefined) {
    const recordable = Object.values(recordedDesigns).map(({ unit, parameters }) =>
      [unit, ...Object.entries(parameters).map(([key, value]) => `${key}=${value}`)].join(" "),
    );
    throw inputError("--record", `records exist only for these designs: ${recordable.join("; ")}.`);
  }
  const path = recordPath(recorded);
  return { name: recorded, design, path, output: checkOutput("--record", path) };
}

/** Writes area and energy to the record. Energy is always that of the synthesized cells. */
async function keep(
  { name, design, path, output }: RecordPlace,
  flow: Flow,
  area: AreaReport,
): Promise<void> {
  const library = readLibrary(builtInLibrary());
  const measure = name === "sparf" ? sparfEnergy : ndpEnergy;
  const energy = await measure({ ...flow, library }, library, design);
  const record = { sources: sourcesHash(name), area, energy };
  output.write(`${JSON.stringify(record, null, 2)}\n`);
  remark(`kept in ${path}`);
}

function sweptUnit(name: string, { param, sweep }: Options): SweptUnit {
  const unit = sweptUnitOf(
    name,
    [...param, ...sweep].map((choice) => present(choice.split("=")[0])),
  );
  if (unit === undefined) throw inputError("--sweep", "speed is measured for ndp and sparf only.");
  return unit;
}

/** Area against speed. */
async function sweep(
  name: string,
  flow: Flow,
  choices: readonly Parameters[],
  options: Options,
  output: Output | null,
): Promise<void> {
  const { designLine, measurePoints, paretoPage } = await import("../../../tools/area/pareto.ts");
  const unit = sweptUnit(name, options);
  const points = await measurePoints(flow, unit, choices, saySlice);
  if (options.json) printJson({ points });
  else printText(points.map(designLine).join("\n"));
  if (output !== null) {
    writePage(output, paretoPage(unit, points, flow, version));
    remark(`page written to ${options.out ?? ""}`);
  }
}

function saySlice(slice: Instance): void {
  remark(`slice ${slice.module} ${JSON.stringify(slice.parameters)}`);
}

function writePage(output: Output, page: Page): void {
  output.write(renderPage(page));
}

function targetOf(name: string): Target {
  if (name === "xc7" || name === "asic") return name;
  throw inputError("--target", `${formatValue(name)} is neither xc7 nor asic.`);
}
