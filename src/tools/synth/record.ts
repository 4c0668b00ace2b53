// SPDX-License-Identifier: Apache-2.0
// Measured cost of a unit as a file of the repository, so that a report has it without a synthesis tool. It is valid
// for one state of the RTL, identified by a hash; a test fails if the RTL has changed.

import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { isDeepStrictEqual } from "node:util";
import { z } from "zod";

import { inputError } from "../../base/errors.ts";
import { readJson } from "../../base/json.ts";
import { inRepository } from "../../base/paths.ts";
import { sourceClosure } from "../../native/compile/source-hash.ts";
import { paperMachine } from "../../machine/resolve/systems.ts";
import type { NdpUnitParameters } from "../../machine/types.ts";
import type { AreaReport, SliceRow } from "../../results/area-report.ts";
import type { UnitEnergy } from "../../results/unit-energy.ts";
import { builtInLibrary } from "./cells/liberty.ts";
import { dimmParameters } from "./ndp-parts.ts";
import { closureOf } from "./rtl-files.ts";
import { toolsOf, type Flow } from "./slice.ts";
import type { Parameters } from "../../machine/slices.ts";
import { separateModules, unitOf } from "./units.ts";

/** Designs with a recorded cost, by the name of the file. */
export const recordedUnits = ["ndp", "ndp-two-bit", "ndp-low-bit-two-bit", "sparf"] as const;
export type RecordedUnit = (typeof recordedUnits)[number];

/** A unit with the parameters that differ from the papers' size. */
export interface RecordedDesign {
  readonly unit: "ndp" | "sparf";
  readonly parameters: Parameters;
}

export const recordedDesigns: Readonly<Record<RecordedUnit, RecordedDesign>> = {
  ndp: { unit: "ndp", parameters: {} },
  "ndp-two-bit": { unit: "ndp", parameters: { BitsPerCycle: 2 } },
  "ndp-low-bit-two-bit": { unit: "ndp", parameters: { BitsPerCycle: 2, LowBitWeights: 1 } },
  sparf: { unit: "sparf", parameters: {} },
};

/** The design of a unit with these parameters; undefined without a record. */
export function recordedAs(unit: string, parameters: Parameters): RecordedUnit | undefined {
  return recordedUnits.find((name) => {
    const design = recordedDesigns[name];
    return design.unit === unit && isDeepStrictEqual(design.parameters, parameters);
  });
}

/** The design of the DIMM-NDP unit of a machine; undefined without a record of such a design. */
export function recordedNdp(unit: NdpUnitParameters): RecordedUnit | undefined {
  const paper = dimmParameters(paperMachine().unit);
  const changed = Object.entries(dimmParameters(unit)).filter(
    ([name, value]) => value !== paper[name],
  );
  // Without this parameter a unit supports no low-bit weights.
  const parameters = Object.fromEntries(changed.filter(([, value]) => value !== 0));
  return unit.slotCycles === undefined ? recordedAs("ndp", parameters) : undefined;
}

/** The contents of a record of `neardata area UNIT --record`. */
export interface CostRecord {
  /** Hash of the RTL and the cells that the unit was measured with. */
  readonly sources: string;
  /** Null where the whole unit was not measured. */
  readonly area: AreaReport | null;
  readonly energy: UnitEnergy;
}

export function recordPath(name: RecordedUnit): string {
  return inRepository("data", "cost", `${name}.json`);
}

/** SystemVerilog without its comments, blank lines and spaces at line ends: text that no synthesis depends on. */
export function codeOf(text: string): string {
  return text
    .replaceAll(/\/\*[\s\S]*?\*\/|\/\/.*/g, "")
    .split("\n")
    .map((line) => line.trimEnd())
    .filter((line) => line !== "")
    .join("\n");
}

/** Hash of everything that the measured numbers depend on: the code of the RTL, and the cells. */
export function sourcesHash(name: RecordedUnit): string {
  const { unit } = recordedDesigns[name];
  const closure = closureOf(unitOf(unit).top, []).map((file) => file.path);
  const files = sourceClosure([...closure, builtInLibrary()], [inRepository("rtl", "include")]);
  const hash = createHash("sha256").update(JSON.stringify(unit));
  for (const file of files) {
    const text = readFileSync(file, "utf8");
    hash.update("\0").update(/\.svh?$/.test(file) ? codeOf(text) : text);
  }
  return hash.digest("hex").slice(0, 24);
}

const record = z.looseObject({
  sources: z.string(),
  area: z.looseObject({}).nullable(),
  energy: z.looseObject({}),
});

/** The record, and whether it matches the current RTL; null without a record. */
export function readRecord(
  name: RecordedUnit,
): { readonly record: CostRecord; readonly current: boolean } | null {
  const recorded = readCost(name);
  return recorded && { record: recorded, current: recorded.sources === sourcesHash(name) };
}

/**
 * The slices of a recorded unit, if the record belongs to the RTL as it is, to the cells of `flow` and to its tools.
 * Their areas then equal those of a new synthesis, which needs minutes.
 */
export function recordedSlices(name: RecordedUnit, flow: Flow): readonly SliceRow[] {
  const read = readRecord(name);
  const area = read?.current === true ? read.record.area : null;
  const isSame =
    area !== null &&
    area.library === (flow.library?.name ?? null) &&
    flow.library?.path === builtInLibrary() &&
    isDeepStrictEqual(area.tools, toolsOf(flow)) &&
    Object.keys(flow.replaced).length === 0 &&
    isDeepStrictEqual(flow.separately, separateModules) &&
    flow.memories === "macros";
  return isSame ? area.slices : [];
}

/**
 * The record alone, even if the RTL has changed; null without a record.
 * @throws NeardataError `bad-input` when it is not whole.
 */
export function readCost(name: RecordedUnit): CostRecord | null {
  const path = recordPath(name);
  return existsSync(path) ? parseCost(readFileSync(path, "utf8"), path) : null;
}

/** @throws NeardataError `bad-input` when the text is not a record; `path` is for the message. */
export function parseCost(text: string, path: string): CostRecord {
  const read = readJson(text);
  if (read.ok) {
    const parsed = record.safeParse(read.value);
    if (parsed.success) return parsed.data as unknown as CostRecord;
  }
  const why = read.ok ? "parts of it are missing." : read.problem;
  throw inputError(
    path,
    `the record of a unit's area and energy is not whole, \`neardata area --record\` makes it anew: ${why}`,
  );
}
