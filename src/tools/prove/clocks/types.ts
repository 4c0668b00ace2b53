// SPDX-License-Identifier: Apache-2.0
// The proof of a clock gate: while the gate is closed, the unit behaves the same with and without a clock.

import type { Parameters } from "../../../machine/slices.ts";
import type { Fault, Property } from "../types.ts";

/** An instance of `clock_gate`, and the module that contains it. */
export interface Gate {
  readonly module: string;
  readonly instance: string;
  /** The expression of the gate's `run_i`; the harness has the same expression as `run_o`. */
  readonly run: string;
}

/** One of the states in which a unit rests: bit i of the harness's `case_o` is the i-th. */
export interface RestCase {
  readonly name: string;
  /**
   * Registers of the harness that are loaded from free inputs while the unit rests. A name selects
   * the register, the words of an array, or all registers of an instance.
   */
  readonly loaded: readonly string[];
  /**
   * Registers that are 0 in this case, such as the state of an idle machine: proven, and then
   * assumed as constants.
   */
  readonly zero: readonly string[];
}

/** A gate with the harness of its unit. */
export interface GateProof {
  /** Name on the command line. */
  readonly name: string;
  /** The module of testbench/prove; the unit is its instance `u_dut`. */
  readonly top: string;
  /** The unit that the gate stops. */
  readonly module: string;
  readonly gate: Gate;
  readonly parameters: Parameters;
  /** Constants of packages that are smaller than in the RTL. */
  readonly smaller: readonly Fault[];
  readonly cases: readonly RestCase[];
  /**
   * Number of cycles, at most Hold, that suffice for the unit to settle; it wakes within one more.
   * Formulas cover no further cycles.
   */
  readonly enough: number;
  /** Whether the facts of each cycle are proven one after the other (stages.ts), not as one formula. */
  readonly staged: boolean;
  /** Limit of each solver's processor time. */
  readonly seconds: number;
  readonly quick: boolean;
  /** `Rests`, and `Wakes` if a register is loaded from free inputs. */
  readonly properties: readonly Property[];
}
