// SPDX-License-Identifier: Apache-2.0
// One cycle of RTL and netlist with the same at their ports.

import { defined, instantiate, undefinedBit, type Bit, type Gates } from "./gates.ts";
import type { Named } from "./graphs.ts";

export interface Step {
  readonly outputs: readonly {
    readonly name: string;
    readonly rtl: Bit;
    readonly mapped: number;
  }[];
  /** Next states of the registers. */
  readonly rtl: readonly Bit[];
  readonly mapped: readonly number[];
}

interface StepInputs {
  readonly rtl: Named;
  readonly mapped: Named;
  readonly port: (place: number) => number;
  /** Values of the registers of the RTL. */
  readonly rtlHolds: readonly Bit[];
  /** Values of the registers of the netlist. */
  readonly mappedHolds: readonly number[];
}

/** One step of both, given the values of their registers. */
export function step(gates: Gates, { rtl, mapped, port, rtlHolds, mappedHolds }: StepInputs): Step {
  const open = new Set(rtl.undefinedInputs);
  const rtlPorts = Array.from({ length: rtl.graph.inputs }, (_, i) =>
    open.has(i) ? undefinedBit : defined(port(i)),
  );
  const mappedPorts: Bit[] = [];
  for (const [name, place] of mapped.inputs) {
    mappedPorts[place] = defined(port(rtl.inputs.get(name) ?? 0));
  }
  const rtlBit = instantiate(gates, rtl.graph, [...rtlPorts, ...rtlHolds]);
  const mappedBit = instantiate(gates, mapped.graph, [...mappedPorts, ...mappedHolds.map(defined)]);
  return {
    outputs: [...rtl.outputs].map(([name, literal]) => ({
      name,
      rtl: rtlBit(literal),
      mapped: mappedBit(mapped.outputs.get(name) ?? 0)[0],
    })),
    rtl: rtl.graph.latches.map(rtlBit),
    mapped: mapped.graph.latches.map((next) => mappedBit(next)[0]),
  };
}
