// SPDX-License-Identifier: Apache-2.0
// The page of the hardware follows the sources. `npx vitest run -u test/docs` draws its diagrams anew.

import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";

import { inRepository } from "../../src/native/paths.ts";
import { drawBlocks } from "./block-diagram.ts";
import { readBlocks } from "./rtl-blocks.ts";

const blocks = readBlocks();
/** What is everywhere and says nothing. */
const small = ["ndp_events", "clock_gate", "round_robin", "skid_buffer", "sram_1r1w", "sram_1rw"];

describe("docs/hardware.md", () => {
  it.each([
    ["dimm_ndp", 2],
    ["relayout_unit", 2],
    ["sparf_engine", 2],
    ["sparf_head_front", 2],
    ["sparf_kernel", 2],
    ["transposition_buffer", 1],
  ] as const)("draws %s as its sources are", async (module, depth) => {
    const picture = drawBlocks(blocks, module, depth, small);
    await expect(picture).toMatchFileSnapshot(inRepository("docs", `blocks-${module}.svg`));
  });

  it("names every file of the units, and none that is not there", () => {
    const page = readFileSync(inRepository("docs", "hardware.md"), "utf8");
    const named = new Set([...page.matchAll(/`([a-z]\w*)`/g)].map(([, name = ""]) => name));
    const units = [...blocks.values()].filter(({ file }) =>
      /^rtl\/(ndp|relayout|sparf|controller)\//.test(file),
    );
    expect(units.map(({ module }) => module).filter((module) => !named.has(module))).toEqual([]);
    const links = [...page.matchAll(/\]\(\.\.\/(rtl\/[^)]*\.sv)\)/g)].map(([, file]) => file);
    const files = new Set([...blocks.values()].map(({ file }) => file));
    expect(links.filter((file) => file === undefined || !files.has(file))).toEqual([]);
  });
});
