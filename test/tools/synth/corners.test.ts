// SPDX-License-Identifier: Apache-2.0
// Corners, hold and wires, on netlists written by hand: slow cells are slower by the published factors, the
// earliest change takes the shortest way, and a wire loads its driver by the pins that it reaches.

import { describe, expect, it } from "vitest";

import { claims, unitLines } from "../../../src/tools/area/unit-timing.ts";
import { areaPage } from "../../../src/tools/area/page.ts";
import type { AreaReport } from "../../../src/results/area-report.ts";
import {
  builtInLibrary,
  readLibrary,
  type Library,
} from "../../../src/tools/synth/cells/liberty.ts";
import { parseMapped } from "../../../src/tools/synth/gates/gate-netlist.ts";
import { arrivalsOf } from "../../../src/tools/synth/sta/arrivals.ts";
import { atCorner, cornersOf, type Corner } from "../../../src/tools/synth/sta/corners.ts";
import { linkDesign, type LinkedDesign } from "../../../src/tools/synth/sta/design.ts";
import { timingGraph, type TimingGraph } from "../../../src/tools/synth/sta/graph.ts";
import { holdOf } from "../../../src/tools/synth/sta/hold.ts";
import { type HoldTiming, type CornerTiming } from "../../../src/results/area-report.ts";
import { chipModels, timeCorners, timeDesign } from "../../../src/tools/synth/sta/whole.ts";
import { lengthOf, pitchOf, wireData, withWires } from "../../../src/tools/synth/sta/wires.ts";
import { worstPaths } from "../../../src/tools/synth/sta/worst-paths.ts";

const library = readLibrary(builtInLibrary());
const models = chipModels(library);

function linked(netlist: string): Promise<LinkedDesign> {
  const source = {
    netlistOf: () => Promise.resolve(parseMapped(netlist)),
    instancesIn: () => Promise.resolve([]),
  };
  return linkDesign(source, { module: "unit", parameters: {} });
}

const flop = (name: string, d: string, q: string): string =>
  `DFF_X1 \\${name}_reg  ( .CLK(clk_i), .D(${d}), .Q(${q}) );\n`;
const inverter = (name: string, a: string, y: string): string =>
  `INV_X1 ${name} ( .A(${a}), .Y(${y}) );\n`;
const unit = (wires: readonly string[], cells: string): string =>
  `module unit(clk_i);\ninput clk_i;\n${wires.map((wire) => `wire ${wire};\n`).join("")}${cells}endmodule\n`;

/** Two registers with so many inverters between them. */
function pipe(inverters: number): string {
  const nets = Array.from({ length: inverters + 1 }, (_, i) => `n${i}`);
  const chain = nets.slice(1).map((net, i) => inverter(`c${i}`, `n${i}`, net));
  const last = nets.at(-1) ?? "";
  return unit(
    [...nets, "r"],
    flop("sent_q", last, "n0") + chain.join("") + flop("taken_q", last, "r"),
  );
}

function graphOf(design: LinkedDesign): TimingGraph {
  return timingGraph(design, models.timingOf, models.borders);
}

function heldBy(graph: TimingGraph): HoldTiming {
  const hold = holdOf(graph, arrivalsOf(graph, [], "earliest"));
  if (hold === null) throw new Error("no hold time");
  return hold;
}

const slowestOf = (graph: TimingGraph): number =>
  worstPaths(graph, arrivalsOf(graph, []), 1, Infinity).worst[0]?.period ?? 0;

function cornerOf(name: string): Corner {
  const found = cornersOf(library).find((corner) => corner.name === name);
  if (found === undefined) throw new Error(name);
  return found;
}

describe("corners", () => {
  it("scale the typical library by the published factors, and leave it as it is in its own", async () => {
    const design = await linked(pipe(20));
    const graph = graphOf(design);
    const typical = slowestOf(graph);
    expect(typical).toBeCloseTo(timeDesign(design, models, null).worst[0]?.period ?? 0, 3);
    expect(slowestOf(atCorner(graph, cornerOf("typical")))).toBeCloseTo(typical, 3);
    const { buffer, register } = cornerOf("slow").factors;
    const slow = slowestOf(atCorner(graph, cornerOf("slow")));
    // Inverters, a flip-flop, a setup time, and slews that are longer as well.
    expect(slow).toBeGreaterThan(buffer.delay * typical);
    expect(slow).toBeLessThan(register.slew * typical);
    const fast = slowestOf(atCorner(graph, cornerOf("fast")));
    expect(fast).toBeGreaterThan(0.6 * typical);
    expect(fast).toBeLessThan(0.8 * typical);
  });

  it("of other cells are the one that they are made for", () => {
    const other: Library = { ...library, path: "other.lib" };
    expect(cornersOf(other).map(({ name }) => name)).toEqual(["as given"]);
    expect(cornersOf(library).map(({ name }) => name)).toEqual(["slow", "typical", "fast"]);
  });
});

describe("hold", () => {
  it("is what clock to output and logic leave of the hold time", async () => {
    const held = async (inverters: number, corner: string): Promise<HoldTiming> =>
      heldBy(atCorner(graphOf(await linked(pipe(inverters))), cornerOf(corner)));
    const direct = await held(0, "fast");
    expect(direct).toMatchObject({ early: 0, ends: 2, path: { depth: 0 } });
    expect(direct.slack).toBeCloseTo(direct.path.period - (cornerOf("fast").hold ?? 0), 3);
    expect((await held(1, "fast")).slack).toBeGreaterThan(direct.slack + 2);
    expect((await held(0, "slow")).slack).toBeGreaterThan(direct.slack);
  });

  it("goes the shortest way where setup goes the longest", async () => {
    const chain = ["a", "b", "c", "d", "e", "f"];
    const design = await linked(
      unit(
        ["q", "y", "r", ...chain],
        flop("sent_q", "q", "q") +
          chain.map((net, i) => inverter(`c${i}`, chain[i - 1] ?? "q", net)).join("") +
          "NAND2_X1 g ( .A(q), .B(f), .Y(y) );\n" +
          flop("taken_q", "y", "r"),
      ),
    );
    const graph = graphOf(design);
    const late = worstPaths(graph, arrivalsOf(graph, []), 1, Infinity).worst[0];
    expect(late).toMatchObject({ depth: 7, end: { name: "taken_q" } });
    const early = arrivalsOf(graph, [], "earliest");
    const ends = graph.captures.net.length;
    const found = Array.from({ length: ends }, (_, end) => end).find(
      (end) => graph.captures.terminal(end).name === "taken_q",
    );
    const net = graph.captures.net[found ?? 0] ?? 0;
    const arrival = Math.min(early.time[2 * net] ?? 0, early.time[2 * net + 1] ?? 0);
    const single = graphOf(await linked(pipe(1)));
    expect(arrival).toBeLessThan(slowestOf(single));
    expect(arrival).toBeLessThan((late?.period ?? 0) / 2);
  });

  it("is violated if a signal changes before the hold time ends; every such endpoint counts", async () => {
    const graph = graphOf(await linked(pipe(0)));
    const strict = { ...cornerOf("fast"), hold: 60 };
    const hold = heldBy(atCorner(graph, strict));
    expect(hold.early).toBe(2);
    expect(hold.slack).toBeLessThan(0);
    // Without a hold time in the options, the library's hold time is used; this cell has none.
    const loose = heldBy(atCorner(graph, { ...strict, hold: null }));
    expect(loose.slack).toBeCloseTo(loose.path.period, 3);
  });
});

describe("wires", () => {
  const broadcast = (pins: number): string => {
    const nets = Array.from({ length: pins }, (_, i) => `r${i}`);
    const takers = nets.map((net, i) => flop(`taken${i}_q`, "q", net));
    return unit(["q", ...nets], flop("sent_q", "q", "q") + takers.join(""));
  };

  it("make a net slower, the more pins it reaches", async () => {
    const more = async (pins: number): Promise<number> => {
      const design = await linked(broadcast(pins));
      const graph = graphOf(design);
      const wired = withWires(graph, pitchOf(design, library), wireData());
      return slowestOf(wired) - slowestOf(graph);
    };
    const [one, many] = [await more(1), await more(40)];
    expect(one).toBeGreaterThan(0.5);
    expect(many).toBeGreaterThan(10 * one);
    const graph = graphOf(await linked(broadcast(3)));
    expect(slowestOf(withWires(graph, 0, wireData()))).toBeCloseTo(slowestOf(graph), 3);
  });

  it("have the area of a cell as their measure, and lengths between and beyond those measured", async () => {
    const design = await linked(broadcast(1));
    const flopArea = library.cells.get("DFF_X1")?.area ?? 0;
    expect(pitchOf(design, library)).toBeCloseTo(Math.sqrt(flopArea / 0.7), 6);
    const lengths = [
      [1, 2],
      [3, 8],
      [5, 10],
    ] as const;
    expect([0, 1, 2, 3, 4, 9].map((pins) => lengthOf(lengths, pins))).toEqual([0, 2, 5, 8, 9, 14]);
    const { lengths: measured, fpga } = wireData();
    expect(measured.map(([pins]) => pins)).toEqual(
      [...measured.map(([pins]) => pins)].sort((a, b) => a - b),
    );
    expect(fpga.logicShare).toBeGreaterThan(0);
    expect(fpga.logicShare).toBeLessThan(1);
  });
});

describe("a report", () => {
  it("has every corner with and without wires, and says what is claimed", async () => {
    const design = await linked(pipe(20));
    const timing = {
      ...timeDesign(design, models, 350),
      ...timeCorners(design, models, library, 350),
    };
    const find = (corner: string, wires: boolean): CornerTiming | undefined =>
      timing.corners.find((one) => one.corner === corner && one.wires === wires);
    expect(timing.corners).toHaveLength(6);
    expect(find("typical", false)?.slowest?.period).toBeCloseTo(timing.worst[0]?.period ?? 0, 3);
    for (const corner of ["slow", "typical", "fast"]) {
      const [bare, wired] = [find(corner, false), find(corner, true)];
      expect(wired?.slowest?.period).toBeGreaterThan(bare?.slowest?.period ?? Infinity);
      expect(wired?.hold?.slack).toBeGreaterThan(bare?.hold?.slack ?? Infinity);
    }
    const report = {
      unit: "ndp",
      title: "a unit",
      target: "asic",
      parameters: {},
      tools: [],
      timing,
      units: [],
      slices: [],
      memories: [],
      slowest: null,
      library: "gates7",
      sum: { lut: 0, ff: 0, bram36: 0, dsp: 0, cells: 0, cellArea: 0, gates: 0 },
      memoryArea: 0,
    } as unknown as AreaReport;
    const text = unitLines(report).join("\n");
    expect(text).toMatch(/slow +no wires +\d+ ps unit sent_q -> unit/);
    expect(text).toMatch(/fast +with wires .*hold \d+\.\d ps/);
    expect(text).toContain("ASAP7");
    expect(claims(report)[0]?.name).toContain("typical corner, pre-layout");
    expect(JSON.stringify(areaPage(report, "0"))).toContain("unit-corners-ndp");
  });

  it("of an FPGA has the share of logic in a routed path instead", async () => {
    const timing = {
      ...timeDesign(await linked(pipe(3)), models, null),
      routed: { logicShare: 0.25, period: 8000, source: "a path" },
    };
    const report = {
      unit: "sparf",
      target: "xc7",
      parameters: {},
      timing,
    } as unknown as AreaReport;
    expect(unitLines(report).join("\n")).toContain("with wires about 8.00 ns, were logic 25 %");
  });
});
