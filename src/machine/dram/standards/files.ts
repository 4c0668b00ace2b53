// SPDX-License-Identifier: Apache-2.0
// A standard in the configuration files of other simulators: the names and orders of its timings and commands there, and
// the simulators' own presets. The readers in src/kernels/dram have no list of standards: they read these records.

/** The files of other simulators that can describe a standard. */
export interface SimulatorFiles<T extends string = string, C extends string = string> {
  readonly dramsim3?: Dramsim3File<T>;
  readonly ramulator20?: Ramulator20File<T>;
  readonly ramulator21?: Ramulator21File<C>;
}

/** DRAMsim3 (ini). The value of `protocol` is the name of the standard. */
export interface Dramsim3File<T extends string = string> {
  /** A burst of BL occupies the data bus for BL / this many cycles. */
  readonly transfersPerCycle: number;
  /** Transfers of a data pin in a column as `columns` counts it. */
  readonly column: number | "burst";
  /** Keys of timings, if they are not those that the names of timings have in every standard. */
  readonly timings?: Readonly<Partial<Record<T, readonly string[]>>>;
}

/** Ramulator 2.0 (YAML). The value of `impl` is the name of the standard. */
export interface Ramulator20File<T extends string = string> {
  /**
   * Presets of Ramulator 2.0; a replay then has its rules. Without them a file has the presets of the standard, and a
   * replay has the rules of the standard.
   */
  readonly presets?: Ramulator20Presets<T>;
}

/** A device of Ramulator 2.0 under the keys of its `org`. */
export interface Ramulator20Device {
  /** Mb. */
  readonly density: number;
  /** Data pins. */
  readonly dq: number;
  readonly bankgroup?: number;
  readonly bank: number;
  readonly row: number;
  /** Columns of a device. */
  readonly column: number;
}

export interface Ramulator20Presets<T extends string = string> {
  readonly devices: Readonly<Record<string, Ramulator20Device>>;
  readonly speeds: Readonly<
    Record<
      string,
      /** MT/s, and timings in cycles. */
      { readonly rate: number; readonly timing: Readonly<Partial<Record<T, number>>> }
    >
  >;
  /** Cycles by rate, for devices of 4, 8 and 16 data pins. */
  readonly byPins: Readonly<
    Record<number, Readonly<Partial<Record<T, readonly [number, number, number]>>>>
  >;
  /** Nanoseconds by Mb of a device. */
  readonly byDensity: Readonly<Partial<Record<T, Readonly<Record<number, number>>>>>;
  /** Nanoseconds of every device. */
  readonly ofAll: Readonly<Partial<Record<T, number>>>;
}

/** Controllers of Ramulator 2.1. */
export const controllers21 = ["GenericDDR", "LPDDR5", "HBM12", "HBM34"] as const;

/** Ramulator 2.1 (YAML). The value of `impl` is the name of the standard. */
export interface Ramulator21File<C extends string = string> {
  readonly controller: (typeof controllers21)[number];
  /** The order of `timing`, under the names of Ramulator 2.1. */
  readonly timings: readonly string[];
  /** The order of `command_cycles`. */
  readonly commands: readonly C[];
}

/** Words of a text that blanks separate. */
export const words = (text: string): readonly string[] => text.split(" ");
