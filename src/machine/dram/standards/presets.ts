// SPDX-License-Identifier: Apache-2.0
// A preset of a standard by its name.

import { inputError } from "../../../base/errors.ts";
import { didYouMean } from "../../../base/nearest.ts";
import { formatValue } from "../../../base/format-value.ts";
import type { StandardPreset } from "./table.ts";

/** Cycles that cover a time, but for 0.3 % of a cycle that the rounding of a clock adds. */
export function cyclesIn(nanoseconds: number, picoseconds: number): number {
  return Math.ceil((nanoseconds * 1000) / picoseconds - 0.003);
}

/** How the timings of a device depend on its rate. */
interface RateRule<T extends string> {
  /** Numbers of cycles that are equal at every rate. */
  readonly inClocks: readonly T[];
  /** Average intervals, which are rounded down; all other times are rounded up. */
  readonly intervals: readonly T[];
  readonly cyclesPerClock: number;
}

/** A preset at another rate: the same times in nanoseconds, in whole clocks. */
export function presetAtRate<T extends string>(
  base: StandardPreset<T>,
  standard: string,
  rate: number,
  { inClocks, intervals, cyclesPerClock }: RateRule<NoInfer<T>>,
): StandardPreset<T> {
  const factor = rate / base.megatransfersPerSecond;
  const scaled = (name: T, value: number): number => {
    if (inClocks.includes(name)) return value;
    if (intervals.includes(name)) return Math.floor(value * factor);
    return cyclesPerClock * cyclesIn(value * factor, 1000 * cyclesPerClock);
  };
  const entries = Object.entries<number>(base.timing) as [T, number][];
  const timing = entries.map(([name, value]) => [name, scaled(name, value)]);
  return {
    ...base,
    name: `${standard}-${rate}`,
    megatransfersPerSecond: rate,
    timing: Object.fromEntries(timing) as Record<T, number>,
    source: `derived: the times of ${base.name} (${base.source}) in whole clocks`,
  };
}

/** Timings in cycles of a speed bin with CL = tRCD = tRP and bursts of 8. */
export function timingsOfBin(
  nCL: number,
  nRAS: number,
): Readonly<Record<"nBL" | "nCL" | "nRCD" | "nRP" | "nRAS" | "nRC", number>> {
  return { nBL: 4, nCL, nRCD: nCL, nRP: nCL, nRAS, nRC: nRAS + nCL };
}

/** A kind of device: its density and width, and whether names of presets leave these out. */
interface BinDevice {
  readonly density: string;
  readonly width: string;
  readonly isUsual: boolean;
}

/** The presets of every speed bin of every rate with every device, by name. */
export function presetsOfBins<
  Rate extends { readonly rate: number; readonly bins: Readonly<Record<string, number>> },
  Device extends BinDevice,
  T extends string,
>(
  standard: string,
  rates: readonly Rate[],
  devices: readonly Device[],
  of: (
    row: Rate,
    nCL: number,
    device: Device,
  ) => Omit<StandardPreset<T>, "name" | "megatransfersPerSecond">,
): ReadonlyMap<string, StandardPreset<T>> {
  return new Map(
    rates.flatMap((row) =>
      Object.entries(row.bins).flatMap(([bin, nCL]) =>
        devices.map((device) => {
          const { density, width, isUsual } = device;
          const name = `${standard}-${row.rate}${bin}${isUsual ? "" : ` ${density} ${width}`}`;
          const preset = { name, megatransfersPerSecond: row.rate, ...of(row, nCL, device) };
          return [name, preset] as const;
        }),
      ),
    ),
  );
}

/** @throws NeardataError `bad-input` for a name that `presets` does not have. */
export function presetOf<T extends string>(
  standard: string,
  presets: ReadonlyMap<string, StandardPreset<T>>,
): (name: string, where: string) => StandardPreset<T> {
  return (name, where) => {
    const preset = presets.get(name);
    if (preset !== undefined) return preset;
    const names = [...presets.keys()];
    const message = `${standard} has no preset ${formatValue(name)}; known are ${names.join(", ")}.`;
    throw inputError(where, message + didYouMean(name, names));
  };
}
