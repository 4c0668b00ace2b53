// SPDX-License-Identifier: Apache-2.0
// Energy of a point's expert runs as numbers of its row, where the operations of its unit were measured.

import type { Scenario } from "../../scenario/resolve.ts";
import type { PointResult } from "../../explore/point.ts";
import { unitPartNames } from "../../results/energy/energy-parts.ts";
import { expertEnergy } from "../../results/energy/energy.ts";
import type { RunResult } from "../../report/run-result.ts";
import { experts } from "../../run/kernels/experts.ts";
import {
  readCost,
  recordedNdp,
  type CostRecord,
  type RecordedUnit,
} from "../../tools/synth/record.ts";

const micro = 1e6;

/** Records that this process has read; a sweep has thousands of points. */
const read = new Map<RecordedUnit, CostRecord | null>();

function costOf(name: RecordedUnit): CostRecord | null {
  const known = read.get(name);
  if (known !== undefined) return known;
  const cost = readCost(name);
  read.set(name, cost);
  return cost;
}

/** Two numbers per case: the energy of all counted parts, and that of the unit. */
export function energyMetrics(
  result: Pick<RunResult, "kernels">,
  { unit, customUnit, clockGating }: Scenario,
): PointResult["metrics"] {
  const cases = experts.casesIn(result);
  if (customUnit !== undefined || cases.every(({ run }) => run === null)) return [];
  const name = recordedNdp(unit);
  const cost = name === undefined ? null : costOf(name);
  if (cost?.area === null || cost?.area === undefined) return [];
  const { energy, area } = cost;
  const gated = clockGating === true ? area.units : undefined;
  return cases.flatMap((one) => {
    const runEnergy = expertEnergy(one, energy, area.sum.ff, unit, gated);
    if (runEnergy === null) return [];
    const ofUnit = runEnergy.parts.filter(({ part }) => unitPartNames.includes(part));
    const uj = { unit: "uJ", source: "derived" } as const;
    return [
      { case: one.id, id: "energy", title: "energy", value: micro * runEnergy.joules, ...uj },
      {
        case: one.id,
        id: "unitEnergy",
        title: "energy of the unit",
        ...uj,
        value: micro * ofUnit.reduce((sum, { joules }) => sum + joules, 0),
      },
    ];
  });
}
