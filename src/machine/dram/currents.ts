// SPDX-License-Identifier: Apache-2.0
// Supply currents of devices as their data sheets print them: maxima over process, temperature and voltage. Measured
// modules draw less (of DDR3L 23 to 53 % of IDD3N and 46 to 95 % of IDD4R: Ghose et al., SIGMETRICS 2018), and no such
// measurement of DDR5 is public. The columns below are those of DDR5; tables of other standards have currents of single
// presets.

/** Supply currents under their JEDEC names. `ipp` is VPP's, `iddq` VDDQ's, which IDD does not include. */
export const currentNames = [
  "idd0",
  "idd2p",
  "idd2n",
  "idd3p",
  "idd3n",
  "idd4r",
  "idd4w",
  "idd5b",
  "idd5c",
  "ipp0",
  "ipp2n",
  "ipp3n",
  "ipp4r",
  "ipp4w",
  "ipp5b",
  "iddq3n",
  "iddq4r",
  "iddq4w",
] as const;
export type CurrentName = (typeof currentNames)[number];

/** Currents of one device in mA, voltages in V. A supply of 0 V has no energy. */
export interface EnergyCurrents extends Readonly<Record<Exclude<CurrentName, "idd5c">, number>> {
  readonly vdd: number;
  readonly vddq: number;
  readonly vpp: number;
  /** Of a refresh of one bank, or of one bank of each group; null: such a refresh costs its share of a REFab. */
  readonly idd5c: number | null;
  /** MT/s of the column. */
  readonly rate: number;
  /** ns that a row is open and closed in the loop of IDD0: tRAS and tRP. */
  readonly rowOpen: number;
  readonly rowClosed: number;
  /** Ohms of the driver and the termination of a read; null if the energy of the termination is not counted. */
  readonly readOhms: number | null;
  /** Gb of the device; null for currents of a configuration. */
  readonly gigabits: number | null;
  /** The data sheet and its column, for people. */
  readonly source: string;
}

/** The currents that a data sheet of an older standard has. Those of VPP and of VDDQ are given together or not at all. */
export type SheetCurrents = Readonly<
  Record<"vdd" | "idd0" | "idd2n" | "idd3n" | "idd4r" | "idd4w" | "idd5b", number> &
    Partial<Record<"vddq" | "vpp" | CurrentName, number | undefined>>
> &
  Pick<EnergyCurrents, "rate" | "rowOpen" | "rowClosed" | "gigabits" | "source">;

/**
 * Currents with substitutes for those that a sheet lacks. IPP2N, IPP4R and IPP4W are IPP3N (Micron's data sheets of DDR4:
 * IPP3N applies to IDD2x, IDD3x and IDD4x). Without IDD2P and IDD3P power-down saves nothing. Without VPP or VDDQ this
 * supply has no energy, and the termination of reads is not counted.
 */
export function energyCurrents(sheet: SheetCurrents): EnergyCurrents {
  const { idd2n, idd3n, idd2p = idd2n, idd3p = idd3n, idd5c = null } = sheet;
  const { vpp = 0, ipp0 = 0, ipp3n = 0, ipp5b = 0 } = sheet;
  const { ipp2n = ipp3n, ipp4r = ipp3n, ipp4w = ipp3n } = sheet;
  const { vddq = 0, iddq3n = 0, iddq4r = 0, iddq4w = 0 } = sheet;
  const ofVpp = { vpp, ipp0, ipp2n, ipp3n, ipp4r, ipp4w, ipp5b };
  const ofVddq = { vddq, iddq3n, iddq4r, iddq4w, readOhms: null };
  return { ...sheet, idd2p, idd3p, idd5c, ...ofVpp, ...ofVddq };
}

/** Currents of a DDR5 device. */
export interface DramCurrents extends EnergyCurrents {
  readonly idd5c: number;
  readonly gigabits: number;
  /** Of each current: the table, or the substitute for a current that is not public. */
  readonly sources: Readonly<Record<CurrentName, string>>;
}

/** Pins of a device that has a column. */
export type CurrentWidth = 4 | 8 | 16;

/**
 * Micron 16 Gb DDR5, die revision A (MT60B4G4, 2G8, 1G16), addendum Rev. D of 2023-02, table 6. Quoted in public by
 * gem5's ddr5.py (x16), chip_pow_config.py of a fork of Ramulator 2 (x4, three rates) and the energy table of a PIM
 * simulator with the pages (x8, with VDDQ and VPP). The three agree where they overlap.
 */
const table = "Micron 16 Gb die A, table 6";

/**
 * Currents common to all widths, at 4800. IDD3N is with all banks open, IDD2N with none (Micron's core data sheet,
 * table 387).
 */
const shared = {
  // As in the loops of IDD (Micron's core data sheet: RZQ/7, RZQ/6).
  readOhms: 34 + 40,
  vdd: 1.1,
  vddq: 1.1,
  vpp: 1.8,
  rowOpen: 32,
  rowClosed: 16,
  gigabits: 16,
  idd2p: 88,
  idd2n: 92,
  idd3p: 140,
  idd3n: 142,
  idd5b: 277,
  idd5c: 135,
  ipp2n: 6,
  ipp3n: 7,
  ipp4r: 9,
  ipp4w: 36,
  ipp5b: 28,
  iddq3n: 31,
} as const;

type Column = Pick<DramCurrents, "rate" | "idd0" | "idd4r" | "idd4w" | "ipp0"> &
  Partial<Pick<DramCurrents, "idd2p" | "ipp3n">>;

const columns: Readonly<Record<CurrentWidth, readonly Column[]>> = {
  4: [
    { rate: 4800, idd0: 103, idd4r: 318, idd4w: 345, ipp0: 8 },
    { rate: 5200, idd0: 105, idd4r: 318, idd4w: 353, ipp0: 9, idd2p: 89, ipp3n: 8 },
    { rate: 5600, idd0: 105, idd4r: 337, idd4w: 374, ipp0: 9, idd2p: 89, ipp3n: 8 },
  ],
  8: [{ rate: 4800, idd0: 103, idd4r: 377, idd4w: 349, ipp0: 8 }],
  16: [{ rate: 4800, idd0: 122, idd4r: 530, idd4w: 479, ipp0: 8 }],
};

/** IDDQ4R and IDDQ4W above IDDQ3N, per pin, of the x8 column: 57, 198 and 31 mA. */
const readPin = (57 - 31) / 8;
const writePin = (198 - 31) / 8;

/** Rows that are public for one width only, and their substitutes for the other widths. */
const standIns: Partial<Record<CurrentName, (width: CurrentWidth) => string | undefined>> = {
  ipp0: (width) => (width === 4 ? undefined : "the x4 column"),
  ipp2n: (width) => (width === 8 ? undefined : "the x8 column at 4800"),
  ipp4r: (width) => (width === 4 ? undefined : "the x4 column"),
  ipp4w: (width) => (width === 4 ? undefined : "the x4 column"),
  ipp5b: (width) => (width === 4 ? undefined : "the x4 column"),
  idd5c: (width) =>
    width === 16 ? undefined : "the column of gem5, taken for all widths as IDD5B is",
  iddq3n: (width) => (width === 8 ? undefined : "the x8 column"),
  iddq4r: (width) => (width === 8 ? undefined : "the x8 column, above IDDQ3N by pins"),
  iddq4w: (width) => (width === 8 ? undefined : "the x8 column, above IDDQ3N by pins"),
};

/** The same in words, for people. */
const borrowed: Readonly<Record<CurrentWidth, string>> = {
  4: "IPP2N and IDDQ of x8, IDD5C of x16",
  8: "other IPP of x4, IDD5C of x16",
  16: "IPP of x4 and x8, IDDQ of x8",
};

function isWidth(bits: number): bits is CurrentWidth {
  return bits === 4 || bits === 8 || bits === 16;
}

/**
 * The currents of a device of so many data pins at so many MT/s: those of the fastest column that is not faster, or of
 * the slowest one. Devices of other widths use the currents of x4.
 */
export function currentsOf(deviceBits: number, megatransfersPerSecond: number): DramCurrents {
  const width = isWidth(deviceBits) ? deviceBits : 4;
  const list = columns[width];
  const column = list.findLast(({ rate }) => rate <= megatransfersPerSecond) ?? list[0];
  if (column === undefined) throw new Error(`no column of x${String(width)}`);
  const { iddq3n } = shared;
  const sources = Object.fromEntries(
    currentNames.map((name) => {
      const standIn = standIns[name]?.(width);
      return [name, standIn === undefined ? table : `${table}: ${standIn}`];
    }),
  ) as Record<CurrentName, string>;
  return {
    ...shared,
    ...column,
    iddq4r: iddq3n + readPin * width,
    iddq4w: iddq3n + writePin * width,
    sources,
    source:
      "maximum currents of Micron's 16 Gb DDR5 die A (addendum Rev. D, 2023-02, table 6), " +
      `x${String(width)} at ${String(column.rate)} MT/s, with ${borrowed[width]}`,
  };
}
