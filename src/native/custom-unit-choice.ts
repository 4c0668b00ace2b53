// SPDX-License-Identifier: Apache-2.0
// RTL units of a scenario: a directory with SystemVerilog and a unit.yaml with the interface of the unit
// and its parameters, and with a golden model if it computes other numbers.

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { z } from "zod";
import type { SparfUnitParameters } from "../machine/csd/csd-machine.ts";
import { inFile, inputError, type Issue } from "../base/errors.ts";
import { reasonOf, formatPath } from "../base/files/reason.ts";
import type { FloatFormat } from "../golden/activation.ts";
import { inRepository } from "../base/paths.ts";
import { isForeign } from "./compile/foreign-sources.ts";
import { unknownUses } from "./compile/rtl-sources.ts";
import { didYouMean } from "../base/nearest.ts";
import { hashOfValue } from "../base/hash.ts";
import { parsedFile } from "../base/issues.ts";
import { fileName } from "../base/limits.ts";
import { ndpUnitShape, type NdpUnitContent } from "../machine/resolve/ndp-schema.ts";
import { parseYaml } from "../base/yaml.ts";
import { floatFormats } from "../golden/names.ts";

/** A parameter of a unit of an NDP DIMM as a scenario names it. */
export type NdpUnitKey = keyof typeof ndpUnitShape;

/** The machine of a unit, whose ports the unit has. */
export type CustomUnitMachine = (typeof machines)[number];
const machines = ["ndp-dimm", "storage-device"] as const;

/** A unit of a directory. Fields that apply only to an NDP DIMM are empty for a storage device. */
export interface CustomUnit {
  readonly machine: CustomUnitMachine;
  readonly name: string;
  readonly title: string;
  /** Absolute. */
  readonly directory: string;
  readonly top: string;
  /**
   * Directories and files below `rtl` whose modules the unit uses, except those that its own
   * directory replaces; C and C++ files of its directory.
   */
  readonly uses: readonly string[];
  /** RTL parameters: a number, or the parameter of the machine that it is. */
  readonly parameters: Readonly<Record<string, number | UnitKey>>;
  /** Of the machine, where they differ from the system's. */
  readonly ndp: NdpUnitContent;
  /** Cycles of a block of weights times one token; null: as TriMoE's, bit-serial. */
  readonly slotCycles: number | null;
  readonly formats: readonly FloatFormat[];
  /** Modules that are always synthesized separately. */
  readonly separately: readonly string[];
  /**
   * A golden module in its directory; null: it computes bit for bit the same as the paper's unit.
   */
  readonly golden: string | null;
  /** SHA-256 of the files that it is made of. */
  readonly digest: string;
}

const unitFile = "unit.yaml";
const identifier = /^[A-Za-z_]\w*$/;
const ndpKeys = Object.keys(ndpUnitShape) as readonly NdpUnitKey[];
const sparfKeys = [
  ...["channels", "kernels", "lanes", "width", "maxKeys", "maxGroup", "slots", "ringLines"],
  ...["maxPageRows", "tags", "querySets"],
] as readonly (keyof SparfUnitParameters)[];
const keysOf: Readonly<Record<CustomUnitMachine, readonly string[]>> = {
  "ndp-dimm": ndpKeys,
  "storage-device": sparfKeys,
};
/** A parameter of the machine. */
export type UnitKey = NdpUnitKey | keyof SparfUnitParameters;

const schema = z.strictObject({
  name: fileName,
  title: z.string().describe("one line for people"),
  machine: z.enum(machines).describe("whose ports the unit has"),
  top: z.string().regex(identifier, { error: "a module has letters, digits and _ in its name." }),
  uses: z
    .array(z.string())
    .optional()
    .describe(
      "folders and files below rtl with modules it has, and C or C++ files of its folder with functions that it imports",
    ),
  golden: z.string().optional().describe("a module of the folder that computes what the unit does"),
  separately: z
    .array(z.string().regex(identifier))
    .optional()
    .describe("modules that are synthesized by themselves, as they stand there many times"),
  formats: z
    .array(z.enum(floatFormats))
    .min(1, { error: "at least one format is needed." })
    .optional(),
  ndp: z.strictObject(ndpUnitShape).optional().describe("parameters unlike the system's"),
  slotCycles: z
    .int()
    .min(1)
    .max(65536)
    .optional()
    .describe("cycles of a block of weights times one token"),
  parameters: z
    .record(
      z.string().regex(identifier),
      z.union([z.int().min(0), z.enum([...ndpKeys, ...sparfKeys])]),
    )
    .optional()
    .describe("parameters of the top: a number, or the parameter of the machine that it is"),
});

/**
 * The unit in `folder`, relative to the directory `from`, else to neardata's. `where` is the key of
 * the folder, for messages. `machine` is the required machine.
 * @throws NeardataError `bad-input` with every problem of its file
 */
export function readCustomUnit(
  folder: string,
  from: string,
  where = "unit.rtl",
  machine?: CustomUnitMachine,
): CustomUnit {
  const places = [resolve(from, folder), inRepository(folder)];
  const directory = places.find((place) => existsSync(join(place, unitFile)));
  if (directory === undefined) {
    throw inputError(where, `there is no ${unitFile} in the folder ${formatPath(folder)}.`);
  }
  const unit = unitIn(directory, join(folder, unitFile));
  if (machine === undefined || unit.machine === machine) return unit;
  throw inputError(where, `${unit.name} is a unit of ${unit.machine}, not of ${machine}.`);
}

function unitIn(directory: string, file: string): CustomUnit {
  const content = parsedFile(file, parseYaml(file, read(directory, unitFile)), schema);
  const { uses = [], golden = null, formats = floatFormats, ndp = {} } = content;
  const { name, title, top, parameters = {}, slotCycles = null, separately = [] } = content;
  const { machine } = content;
  const issues = [
    ...unknownUses(uses),
    ...missingForeign(directory, uses),
    ...missingGolden(directory, golden),
    ...foreignKeys(content),
  ];
  if (issues.length > 0) throw inFile(file, issues);
  const files = [
    unitFile,
    ...customUnitSources(directory),
    ...customUnitModules(directory),
    ...uses.filter(isForeign),
  ];
  const digest = hashOfValue(files.map((one) => [one, read(directory, one)]));
  return {
    machine,
    name,
    title,
    directory,
    top,
    uses,
    parameters,
    ndp,
    slotCycles,
    formats,
    separately,
    golden,
    digest,
  };
}

/** The schema of unit.yaml as a JSON Schema document. */
export function customUnitJsonSchema(): unknown {
  return z.toJSONSchema(schema, { io: "input", unrepresentable: "any" });
}

/** The SystemVerilog and the waivers of a unit's folder, by name. */
export function customUnitSources(directory: string): readonly string[] {
  return namesIn(directory).filter((name) => /\.(sv|vlt)$/.test(name));
}

/** Modules of TypeScript and JavaScript in a unit's folder, but for its tests. */
function customUnitModules(directory: string): readonly string[] {
  return namesIn(directory).filter((n) => /\.[tj]s$/.test(n) && !/\.test\.[tj]s$/.test(n));
}

function namesIn(directory: string): readonly string[] {
  return readdirSync(directory, { withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => entry.name)
    .sort();
}

function read(directory: string, name: string): string {
  const path = join(directory, name);
  try {
    return readFileSync(path, "utf8");
  } catch (cause) {
    throw inputError(formatPath(path), `${reasonOf(cause)}.`, cause);
  }
}

/** Missing C and C++ files, which must be in the unit's directory. */
function missingForeign(directory: string, uses: readonly string[]): readonly Issue[] {
  return uses.flatMap((name, i) => {
    if (!isForeign(name) || namesIn(directory).includes(name)) return [];
    return [{ where: `uses[${i}]`, message: `there is no file ${name} in the unit's folder.` }];
  });
}

function missingGolden(directory: string, golden: string | null): readonly Issue[] {
  if (golden === null || customUnitModules(directory).includes(golden)) return [];
  return [{ where: "golden", message: `there is no module ${golden} in the unit's folder.` }];
}

/** Keys and parameters that apply only to the other machine. */
function foreignKeys(description: z.infer<typeof schema>): readonly Issue[] {
  const { machine, parameters = {} } = description;
  const issues = Object.entries(parameters).flatMap(([name, of]) => {
    if (typeof of === "number" || keysOf[machine].includes(of)) return [];
    const message = `"${of}" is no parameter of ${machine}.${didYouMean(of, keysOf[machine])}`;
    return [{ where: `parameters.${name}`, message }];
  });
  if (machine === "ndp-dimm") return issues;
  const message = "only units of ndp-dimm have this key.";
  const foreign = (["golden", "formats", "ndp", "slotCycles"] as const).filter(
    (k) => k in description,
  );
  return [...issues, ...foreign.map((where) => ({ where, message }))];
}
