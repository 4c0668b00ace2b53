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
