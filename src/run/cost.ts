// SPDX-License-Identifier: Apache-2.0
// Energy and area of a run's hardware, from the records of the repository and the counts of the
// run.

import { isDeepStrictEqual } from "node:util";
import { engineSize } from "../machine/resolve/csd.ts";
import { paperMachine } from "../machine/resolve/systems.ts";
import type { Scenario } from "../scenario/resolve.ts";
import { modelShape } from "../workload/shapes.ts";
import { energyBySource } from "../results/energy/energy-parts.ts";
import { attentionEnergy, expertEnergy } from "../results/energy/energy.ts";
import type { RunCost, RunResult, UnitCost } from "../report/run-result.ts";
import { attention } from "./kernels/attention.ts";
import { experts } from "./kernels/experts.ts";
import { tokens } from "./kernels/tokens.ts";
import { readRecord, recordedNdp, type RecordedUnit } from "../tools/synth/record.ts";

/** Null if none of the hardware was recorded, as for a unit of the scenario. */
export function costOfRun(
  result: RunResult,
  { attention: layer, customUnit, unit: chosen, clockGating }: Scenario,
): RunCost | null {
  const ofExperts = experts.casesIn(result);
  const ofAttention = attention.casesIn(result);
  const ofTokens = tokens.casesIn(result);
  const noExpert = ofExperts.length + ofTokens.length === 0;
  // A unit without a record is reported with the record of the paper's size.
  const design = recordedNdp(chosen);
  const recorded = noExpert || customUnit !== undefined ? null : unitCost(design ?? "ndp");
  const another = design === undefined;
  const ndp = recorded !== null && another ? { ...recorded, another } : recorded;
  const recordedSparf =
    ofAttention.length + ofTokens.length === 0 || layer?.customUnit !== undefined
      ? null
      : unitCost("sparf");
  const resized = layer !== null && !isDeepStrictEqual(layer.engine, engineSize());
  const sparf =
    recordedSparf !== null && resized
      ? { ...recordedSparf, another: true as const }
      : recordedSparf;
  if (ndp === null && sparf === null) return null;
  const unit = another ? paperMachine().unit : chosen;
  const gated = clockGating === true ? ndp?.area?.units : undefined;
  const expertEnergies = ofExperts.flatMap((c) => {
    const energy = ndp && expertEnergy(c, ndp.energy, ndp.area?.sum.ff ?? 0, unit, gated);
    return energy === null ? [] : [{ ...energy, kind: "expert" as const }];
  });
  const layers = ofAttention.flatMap((c) => {
    const energy = sparf && attentionEnergy(c, sparf.energy, sparf.area?.sum.ff ?? null);
    return energy === null ? [] : [{ ...energy, kind: "attention" as const }];
  });
  const whole = ofTokens.flatMap(({ id, title, energy }) =>
    energy === null ? [] : [{ ...energy, id, title, kind: "token" as const }],
  );
  const model = layer?.model ?? null;
  const count = model === null ? null : modelShape(model, "attention.model").layers;
  const token = layers.flatMap((energy) => {
    if (count === null) return [];
    const { measured, published, derived, assumed } = energyBySource(energy);
    return [
      {
        title: energy.title,
        layers: count,
        measured: count * measured,
        published: count * published,
        derived: count * derived,
        assumed: count * assumed,
      },
    ];
  });
  return {
    units: [ndp, sparf].flatMap((unitOf) => unitOf ?? []),
    energy: [...expertEnergies, ...layers, ...whole],
    token,
  };
}

function unitCost(unit: RecordedUnit): UnitCost | null {
  const recorded = readRecord(unit);
  if (recorded === null) return null;
  const { record, current } = recorded;
  return { name: unit, area: record.area, energy: record.energy, current };
}
