// SPDX-License-Identifier: Apache-2.0
// The properties to prove, the methods and the results. A harness is a module of testbench/prove that instantiates
// modules of the RTL, assumes their contract and asserts properties; the engines decide all
// properties of a harness together.

import type { Parameters } from "../../machine/slices.ts";

/**
 * How a harness is decided.
 * - `pdr`: ABC's property-directed reachability finds an inductive invariant; unbounded.
 * - `window`: every run of `steps` cycles from an arbitrary state of all registers. The harness
 *   asserts nothing later, so a proof is unbounded; for pipelines, whose results depend on this
 *   number of cycles only.
 * - `induction`: the harness states an invariant of the registers. The proof covers a step of two
 *   cycles from any state that satisfies it, or from a reset. Faults are nevertheless traces from a
 *   reset.
 * - `bounded`: only the first `steps` cycles after the reset.
 */
export type Engine =
  | { readonly kind: "pdr" }
  | { readonly kind: "induction" }
  | { readonly kind: "window"; readonly steps: number }
  | { readonly kind: "bounded"; readonly steps: number };

export type EngineKind = Engine["kind"];

/** A change of the RTL's text that breaks a property: `from` occurs once in the file of `module`. */
export interface Fault {
  readonly module: string;
  readonly from: string;
  readonly to: string;
}

/** An assertion of a harness by its label, with its claim and a fault that it refutes. */
export interface Property {
  readonly label: string;
  readonly claim: string;
  readonly fault: Fault;
}

/**
 * A harness with its properties. `smaller` changes texts as faults do.
 */
export interface Harness {
  /** Name on the command line. */
  readonly name: string;
  /** The module of testbench/prove. */
  readonly top: string;
  /** The RTL module that is proven. */
  readonly module: string;
  readonly area: Area;
  readonly parameters: Parameters;
  /**
   * Constants of packages that are smaller than in the RTL, where no parameter is; units that are cut
   * off, whose contract the harness assumes in their place.
   */
  readonly smaller: readonly Fault[];
  readonly engine: Engine;
  /** Whether the contracts in the modules themselves are decided with the properties. */
  readonly contracts: boolean;
  /** Whether each property is decided by itself, not all together. */
  readonly separately: boolean;
  /** Limit of each solver's processor time. */
  readonly seconds: number;
  /** Whether it belongs to the set that continuous integration proves. */
  readonly quick: boolean;
  readonly properties: readonly Property[];
}

export type Area = "arithmetic" | "queues" | "selection" | "arbitration";

/** The answer of one solver for a harness. */
export interface Verdict {
  readonly solver: string;
  readonly seconds: number;
}

/**
 * The outcome: `holds` with the solvers that agree; `refuted` with the failing assertion and its
 * waveform; `undecided` if a solver reached its limit, or contradicted another.
 */
export type Outcome =
  | { readonly kind: "holds"; readonly verdicts: readonly Verdict[]; readonly note: string }
  | {
      readonly kind: "refuted";
      readonly label: string;
      readonly steps: number;
      readonly waveform: string;
    }
  | { readonly kind: "undecided"; readonly reason: string };
