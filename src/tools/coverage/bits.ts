// SPDX-License-Identifier: Apache-2.0
// Bits that never toggled, by signal: a list that a person reads has a row a signal and not a row a bit.

import type { CoveragePoint } from "./points.ts";
import type { Waiver } from "./waivers.ts";

/** Bits of one declaration that stayed as they were in every test. */
export interface QuietBits {
  readonly file: string;
  readonly line: number;
  readonly signal: string;
  /** "31:24 7", empty for a signal of one bit. */
  readonly bits: string;
  readonly count: number;
  /** Null without a waiver `bits SIGNAL`. */
  readonly reason: string | null;
}

/** Prefix of a waiver's middle part that refers to bits of a signal. */
const ofBits = "bits ";

/** Whether a waiver is about bits that never toggle, which no line or cover point is. */
export const isOfBits = ({ what }: Waiver): boolean => what.startsWith(ofBits);

/** Groups points that toggled in no test. `use` is called with each waiver that has the reason. */
export function quietBits(
  points: readonly CoveragePoint[],
  waivers: readonly Waiver[],
  use: (waiver: Waiver) => void,
): readonly QuietBits[] {
  const signals = new Map<string, { point: CoveragePoint; indices: number[] }>();
  for (const point of points) {
    if (point.kind !== "toggle" || point.count > 0) continue;
    const [, signal = point.what, index] = /^(.*?)(?:\[(\d+)\])?$/s.exec(point.what) ?? [];
    const key = `${point.file}\n${String(point.line)}\n${signal}`;
    const group = signals.get(key) ?? { point: { ...point, what: signal }, indices: [] };
    if (index !== undefined) group.indices.push(Number(index));
    signals.set(key, group);
  }
  return [...signals.values()]
    .map(({ point, indices }) => {
      const waiver = waivers.find(
        (w) =>
          isOfBits(w) &&
          w.where.test(point.file) &&
          matches(w.what.slice(ofBits.length), point.what),
      );
      if (waiver !== undefined) use(waiver);
      return {
        file: point.file,
        line: point.line,
        signal: point.what,
        bits: ranges(indices),
        count: Math.max(1, indices.length),
        reason: waiver?.reason ?? null,
      };
    })
    .sort((a, b) => (a.file === b.file ? a.line - b.line : a.file < b.file ? -1 : 1));
}

/** A name with `*` for any part of it. */
function matches(pattern: string, name: string): boolean {
  const parts = pattern.split("*").map((part) => part.replace(/[.+?^${}()[\]\\]/g, "\\$&"));
  return new RegExp(`^${parts.join(".*")}$`, "s").test(name);
}

/** Indices as ranges, the highest first. */
function ranges(indices: readonly number[]): string {
  const down = [...new Set(indices)].sort((a, b) => b - a);
  const runs: [number, number][] = [];
  for (const index of down) {
    const last = runs.at(-1);
    if (last !== undefined && last[1] === index + 1) last[1] = index;
    else runs.push([index, index]);
  }
  return runs
    .map(([high, low]) => (high === low ? high : `${String(high)}:${String(low)}`))
    .join(" ");
}
