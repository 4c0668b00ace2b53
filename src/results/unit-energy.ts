// SPDX-License-Identifier: Apache-2.0
// Energy of a unit's operations and of its clock, as measured on its mapped netlist.

/** Energy of one operation, without the clock. */
export interface OperationEnergy {
  readonly id: string;
  /** What one of it is, and what drove it. */
  readonly counts: string;
  /** Joules with glitches, every cell one unit of time. */
  readonly joules: number;
  /** Joules if every net changed once a cycle at most. */
  readonly settledJoules: number;
  /** Joules that the clock takes of the registers behind gates, which change for it. */
  readonly gatedJoules?: number;
}

/** How a clock gate a register would stand in a module of the RTL. */
export interface GatedModule {
  readonly module: string;
  /** Of its flip-flops, which share stands behind a gate. */
  readonly share: number;
  /** Gates a flip-flop. */
  readonly gates: number;
}

export interface UnitEnergy {
  readonly volts: number;
  readonly operations: readonly OperationEnergy[];
  /** Joules that the clock takes of a flip-flop in a cycle. */
  readonly clockJoules: number;
  /** Of the modules that were driven; none where nobody asks for gates. */
  readonly gating?: readonly GatedModule[];
}
