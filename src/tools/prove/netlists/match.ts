// SPDX-License-Identifier: Apache-2.0
// Equivalence of a netlist and its RTL, as logic without registers. Registers are matched by name. Synthesis also
// removes registers with a constant value or the value of another register, which a simulation of the RTL guesses. The
// proof then checks the guess: for any contents of the registers of the netlist, the RTL with the same contents (and
// those constants and copies) has the same outputs and the same next state. So each behaviour of the netlist, from any
// contents of its registers and for ever, is a behaviour of the RTL.

import { present } from "../../../base/present.ts";
import { differ, or, emptyGates, not, undefinedBit, type Bit, type Gates } from "./gates.ts";
import type { Encoding, Named } from "./graphs.ts";
import { inStates, netlistState, oneOf, registersOf, rtlState } from "./registers.ts";
import { step } from "./step.ts";

/** True where a bit differs. */
export interface Difference {
  readonly name: string;
  readonly literal: number;
  /** The register of the RTL, if a simulation suggested its counterpart. */
  readonly guess: number | null;
}

export interface Matched {
  readonly gates: Gates;
  readonly differences: readonly Difference[];
  readonly registers: number;
  /** Registers of the RTL that the netlist has as constants or not at all. */
  readonly leftOut: number;
  /** Registers of the netlist that duplicate another register. */
  readonly copies: number;
  /** State machines whose states are one bit each in the netlist. */
  readonly machines: number;
  /** Outputs and next contents of registers that the RTL leaves undefined in some states. */
  readonly open: number;
}

/** Or why the registers cannot be matched. */
export type Match = Matched | { readonly unmatched: string };

/** `refuted`: registers of the RTL whose suggested counterpart is wrong. */
export function match(
  rtl: Named,
  mapped: Named,
  encodings: readonly Encoding[],
  refuted: ReadonlySet<number> = new Set(),
): Match {
  if (mapped.undefinedInputs.length > 0) return { unmatched: "the netlist has undriven bits" };
  const registers = registersOf(rtl, mapped, encodings, refuted);
  // Ports of the RTL, then registers of the netlist, then those of the RTL as far as they are free.
  const ports = rtl.graph.inputs;
  const firstFree = ports + mapped.graph.latches.length;
  const gates = emptyGates(firstFree + rtl.graph.latches.length);
  const port = (place: number): number => 2 * (1 + place);
  const stateAt = (place: number): number => port(ports + place);
  const unknown = [...mapped.inputs.keys()].find((name) => !rtl.inputs.has(name));
  if (unknown !== undefined) return { unmatched: `the RTL has no input ${unknown}` };
  const missing = [...rtl.outputs.keys()].find((name) => !mapped.outputs.has(name));
  if (missing !== undefined) return { unmatched: `the netlist has no output ${missing}` };
  const reset = rtl.inputs.get("rst_ni[0]");
  if (registers.machines.length > 0 && reset === undefined) {
    return { unmatched: "nothing brings its state machines into a state" };
  }
  const rtlHeld = rtlState(gates, registers, stateAt, (register) => port(firstFree + register));
  const next = step(gates, {
    rtl,
    mapped,
    port,
    rtlHolds: rtlHeld,
    mappedHolds: netlistState(mapped, registers, stateAt, rtlHeld),
  });
  const inState = inStates(gates, registers, stateAt);
  const differences: Difference[] = [];
  let open = 0;
  const compare = (
    name: string,
    bit: Bit,
    literal: number,
    { when = inState, guess = null }: { when?: number; guess?: number | null } = {},
  ): void => {
    if (bit[0] !== not(bit[1])) open += 1;
    differences.push({ name, literal: gates.and(when, differ(gates, bit, literal)), guess });
  };
  for (const output of next.outputs) compare(output.name, output.rtl, output.mapped);
  registers.sources.forEach((source, i) => {
    if (source.kind === "free" || source.kind === "states") return;
    const value =
      source.kind === "constant" ? Number(source.value) : present(next.mapped[source.place]);
    const guess = registers.guessed.has(i) ? i : null;
    compare(present(rtl.registers[i]?.[0]), next.rtl[i] ?? undefinedBit, value, { guess });
  });
  for (const [place, original] of registers.copies) {
    const name = present(mapped.registers[place]?.[0]);
    compare(name, next.rtl[original] ?? undefinedBit, present(next.mapped[place]));
  }
  // A reset leads from any state to a valid one, and every step from a valid state to a valid one.
  const led = or(gates, inState, reset === undefined ? 0 : not(port(reset)));
  for (const { name, places, codes, bits } of registers.machines) {
    const values = places.map((place) => present(next.mapped[place]));
    const state = bits.map((bit) => next.rtl[bit] ?? undefinedBit);
    codes.forEach((code, i) => {
      compare(`${name}[${String(i)}]`, isCode(gates, state, code), present(values[i]), {
        when: led,
      });
    });
    differences.push({ name, literal: gates.and(led, not(oneOf(gates, values))), guess: null });
  }
  return {
    gates,
    differences: differences.filter(({ literal }) => literal !== 0),
    registers: mapped.graph.latches.length,
    leftOut: registers.sources.filter((s) => s.kind === "constant" || s.kind === "free").length,
    copies: registers.copies.size,
    machines: registers.machines.length,
    open,
  };
}

/** Whether these bits are the number. */
function isCode(gates: Gates, bits: readonly Bit[], code: number): Bit {
  return bits.reduce<Bit>(
    (all, [one, zero], i) => {
      const [is, isNot] = ((code >> i) & 1) === 1 ? [one, zero] : [zero, one];
      return [gates.and(all[0], is), or(gates, all[1], isNot)];
    },
    [1, 0],
  );
}
