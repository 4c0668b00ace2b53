// SPDX-License-Identifier: Apache-2.0
// The structure of a simulated machine, as declared by its builder: parts with typed ports in clock
// domains, and the edges between them.

import type { Hertz } from "../base/units.ts";

/** A port of a part. */
export interface PortOf {
  readonly part: string;
  readonly port: string;
}

/** A part of the machine. */
export interface MachinePart {
  readonly name: string;
  readonly kind: string;
  /** The group of parts; empty for none. */
  readonly subsystem: string;
  readonly clock: string;
  readonly ports: readonly {
    readonly name: string;
    readonly direction: "in" | "out";
    readonly message: string;
    /**
     * The option that the port belongs to, if the part can run without it; empty for a port that
     * must be connected.
     */
    readonly option: string;
    readonly joined: boolean;
  }[];
}

/** A channel from an output to an input. */
export interface MachineEdge {
  readonly from: PortOf;
  readonly to: PortOf;
  readonly message: string;
  /** Of each message, where all carry as many; else 0. */
  readonly dataBytes: number;
  readonly fromClock: string;
  readonly toClock: string;
  /** Messages that the channel can store. */
  readonly capacity: number;
  /** Edges of the receiver's clock between a push and its visibility to the receiver. */
  readonly latency: number;
  /** Messages that the receiver read during the run; 0 before a run. */
  readonly messages: number;
}

/** A machine, before anything runs on it or after a run. */
export interface MachineGraph {
  readonly clocks: readonly { readonly name: string; readonly hertz: Hertz }[];
  readonly parts: readonly MachinePart[];
  readonly edges: readonly MachineEdge[];
}
