// SPDX-License-Identifier: Apache-2.0
// Energy of a unit's operations and of its clock, as measured on its mapped netlist.

/** Energy of one operation, without the clock. */
export interface OperationEnergy {
  readonly id: string;
  /** The operation, and the stimuli of its measurement. */
  readonly counts: string;
  /** Joules with glitches, every cell one unit of time. */
  readonly joules: number;
  /** Joules if every net changed once a cycle at most. */
  readonly settledJoules: number;
  /** Clock energy of gated registers in joules, which are clocked when they change. */
  readonly gatedJoules?: number;
}

/** Clock gates in a module of the RTL, one per register. */
export interface GatedModule {
  readonly module: string;
  /** Share of its flip-flops that are gated. */
  readonly share: number;
  /** Gates a flip-flop. */
  readonly gates: number;
}

export interface UnitEnergy {
  readonly volts: number;
  readonly operations: readonly OperationEnergy[];
  /** Joules of the clock per flip-flop and cycle. */
  readonly clockJoules: number;
  /** Of the measured modules; absent without clock gating. */
  readonly gating?: readonly GatedModule[];
}
