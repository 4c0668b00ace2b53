// SPDX-License-Identifier: Apache-2.0
// Area and timing of a unit as they were measured or recorded: by slice, module, memory and path.

import type { CriticalPath, Instance, Parameters, Target } from "../machine/slices.ts";

export interface Resources {
  /** Look-up tables, those used as memory and as shift registers included. */
  readonly lut: number;
  readonly ff: number;
  /** Block RAMs of 36 Kbit; one of 18 Kbit is half of it. */
  readonly bram36: number;
  readonly dsp: number;
  readonly cells: number;
  /** um2 of cells. */
  readonly cellArea: number;
  /** Gate equivalents: areas of the library's smallest NAND2. */
  readonly gates: number;
}

export interface HoldTiming {
  /** Smallest hold slack: ps from the end of the hold time to the earliest change. */
  readonly slack: number;
  /** That path; its period is the arrival of the change, in ps after the clock. */
  readonly path: UnitPath;
  /** Ends of paths, bit by bit, and those of them that change too early. */
  readonly ends: number;
  readonly early: number;
}

export interface UnitPath {
  readonly start: Terminal;
  readonly end: Terminal;
  /** Modules from start to end, in order, each slice that has a cell of the path; one where it stays in one. */
  readonly through: readonly string[];
  /** Cells between start and end. */
  readonly depth: number;
  /** Shortest clock period in ps: with clock-to-output and setup. */
  readonly period: number;
}

export interface UnitPaths {
  /** The slowest first. */
  readonly worst: readonly UnitPath[];
  /** ps of a block RAM that is read straight into a register, without logic in the path. */
  readonly memoryRead: number | null;
  /** Ends of paths, bit by bit. */
  readonly ends: number;
  /** Ends of paths that exceed the limit. */
  readonly over: number;
}

/** A unit in one corner of its cells, with wires or without. */
export interface CornerTiming {
  readonly corner: string;
  readonly conditions: string;
  readonly wires: boolean;
  readonly slowest: UnitPath | null;
  /** Ends of paths that exceed the limit. */
  readonly over: number;
  readonly hold: HoldTiming | null;
}

/** Sources of corners and wires. */
export interface CornerSources {
  /** Of the factors of corners, and of lengths of nets. */
  readonly corners: string;
  readonly wires: string;
  /** Side of the floor that a cell has, um. */
  readonly pitch: number;
}

/** An FPGA's slowest path by the share that logic has of a routed one. */
export interface RoutedEstimate {
  readonly logicShare: number;
  readonly period: number;
  readonly source: string;
}

export interface UnitTiming extends UnitPaths {
  /** Limit of a path of the unit in ps; null without a claim. */
  readonly limit: number | null;
  /** Instances of slices, and nets of all of them. */
  readonly instances: number;
  readonly nets: number;
  /**
   * Buffers of the nets between slices, and their um2: part of the floor, not of the sum of slices.
   */
  readonly buffers: { readonly count: number; readonly area: number };
  /** Of standard cells: every corner, without wires and with them; absent in older records. */
  readonly corners?: readonly CornerTiming[];
  readonly sources?: CornerSources;
  /** Of an FPGA. */
  readonly routed?: RoutedEstimate;
}

/** One slice in the sum. */
export interface SliceRow extends Instance {
  /** How often it counts; negative where a shared part was counted too often. */
  readonly count: number;
  /** Of one. */
  readonly resources: Resources;
  readonly path: CriticalPath | null;
  /** ps of a block RAM that is read directly into a register; `path` does not include it. */
  readonly memoryRead: number | null;
  /** The mapper of its logic. */
  readonly mapper: string;
}

export interface MemoryRow extends Instance {
  readonly count: number;
  readonly bits: number;
  /** um2 of one. */
  readonly area: number;
}

/** All slices of one module together. */
export interface ModuleRow {
  readonly name: string;
  readonly resources: Resources;
}

export interface AreaReport {
  readonly unit: string;
  readonly title: string;
  readonly target: Target;
  readonly parameters: Parameters;
  readonly library: string | null;
  readonly tools: readonly string[];
  readonly units: readonly ModuleRow[];
  readonly slices: readonly SliceRow[];
  readonly memories: readonly MemoryRow[];
  readonly sum: Resources;
  /** um2 of all memories. */
  readonly memoryArea: number;
  /** The slowest slice by itself. */
  readonly slowest: SliceRow | null;
  /** Of the slices linked; absent where only slices were timed (sweeps, searches). */
  readonly timing?: UnitTiming;
}

/** Where a path begins or ends: a pin of a cell, of a memory, or a port of the unit. */
export interface Terminal {
  /** Instance of a slice from the top; empty for the top. */
  readonly instance: string;
  /** Module of that slice, or of the memory. */
  readonly module: string;
  /** Register, memory or port, without the bit. */
  readonly name: string;
}
