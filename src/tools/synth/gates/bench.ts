// SPDX-License-Identifier: Apache-2.0
// Driven netlists of slices, and the energy of their operations.

import { readFileSync } from "node:fs";

import type { Library } from "../cells/liberty.ts";
import { synthesizeSlice, type Flow } from "../slice.ts";
import type { Instance } from "../../../machine/slices.ts";
import { separateModules } from "../units.ts";
import { cellKinds, type CellKind } from "./gate-cells.ts";
import { parseNetlist } from "./gate-netlist.ts";
import { gateSimulator, type GateSimulator, type Switching } from "./gate-sim.ts";
import type { OperationEnergy, GatedModule } from "../../../results/unit-energy.ts";

/** Slices that are synthesized, and made ready to be driven, when they are opened. */
export interface Bench {
  readonly volts: number;
  readonly open: (instance: Instance) => Promise<GateSimulator>;
  /** Clock gating of the opened modules, by name. */
  readonly gating: ReadonlyMap<string, GatedModule>;
}

export function benchOf(flow: Flow, library: Library): Bench {
  const kinds: ReadonlyMap<string, CellKind> = cellKinds(library);
  const volts = Number(/nom_voltage\s*:\s*([\d.]+)/.exec(library.text)?.[1] ?? 0);
  const gating = new Map<string, GatedModule>();
  return {
    volts,
    gating,
    open: async (instance) => {
      const { netlist } = await synthesizeSlice(flow, instance, separateModules);
      const simulator = gateSimulator(parseNetlist(readFileSync(netlist, "utf8")), kinds);
      const { flipFlops, gated, gates } = simulator.registers;
      gating.set(instance.module, {
        module: instance.module,
        share: gated / Math.max(1, flipFlops),
        gates: gates / Math.max(1, flipFlops),
      });
      if (simulator.inputs.has("rst_ni")) {
        simulator.set("rst_ni", [0]);
        for (let i = 0; i < 4; i += 1) simulator.cycle();
        simulator.set("rst_ni", [-1]);
      }
      return simulator;
    },
  };
}

/** Energy of one operation, if `count` of them caused this switching. */
export function operation(
  id: string,
  counts: string,
  { all, settled, clock }: Switching,
  count: number,
  volts: number,
): OperationEnergy {
  const joules = (femtojoules: number): number =>
    ((femtojoules - clock) * 1e-15 * volts ** 2) / count;
  return { id, counts, joules: joules(all), settledJoules: joules(settled) };
}

/** The same with the clock of its registers where they have gates. */
export function gatedOperation(
  id: string,
  counts: string,
  switching: Switching,
  count: number,
  volts: number,
): OperationEnergy {
  const gatedJoules = (switching.gatedClock * 1e-15 * volts ** 2) / count;
  return { ...operation(id, counts, switching, count, volts), gatedJoules };
}
