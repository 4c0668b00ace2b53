// SPDX-License-Identifier: Apache-2.0
// Each standard: legal random traffic has no violation, exercises every constraint of the table, and each
// injected violation is found.

import { describe, expect, it } from "vitest";

import { checkCommands } from "../../../../src/kernels/dram/check/check.ts";
import { presetMemory, type CheckedMemory } from "../../../../src/kernels/dram/check/memory.ts";
import { memoryStandard, standardNames } from "../../../../src/machine/dram/standards/standards.ts";
import { injectAll } from "./inject.ts";
import { Traffic } from "./traffic.ts";

/** The default preset with two ranks or stack identifiers, and no check of the refresh debt. */
function memoryOf(name: string): CheckedMemory {
  const standard = memoryStandard(name);
  if (standard === undefined) throw new Error(`no standard ${name}`);
  const memory = presetMemory(standard, standard.defaultPreset, "test");
  const rank = standard.levels.includes("rank") ? 2 : 1;
  return { ...memory, refreshes: false, counts: { ...memory.counts, rank } };
}

describe.each(standardNames)("%s", (name) => {
  const memory = memoryOf(name);
  const commands = new Traffic(memory, 1).run(1500);
  const clean = checkCommands(memory, commands);

  it("accepts legal traffic, which exercises every constraint", () => {
    expect(clean.violations).toEqual([]);
    expect(clean.margins.filter(({ pairs }) => pairs === 0).map((m) => m.constraint.rule)).toEqual(
      [],
    );
  });

  it("finds each injected violation", () => {
    const injected = injectAll(memory, commands, clean);
    expect(injected.filter(({ isFound }) => !isFound).map(({ rule }) => rule)).toEqual([]);
    expect(injected.length).toBeGreaterThan(20);
  });
});
