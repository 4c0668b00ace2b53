// SPDX-License-Identifier: Apache-2.0
// Measured cost of a unit as a file of the repository, so that a report has it without a synthesis
// tool. It belongs to one state of the RTL, known by a hash; a test fails when that is not this one.

import { existsSync, readFileSync } from "node:fs";
import { z } from "zod";

import { inRepository } from "../native/paths.ts";
import { hashOf, sourceClosure } from "../native/compile/source-hash.ts";
import type { AreaReport } from "./area.ts";
import type { UnitEnergy } from "./energy.ts";
import { ownLibrary } from "./cells/liberty.ts";
import { closureOf } from "./rtl-files.ts";
import { unitOf } from "./units.ts";

/** Units whose cost is kept. */
export const recordedUnits = ["ndp", "sparf"] as const;
export type RecordedUnit = (typeof recordedUnits)[number];

/** What `neardata area UNIT --record` leaves. */
export interface CostRecord {
  /** Of the RTL and the cells that it was measured with. */
  readonly sources: string;
  /** Null where the whole unit was not measured. */
  readonly area: AreaReport | null;
  readonly energy: UnitEnergy;
}

export function recordPath(unit: RecordedUnit): string {
  return inRepository("data", "cost", `${unit}.json`);
}

/** Hash of everything that the measured numbers come from. */
export function sourcesHash(unit: RecordedUnit): string {
  const closure = closureOf(unitOf(unit).top, []).map((file) => file.path);
  const files = sourceClosure([...closure, ownLibrary()], [inRepository("rtl", "include")]);
  return hashOf(unit, files).slice(0, 24);
}

const record = z.looseObject({
  sources: z.string(),
  area: z.looseObject({}).nullable(),
  energy: z.looseObject({}),
});

/** The record, and whether it belongs to the RTL as it is; null where there is none. */
export function readRecord(
  unit: RecordedUnit,
): { readonly record: CostRecord; readonly current: boolean } | null {
  const path = recordPath(unit);
  if (!existsSync(path)) return null;
  const parsed = record.parse(JSON.parse(readFileSync(path, "utf8"))) as unknown as CostRecord;
  return { record: parsed, current: parsed.sources === sourcesHash(unit) };
}
