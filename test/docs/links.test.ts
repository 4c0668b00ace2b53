// SPDX-License-Identifier: Apache-2.0
// docs/results/links.md has the recorded times of DIMM-Link topologies, of layers and of moves over them, and the rates
// of a stream over CXL as the simulator has them.

import { describe, expect, it } from "vitest";

import { loadAddon } from "../../src/native/addon.ts";
import { repositoryText, sectionRows } from "../helpers/pages.ts";
import { missingSource, recordedExperiment } from "../helpers/recorded.ts";

const page = repositoryText("docs", "results", "links.md");

interface Topology {
  readonly topology: string;
  readonly group: number;
  readonly time: number;
  readonly bound: string;
  readonly busy: number;
}

/** The page's words for the busiest part of a move to DIMM 0. */
function boundOf({ topology, bound }: Pick<Topology, "topology" | "bound">): string {
  if (bound !== "DIMM-Link") return "the host's channel to DIMM 0";
  if (topology === "full") return "three transfers at a time, of 25 GB/s each";
  return topology === "chain" ? "the link into DIMM 0" : "the two links into DIMM 0";
}

interface LayerOver {
  readonly model: string;
  readonly topology: string;
  readonly group: number;
  readonly layer: number;
  readonly bound: string;
  readonly busy: number;
  readonly next: string;
  readonly nextBusy: number;
  readonly packets: number;
  readonly bursts: number;
  readonly moves: number;
  readonly link: number;
  readonly alone: number;
  readonly aloneBound: string;
  readonly aloneBusy: number;
}

const range = (values: readonly number[], digits = 0): string =>
  `${Math.min(...values).toFixed(digits)} to ${Math.max(...values).toFixed(digits)}`;

describe("topologies of docs/results/links.md", () => {
  const recorded = recordedExperiment<Topology>("trimoe-topologies").rows;

  it("have the recorded times and limits", () => {
    expect(recorded).toHaveLength(8);
    expect(sectionRows(page, "## Topologies of DIMM-Link")).toEqual(
      recorded.map(({ topology, group, time, bound, busy }, i) => [
        i === 0 ? `\`${topology}\` (default)` : `\`${topology}\``,
        String(group),
        time.toFixed(3),
        boundOf({ topology, bound }),
        busy.toFixed(0),
      ]),
    );
    expect(page).toContain(
      `One expert of DeepSeek-V2 needs ${range(
        recorded.map(({ time }) => time),
        3,
      )} ms to move to one DIMM`,
    );
    expect(Math.min(...recorded.map(({ time }) => time))).toBeGreaterThan(0.63);
    expect(missingSource(page, "trimoe-topologies")).toEqual([]);
  });
});

describe("layers of docs/results/links.md", () => {
  const rows = recordedExperiment<LayerOver>("trimoe-layer-topologies").rows;
  const deepSeek = rows.slice(0, 8);
  const qwen = rows.slice(8);
  const groups = (of: readonly LayerOver[], group: number): readonly LayerOver[] =>
    of.filter((row) => row.group === group);
  /** For each topology, the layer of groups of 8 divided by that of groups of 16, minus 1, in %. */
  const slower = (of: readonly LayerOver[]): readonly number[] =>
    groups(of, 8).map(({ topology, layer }) => {
      const other = groups(of, 16).find((row) => row.topology === topology);
      return 100 * (layer / (other?.layer ?? Number.NaN) - 1);
    });
  const named = ({ topology, group }: LayerOver): readonly string[] => [
    topology === "chain" && group === 8 ? "`chain` (default)" : `\`${topology}\``,
    String(group),
  ];

  it("have the recorded times, utilisations and packets, with their source", () => {
    expect(new Set(deepSeek.map(({ model }) => model))).toEqual(new Set(["DeepSeek-V2"]));
    expect(new Set(qwen.map(({ model }) => model))).toEqual(new Set(["Qwen3-235B-A22B"]));
    const cells = ({ layer, busy, packets, bursts }: LayerOver): readonly string[] => [
      layer.toFixed(2),
      busy.toFixed(0),
      packets === 0 ? "0" : ((100 * packets) / (packets + bursts)).toFixed(1),
    ];
    const shown = sectionRows(page, "## Layers while experts move");
    expect(shown.map((row) => row.slice(0, 5))).toEqual(
      deepSeek.map((row) => [...named(row), ...cells(row)]),
    );
    expect(shown.map((row) => [...row.slice(0, 2), ...row.slice(5)])).toEqual(
      qwen.map((row) => [...named(row), ...cells(row)]),
    );
    expect(missingSource(page, "trimoe-layer-topologies")).toEqual([]);
  });

  it("are limited by the sub-channels of the host, as the sentences have them", () => {
    expect(new Set(rows.map(({ bound }) => bound))).toEqual(new Set(["host sub-channel"]));
    expect(new Set(rows.map(({ next }) => next))).toEqual(new Set(["PCIe of the GPU"]));
    expect(page).toContain(
      `the PCIe link of the GPU with ${range(rows.map(({ nextBusy }) => nextBusy))} %.`,
    );
    expect(page).toContain(
      `A layer of DeepSeek-V2 is ${range(slower(deepSeek))} % slower than with groups of 16 of the same topology. A layer of Qwen3-235B is ${range(slower(qwen))} % slower.`,
    );
    expect(page).toContain(
      `a MoE layer is ${range([...slower(deepSeek), ...slower(qwen)])} % slower if the host forwards`,
    );
    const spreads = [deepSeek, qwen].map((of) => {
      const times = groups(of, 16).map(({ layer }) => layer);
      return 100 * (Math.max(...times) / Math.min(...times) - 1);
    });
    expect(page).toContain(
      `The topology changes the time of a layer by at most ${Math.max(...spreads).toFixed(1)} %`,
    );
    expect(groups(rows, 16).map(({ packets }) => packets)).toEqual(Array(8).fill(0));
  });

  it("have the recorded times of moves", () => {
    const resource = ({ topology, aloneBound }: LayerOver): string => {
      if (aloneBound === "forwarding by the host") return "host sub-channel";
      return topology === "full" ? "three links per expert" : "link";
    };
    const cells = ({ alone, aloneBusy, moves }: LayerOver): readonly string[] => [
      alone.toFixed(2),
      aloneBusy.toFixed(0),
      moves.toFixed(2),
    ];
    const shown = sectionRows(page, "## Moves alone and during a layer");
    expect(shown.map((row) => row.slice(0, 6))).toEqual(
      deepSeek.map((row) => [...named(row), resource(row), ...cells(row)]),
    );
    expect(shown.map((row) => [...row.slice(0, 3), ...row.slice(6)])).toEqual(
      qwen.map((row) => [...named(row), resource(row), ...cells(row)]),
    );
  });

  it("have the ranges of moves in the sentences", () => {
    const busy = (of: readonly LayerOver[]): readonly number[] =>
      of.map(({ aloneBusy }) => aloneBusy);
    const full = groups(rows, 16).filter(({ topology }) => topology === "full");
    const links = groups(rows, 16).filter(({ topology }) => topology !== "full");
    expect(page).toContain(
      `The forwarded packets use ${range(busy(groups(rows, 8)))} % of the busiest sub-channel.`,
    );
    expect(page).toContain(`the busiest link has a utilisation of ${range(busy(links))} %.`);
    expect(new Set(busy(full).map((share) => share.toFixed(0)))).toEqual(new Set(["89"]));
    expect(page).toContain("three transfers per expert use 89 % of the bandwidth of three links");
    const alone = deepSeek.map((row) => row.alone);
    expect(page).toContain(`Alone, four experts of DeepSeek-V2 need ${range(alone, 2)} ms.`);
    const longer = rows.map((row) => row.moves / row.alone);
    expect(page).toContain(`The moves need ${range(longer, 1)} times as long as alone.`);
    const most = Math.max(...rows.map(({ link }) => link)).toFixed(0);
    expect(page).toContain(`no link has a utilisation of more than ${most} %.`);
  });
});

describe("docs/results/links.md", () => {
  it("has the rates and latencies of a stream over CXL", () => {
    const { cxlStream } = loadAddon();
    const stream = (lanes: number, flit: "68-bytes" | "256-bytes", rate: number) =>
      cxlStream({
        lanes,
        lines: 20_000,
        inFlight: 256,
        flit,
        latency: 50e6,
        lineTime: Math.round((64 / rate) * 1e15),
      });
    const digits = (rate: number): string => (rate / 1e9).toFixed(2);
    const expected = [4, 8, 16].map((lanes) => {
      const [narrow, wide] = [stream(lanes, "68-bytes", 128e9), stream(lanes, "256-bytes", 128e9)];
      return [
        String(lanes),
        digits(narrow.wires),
        digits(narrow.rate),
        digits(wide.rate),
        (narrow.first * 1e-6).toFixed(1),
        digits(stream(lanes, "68-bytes", 38.4e9).rate),
        digits(stream(lanes, "68-bytes", 19.2e9).rate),
      ];
    });
    expect(sectionRows(page, "## A stream over CXL")).toEqual(expected);
  });
});
