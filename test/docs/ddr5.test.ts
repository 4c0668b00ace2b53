// SPDX-License-Identifier: Apache-2.0
// docs/results/ddr5.md has the cycles of scenarios/sweep-refresh.yaml and the bandwidths of traces that are generated here.
// Other tests compare its edges and its power. Every row runs in the full set, one row of each table otherwise.

import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";

import { inRepository } from "../../src/base/paths.ts";
import type { Settings } from "../../src/explore/spec.ts";
import { parseDramReplayConfig } from "../../src/kernels/dram/config.ts";
import { summarize } from "../../src/kernels/dram/summary.ts";
import { replayText, traceText } from "../kernels/dram/replay-text.ts";
import { sectionRows } from "../helpers/pages.ts";
import { missingSource, recordedExperiment } from "../helpers/recorded.ts";
import { pointMetrics, sweepPoints, valueOf, type PointMetrics } from "../helpers/sweep-points.ts";
import { full } from "../helpers/tier.ts";

const page = readFileSync(inRepository("docs", "results", "ddr5.md"), "utf8");
const points = sweepPoints("sweep-refresh");
const metricsOf = async (settings: Settings): Promise<PointMetrics> =>
  pointMetrics("sweep-refresh-expert", settings);
const whole = (value: number): string => value.toLocaleString("en-US");

describe("an expert of docs/results/ddr5.md", () => {
  const layoutOf = (settings: Settings): string =>
    (settings["layouts"] as readonly string[] | undefined)?.[0] ?? "interleaved";
  const cyclesOf = (
    metrics: PointMetrics,
    settings: Settings,
    tokens: readonly number[],
  ): string[] =>
    tokens.map((n) => whole(valueOf(metrics, "cycles", `${layoutOf(settings)}-${String(n)}`)));
  const labelOf = (settings: Settings): string => {
    if (settings["memory.refresh"] === "None") return "none";
    if (layoutOf(settings) !== "interleaved")
      return "hidden: REFsb, staggered, `layouts: [bank-interleaved]`";
    const command = settings["memory.refresh"] === "AllBank" ? "REFab" : "REFsb";
    const interval = command === "REFab" ? "tREFI" : "its interval";
    return settings["memory.refreshPhase"] === "together"
      ? `${command}, all ranks in one cycle`
      : `${command}, staggered by an eighth of ${interval}`;
  };
  const table = sectionRows(page, "## Refresh of an expert's ranks");
  const rows = table.map((row, i) => ({ row, settings: points[i] ?? {} }));

  it.each(full ? rows : rows.slice(1, 2))("cycles: $row.0, $row.1", async ({ row, settings }) => {
    const metrics = await metricsOf(settings);
    const [label = "", queue, ...cycles] = row;
    expect([label.replace(/ \(.*\)/, ""), queue, ...cycles]).toEqual([
      labelOf(settings),
      String(settings["ndp.queueBursts"]),
      ...cyclesOf(metrics, settings, [1, 2, 8]),
    ]);
  });

  it("has the cycles of ranks that refresh together, as assumptions.md has them", () => {
    const cells = table.find(
      ([label, queue]) => label === "REFab, all ranks in one cycle" && queue === "128",
    );
    const [first = "", second = "", third = ""] = cells?.slice(2) ?? [];
    const assumptions = readFileSync(inRepository("docs", "explanation", "assumptions.md"), "utf8");
    expect(assumptions).toContain(`together\`: ${first}, ${second} and ${third} cycles`);
  });

  const more = points.slice(table.length);
  const pointWith = (key: string): Settings => {
    const point = more.find((settings) => key in settings);
    if (point === undefined) throw new RangeError(`no point with ${key}`);
    return point;
  };

  it.runIf(full)("has the cycles of REFab with the layout of hidden refresh", async () => {
    const settings = pointWith("layouts");
    const [cycles = ""] = cyclesOf(await metricsOf(settings), settings, [1]);
    expect(page).toContain(`REFab gains nothing from the layout (${cycles} cycles)`);
  });

  it.runIf(full)("has the largest effect of longer queues", async () => {
    const cycles = async (settings: Settings): Promise<readonly number[]> => {
      const metrics = await metricsOf(settings);
      return [1, 2, 8].map((n) => valueOf(metrics, "cycles", `interleaved-${String(n)}`));
    };
    const usual = await cycles({});
    const changes = [];
    for (const key of ["ndp.queueBursts", "memory.queueEntries"]) {
      const longer = await cycles(pointWith(key));
      changes.push(...longer.map((value, i) => Math.abs(value - (usual[i] ?? 0))));
    }
    expect(page).toContain(`change no number by more than ${String(Math.max(...changes))} cycles`);
  });

  it.runIf(full)("has the ranges of start phases", async () => {
    const metrics = await metricsOf(pointWith("memory.refreshStarts"));
    for (const tokens of [1, 2, 8]) {
      const [least = "", most = ""] = ["cyclesLeast", "cyclesMost"].map((id) =>
        whole(valueOf(metrics, id, `interleaved-${String(tokens)}`)),
      );
      const unit = tokens === 1 ? "token" : "tokens";
      expect(page).toContain(`${least} to ${most} cycles for ${String(tokens)} ${unit}`);
    }
  });

  it.runIf(full)("has the cycles of command buses", async () => {
    const cycles = [];
    for (const settings of more.filter((one) => "memory.commandBus" in one)) {
      const metrics = await metricsOf(settings);
      cycles.push([1, 6, 24].map((n) => valueOf(metrics, "cycles", `interleaved-${String(n)}`)));
    }
    const [own = [], shared = []] = cycles;
    const slower = shared.map((value, i) => {
      const percent = 100 * (value / (own[i] ?? 0) - 1);
      return `${whole(value)} (+${percent.toPrecision(percent < 1 ? 1 : 2)} %)`;
    });
    expect(sectionRows(page, "## A shared command bus")).toEqual([
      ["one per rank (default)", ...own.map(whole)],
      ["one per sub-channel", ...slower],
    ]);
  });
});

interface Buses {
  readonly model: string;
  readonly own: number;
  readonly shared: number;
  readonly slower: number;
  readonly ownDimm: number;
  readonly sharedDimm: number;
  readonly slowerDimm: number;
}

describe("layers with a shared command bus of docs/results/ddr5.md", () => {
  const { rows } = recordedExperiment<Buses>("trimoe-command-buses");
  const signed = (percent: number): string => `${percent < 0 ? "" : "+"}${percent.toFixed(2)} %`;

  it("have the recorded times, with their source", () => {
    expect(sectionRows(page, "### Effect of a shared command bus on a layer")).toEqual(
      rows.map(({ model, own, shared, slower, ownDimm, sharedDimm, slowerDimm }) => [
        model.replace("-A22B", ""),
        own.toFixed(3),
        `${shared.toFixed(3)} (${signed(slower)})`,
        ownDimm.toFixed(3),
        `${sharedDimm.toFixed(3)} (${signed(slowerDimm)})`,
      ]),
    );
    expect(missingSource(page, "trimoe-command-buses")).toEqual([]);
  });

  it("have the largest effect in the sentences, and in assumptions.md", () => {
    // Rounded up: "at most".
    const largest = Math.max(...rows.map(({ slower }) => slower));
    const most = (Math.ceil(10 * largest) / 10).toFixed(1);
    expect(page).toContain(`A shared command bus makes a layer at most ${most} % slower.`);
    const assumptions = readFileSync(inRepository("docs", "explanation", "assumptions.md"), "utf8");
    expect(assumptions).toContain(`a layer needs [at most ${most} % more time]`);
    expect(assumptions).toContain(`1.3 % of an expert and at most ${most} % of a layer`);
    for (const { own, shared, ownDimm, sharedDimm } of rows) {
      expect(ownDimm).toBeLessThan(own);
      expect(sharedDimm).toBeLessThan(shared);
    }
  });
});

describe("maintenance of docs/results/ddr5.md", () => {
  const [count, rowsOfBank, columns] = [20_000, 65_536, 128];
  const line = (rank: number, group: number, bank: number, row: number, column: number): bigint =>
    64n * BigInt((((rank * 8 + group) * 4 + bank) * rowsOfBank + row) * columns + column);

  /** Request number `i` of a trace. */
  type Place = (i: number, ranks: number) => bigint;
  const sequential: Place = (i, ranks) => {
    const round = Math.floor(i / (8 * ranks));
    return line(
      i % ranks,
      Math.floor(i / ranks) % 8,
      0,
      Math.floor(round / columns),
      round % columns,
    );
  };
  /** A linear congruence modulo 2^32, whose high bits are used. */
  const randomPlaces = (): Place => {
    let state = 1;
    const below = (limit: number): number => {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
      return Math.floor((state / 2 ** 32) * limit);
    };
    return (_, ranks) => line(below(ranks), below(8), below(4), below(rowsOfBank), below(columns));
  };
  const places: Readonly<
    Record<string, readonly [place: () => Place, isRead: (i: number) => boolean]>
  > = {
    "sequential reads": [() => sequential, () => true],
    "sequential writes": [() => sequential, () => false],
    "two reads, one write, sequential": [() => sequential, (i) => i % 3 !== 2],
    "random reads": [randomPlaces, () => true],
    "random, two thirds reads": [randomPlaces, (i) => i % 3 !== 2],
  };

  async function bandwidth(requests: string, ranks: number, rest: object): Promise<string> {
    const [place, isRead] = places[requests] ?? [() => sequential, () => true];
    const at = place();
    const config = parseDramReplayConfig(
      {
        preset: "TriMoE",
        organization: {
          ranks_per_channel: ranks,
          rows: rowsOfBank,
          column_addresses_per_row: columns,
        },
        address_mapper: "ChRaBaRoCo",
        ...rest,
      },
      "a test",
    );
    const trace = Array.from({ length: count }, (_, id) => ({
      id,
      arrival: 0,
      op: isRead(id) ? ("R" as const) : ("W" as const),
      address: at(id, ranks),
    }));
    const result = await replayText(config, traceText(trace));
    return summarize(config, result).bandwidthGBps.toFixed(1);
  }

  const table = sectionRows(page, "## Maintenance");
  it.each((full ? table : table.slice(0, 1)).map((row) => ({ row })))(
    "$row.0, $row.1 ranks",
    async ({ row: [requests = "", ranks = "", ...shown] }) => {
      const switches = { base: "jedec", refreshHoldsAllBanks: true, blockedPickLosesCycle: true };
      const open = { row_policy: "OpenRowPolicy", refresh: "AllBank" };
      const closed = { row_policy: "ClosedRowPolicy", closed_row_cap: 1, refresh: "None" };
      const found = [];
      for (const policy of [open, closed]) {
        for (const semantics of [switches, "jedec"]) {
          found.push(await bandwidth(requests, Number(ranks), { ...policy, semantics }));
        }
      }
      expect(found).toEqual(shown);
    },
  );
});
