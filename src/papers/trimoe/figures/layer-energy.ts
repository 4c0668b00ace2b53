// SPDX-License-Identifier: Apache-2.0
// The energy of simulated layers, part by part, as tables of a page and as rows for the terminal.

import { paperMachine } from "../../../machine/resolve/systems.ts";
import { energyBySource, energySources } from "../../../results/energy/energy-parts.ts";
import { layerEnergy } from "../../../results/energy/layer-energy.ts";
import type { RunEnergy } from "../../../results/types.ts";
import type { Table } from "../../../report/page.ts";
import { pivotTable } from "../../../report/pivot.ts";
import { readRecord } from "../../../tools/synth/record.ts";
import type { SimulatedLayer } from "./cycle/simulated-layer.ts";

const milli = 1e3;

/** Null where the cost of the unit was not recorded. */
function energyOfLayer({ model, counts }: SimulatedLayer): RunEnergy | null {
  const recorded = readRecord("ndp")?.record;
  if (recorded === undefined) return null;
  const flipFlops = recorded.area?.sum.ff ?? 0;
  const { unit } = paperMachine();
  return layerEnergy({ id: model, title: model }, counts, recorded.energy, flipFlops, unit);
}

export interface LayerEnergies {
  readonly tables: readonly Table[];
  /** A row a part and a row a source. */
  readonly rows: Table["rows"];
}

/** Energies of layers whose energies have the same parts. */
export function energiesOf(layers: readonly SimulatedLayer[]): LayerEnergies {
  const energies = layers.flatMap((layer) => energyOfLayer(layer) ?? []);
  const [first] = energies;
  if (first === undefined) return { tables: [], rows: [] };
  const parts = first.parts.map(({ part, source, how }, i) => ({
    name: part,
    source,
    note: how,
    values: energies.map((energy) => milli * (energy.parts[i]?.joules ?? 0)),
  }));
  const sums = energySources.map((source) => ({
    name: `${source} together`,
    source,
    values: energies.map((energy) => milli * energyBySource(energy)[source]),
  }));
  const all = [...parts, ...sums].map((row) => ({ ...row, unit: "mJ" }));
  return {
    tables: pivotTable(
      "energy",
      "Energy of each layer: counted operations times the energy of one. CPU, GPU and their memories are not counted.",
      energies.map(({ title }) => title),
      all,
    ),
    rows: all.map(({ name, source, unit, values }) => ({
      energy: name,
      unit,
      source,
      ...Object.fromEntries(values.map((value, i) => [energies[i]?.title ?? "", value])),
    })),
  };
}
