// SPDX-License-Identifier: Apache-2.0
// Effects that docs/explanation/scope.md and assumptions.md state follow from the tables of docs/results.

import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";

import { inRepository } from "../../src/base/paths.ts";

const read = (...path: string[]): string => readFileSync(inRepository("docs", ...path), "utf8");
const scope = read("explanation", "scope.md");

/** Numbers of the table row that begins with these words, without the words. */
function numbersOf(page: string, begin: string): readonly number[] {
  const row = page.split("\n").find((line) => line.startsWith(`| ${begin}`));
  if (row === undefined) throw new Error(`no row ${begin}`);
  return row
    .slice(begin.length + 2)
    .split("|")
    .map((cell) => cell.trim().replaceAll(",", ""))
    .filter((cell) => /^\d+(?:\.\d+)?$/.test(cell))
    .map(Number);
}

const percent = (part: number, whole: number): number => (100 * part) / whole;
const add = (lists: readonly (readonly number[])[]): readonly number[] =>
  (lists[0] ?? []).map((_, i) => lists.reduce((sum, list) => sum + (list[i] ?? 0), 0));

describe("effects in docs/explanation", () => {
  const layers = read("results", "moe-layers.md");
  const totals = add(
    ["measured", "published", "derived", "assumed"].map((kind) =>
      numbersOf(layers, `sum of ${kind} parts`),
    ),
  );
  const shareOf = (parts: readonly string[]): readonly number[] =>
    add(parts.map((part) => numbersOf(layers, part))).map((x, i) => percent(x, totals[i] ?? 0));

  it("has the share of links in the energy of a layer", () => {
    const shares = shareOf(["wires between host and DIMMs", "DIMM-Link", "PCIe"]);
    expect(shares).toHaveLength(3);
    const [least, most] = [Math.min(...shares).toFixed(0), Math.max(...shares).toFixed(0)];
    expect(scope).toContain(`[${least} to ${most} %](../results/moe-layers.md#energy-of-a-layer)`);
  });

  it("has the share of PCIe in the energy of a layer", () => {
    const shares = shareOf(["PCIe"]);
    const [least, most] = [Math.min(...shares).toFixed(1), Math.max(...shares).toFixed(1)];
    const page = read("explanation", "assumptions.md");
    expect(page).toContain(`[${least} to ${most} %](../results/moe-layers.md#energy-of-a-layer)`);
    // The published range is 5 to 11 pJ; 6.5 pJ is used.
    expect((Math.max(...shares) * (11 - 6.5)) / 6.5).toBeLessThan(0.5);
  });

  it("has the effect of half of the stream queue", () => {
    const ddr5 = read("results", "ddr5.md");
    const [, half = 0] = numbersOf(ddr5, "REFab, staggered by an eighth of tREFI |");
    const [, whole = 0] = numbersOf(ddr5, "REFab, staggered by an eighth of tREFI (default)");
    expect(scope).toContain(`[+${(percent(half, whole) - 100).toFixed(0)} %]`);
  });

  it("has the effects of error correction and of lookups", () => {
    const storage = read("results", "storage.md");
    const [none = 0] = numbersOf(storage, "`none`");
    const [usual = 0] = numbersOf(storage, "`latency: 4 us` (default)");
    expect(scope).toContain(`[${(percent(none, usual) - 100).toFixed(0)} % on Z-NAND]`);
    const lookups = (begin: string): readonly number[] => numbersOf(storage, begin).slice(0, 2);
    const used = lookups("4 million (four ARM cores, default)");
    const against = (other: readonly number[]): readonly number[] =>
      other.map((time, i) => time / (used[i] ?? 0));
    const fast = against(lookups("100 million (a hardware unit)")).map((ratio) =>
      (100 * (ratio - 1)).toFixed(1),
    );
    expect(scope).toContain(`[${fast.join(" to ")} %]`);
    const slow = against(lookups("1 million")).map((ratio) => ratio.toFixed(1));
    expect(scope).toContain(`needs ${slow.toReversed().join(" to ")} times the time`);
  });
});
