// SPDX-License-Identifier: Apache-2.0
// docs/explanation/hardware.md and its diagrams follow the RTL sources. `make diagrams` draws the diagrams.

import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";

import { inRepository } from "../../src/base/paths.ts";
import { flashPresets } from "../../src/machine/flash/presets.ts";
import { sparfUnit } from "../../src/machine/resolve/csd.ts";
import { engineClockMHz } from "../../src/tools/synth/papers.ts";
import { blockDiagrams } from "../../tools/block-diagram.ts";
import { readBlocks } from "../../tools/rtl-blocks.ts";
import { repositoryText } from "../helpers/pages.ts";

const read = (name: string): string =>
  readFileSync(inRepository("docs", "explanation", name), "utf8");

describe("docs/explanation/hardware.md", () => {
  it.each([...blockDiagrams()])("has %s as the sources give it", (name, svg) => {
    expect(read("hardware.md")).toContain(`](${name})`);
    expect(read(name)).toBe(svg);
  });

  it("names every file of the units, and links to files that exist", () => {
    const page = read("hardware.md");
    const named = new Set([...page.matchAll(/`([a-z]\w*)`/g)].map(([, name = ""]) => name));
    const blocks = [...readBlocks().values()];
    const units = blocks.filter(({ file }) => /^rtl\/(ndp|relayout|sparf|controller)\//.test(file));
    expect(units.map(({ module }) => module).filter((module) => !named.has(module))).toEqual([]);
    const links = [...page.matchAll(/\]\(\.\.\/\.\.\/(rtl\/[^)]*\.sv)\)/g)].map(([, file]) => file);
    const files = new Set(blocks.map(({ file }) => file));
    expect(links.filter((file) => file === undefined || !files.has(file))).toEqual([]);
  });

  it("has the latencies of the activation unit", () => {
    const timing = repositoryText("sim", "unit", "ndp", "act_timing.h");
    const constant = (name: string): number =>
      Number(new RegExp(`${name} = (\\d+);`).exec(timing)?.[1]);
    const [latency, tanh] = [constant("kLatency"), constant("kTanhSteps")];
    expect(read("hardware.md")).toContain(
      `A batch needs ${String(latency)} cycles from its start to its results, and ${String(latency + tanh)} cycles with tanh GELU`,
    );
  });

  it("has the lines of a ring by channels, and the rates of its time slots", () => {
    const text = read("hardware.md");
    const lines = [8, 9, 16].map((channels) => sparfUnit(128, channels, 16).ringLines);
    const [few, ...many] = lines.map((count) => count.toLocaleString("en-US"));
    expect(new Set(many).size).toBe(1);
    expect(text).toContain(
      `With 9 or more channels, the default is rings of ${many[0] ?? ""} lines instead of ${few ?? ""}`,
    );
    const rings = repositoryText("rtl", "sparf", "flash", "sparf_page_rings.sv");
    const slots = 8 + Number(/DramSlots = (\d+);/.exec(rings)?.[1]);
    const rate = (64 * engineClockMHz) / 1000;
    expect(text.replaceAll("\n", " ")).toContain(
      `Each channel thus has one slot in ${String(slots)} cycles, ${(rate / slots).toFixed(2)} GB/s at ${String(engineClockMHz)} MHz.`,
    );
    const { channel_rate, ticks_per_ns, bus_ticks_per_2_bytes } = flashPresets.znand4k;
    const bytesPerNs = (2 * ticks_per_ns) / bus_ticks_per_2_bytes;
    expect(text).toContain(`A channel delivers ${channel_rate}.`);
    expect(text).toContain(
      `Sixteen channels deliver ${((16 * bytesPerNs) / rate).toFixed(2)} lines per cycle`,
    );
  });
});
