// SPDX-License-Identifier: Apache-2.0
// Inputs and results of synthesis. Areas are um2 of cells, times are picoseconds; a slice is
// one module with its parameters, flattened, without the modules named in `separateModules`.

/** An FPGA of Xilinx' 7 series, or a standard-cell library. */
export type Target = "xc7" | "asic";

export type Parameters = Readonly<Record<string, number>>;

/** A module with the values of its parameters. */
export interface Instance {
  readonly module: string;
  readonly parameters: Parameters;
}

/** Instances that a slice leaves out: `count` of one module with the same parameters. */
export interface Box extends Instance {
  readonly count: number;
}

/**
 * The mapper of look-up tables: ABC9 models the delays of carry chains and memories, ABC does not.
 */
export type LutMapper = "ABC9" | "ABC";

/** The slowest path of a slice. */
export interface CriticalPath {
  /** Register or port in which the path begins. */
  readonly start: string;
  readonly end: string;
  /** Cells between them. */
  readonly depth: number;
  /** Shortest clock period in ps: with clock-to-output and setup. */
  readonly period: number;
  readonly tool: "OpenSTA" | "Yosys sta" | "ABC";
}

/** One slice after synthesis. */
export interface Slice extends Instance {
  readonly target: Target;
  /** Cells by type. */
  readonly cells: Readonly<Record<string, number>>;
  readonly boxes: readonly Box[];
  readonly path: CriticalPath | null;
  /**
   * Minimum period in ps of a block RAM read straight into a register (no logic, one wire); null if
   * the slice has no such read. `path` is the slowest of all other paths.
   */
  readonly memoryRead: number | null;
  /** The mapper, with a note if it fell back to another one. */
  readonly mapper: string;
  /** Verilog of the mapped netlist: a file of the cache. */
  readonly netlist: string;
}
