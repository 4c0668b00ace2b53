// SPDX-License-Identifier: Apache-2.0
// RTL units that a scenario brings: a folder with SystemVerilog, a golden model and a unit.yaml that
// says whose ports the unit has and which parameters are its own.

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { z } from "zod";
import { inFile, inputError, type Issue } from "../errors.ts";
import { reasonOf, shownPath } from "../files/reason.ts";
import type { FloatFormat } from "../golden/activation.ts";
import { inRepository } from "../native/paths.ts";
import { didYouMean } from "../nearest.ts";
import { hashOfValue } from "../results/hash.ts";
import { issuesOf } from "./issues.ts";
import { fileName } from "./limits.ts";
import { ndpUnitShape, type NdpUnitInput } from "./schema.ts";
import { parseYaml } from "./yaml.ts";

/** A parameter of a unit of an NDP DIMM as a scenario names it. */
export type NdpUnitKey = keyof typeof ndpUnitShape;

/** A unit of a folder, complete. */
export interface OwnUnit {
  readonly name: string;
  readonly title: string;
  /** Absolute. */
  readonly directory: string;
  readonly top: string;
  /** Folders and files below `rtl` whose modules it has, but for those that its folder has itself. */
  readonly uses: readonly string[];
  /** RTL parameters: a number, or the parameter of the machine that it is. */
  readonly parameters: Readonly<Record<string, number | NdpUnitKey>>;
  /** Of the machine, where they differ from the system's. */
  readonly ndp: NdpUnitInput;
  /** Cycles of a block of weights times one token; null: as TriMoE's, bit-serial. */
  readonly slotCycles: number | null;
  readonly formats: readonly FloatFormat[];
  /** Modules that are synthesized by themselves wherever they stand. */
  readonly apart: readonly string[];
  /** A module of its folder; null: it computes bit for bit what TriMoE's unit does. */
  readonly golden: string | null;
  /** SHA-256 of the files that it is made of. */
  readonly digest: string;
}

const unitFile = "unit.yaml";
const identifier = /^[A-Za-z_]\w*$/;
const ndpKeys = Object.keys(ndpUnitShape) as readonly NdpUnitKey[];

const schema = z.strictObject({
  name: fileName,
  title: z.string().describe("one line for people"),
  machine: z.literal("ndp-dimm").describe("whose ports the unit has"),
  top: z.string().regex(identifier, { error: "a module has letters, digits and _ in its name." }),
  uses: z.array(z.string()).optional().describe("folders and files below rtl with modules it has"),
  golden: z.string().optional().describe("a module of the folder that computes what the unit does"),
  apart: z
    .array(z.string().regex(identifier))
    .optional()
    .describe("modules that are synthesized by themselves, as they stand there many times"),
  formats: z
    .array(z.enum(["fp16", "bf16"]))
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
    .record(z.string().regex(identifier), z.union([z.int().min(0), z.enum(ndpKeys)]))
    .optional()
    .describe("parameters of the top: a number, or the parameter of the machine that it is"),
});

/**
 * The unit in `folder`, seen from the folder `from`, else from neardata's own.
 * @throws NeardataError `bad-input` with every problem of its file
 */
export function readOwnUnit(folder: string, from: string): OwnUnit {
  const places = [resolve(from, folder), inRepository(folder)];
  const directory = places.find((place) => existsSync(join(place, unitFile)));
  if (directory === undefined) {
    throw inputError("unit.rtl", `there is no ${unitFile} in the folder ${shownPath(folder)}.`);
  }
  const file = join(folder, unitFile);
  const parsed = schema.safeParse(parseYaml(file, read(directory, unitFile)), {
    reportInput: true,
  });
  if (!parsed.success) throw inFile(file, issuesOf(parsed.error, schema));
  const { uses = [], golden = null, formats = ["fp16", "bf16"], ndp = {} } = parsed.data;
  const { name, title, top, parameters = {}, slotCycles = null, apart = [] } = parsed.data;
  const issues = [...unknownUses(uses), ...missingGolden(directory, golden)];
  if (issues.length > 0) throw inFile(file, issues);
  const files = [unitFile, ...ownSources(directory), ...ownModules(directory)];
  const digest = hashOfValue(files.map((one) => [one, read(directory, one)]));
  return {
    ...{ name, title, directory, top, uses, parameters, ndp, slotCycles },
    ...{ formats, apart, golden, digest },
  };
}

/** The SystemVerilog and the waivers of a unit's folder, by name. */
export function ownSources(directory: string): readonly string[] {
  return namesIn(directory).filter((name) => /\.(sv|vlt)$/.test(name));
}

/** Modules of TypeScript and JavaScript in a unit's folder, but for its tests. */
function ownModules(directory: string): readonly string[] {
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
    throw inputError("unit.rtl", `${shownPath(path)}: ${reasonOf(cause)}.`, cause);
  }
}

function unknownUses(uses: readonly string[]): readonly Issue[] {
  const known = readdirSync(inRepository("rtl"));
  return uses.flatMap((name, i) => {
    const below = name !== "" && !name.split("/").includes("..");
    if (below && existsSync(inRepository("rtl", name))) return [];
    const message = `there is no rtl/${name}.${didYouMean(name, known)}`;
    return [{ where: `uses[${String(i)}]`, message }];
  });
}

function missingGolden(directory: string, golden: string | null): readonly Issue[] {
  if (golden === null || ownModules(directory).includes(golden)) return [];
  return [{ where: "golden", message: `there is no module ${golden} in the unit's folder.` }];
}
