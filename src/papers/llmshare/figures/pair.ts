// SPDX-License-Identifier: Apache-2.0
// LLMShare's table of two designs, the H100 cluster and the result of its search, on our simulator
// and cost model; and other designs of the space compared with clusters of H100.

import type { Design } from "../../../explore/search/space.ts";
import { paretoFront } from "../../../base/pareto.ts";
import type { Figure, Table } from "../../../report/page.ts";
import { draw } from "../../experiment/drawing.ts";
import { objectivesOf, type EvaluatedDesign } from "../model/candidates.ts";
import { deviceArea, siliconCost } from "../model/cost.ts";
import { servingDesign } from "../model/design.ts";
import { serverOf } from "../model/device.ts";
import { serve } from "../model/iteration.ts";
import type { Lengths, Request } from "../model/requests.ts";
import { simulateServing, type ServingResult } from "../model/simulate.ts";
import { colours, namesOf, withLegend } from "../../experiment/chart.ts";
import type { Outcome } from "../../experiment/experiment.ts";
import { explained, notComparable, compareNumber } from "../../experiment/finding.ts";
import { assumptionsTable, underAssumptions } from "./assumptions.ts";
import { publishedDesigns, publishedTrace, saturatedTrace, servedModel } from "./setting.ts";
import { between, type InternalCheck } from "../../experiment/internal-check.ts";
import { hover } from "../../../report/hover.ts";

const names = ["H100 cluster", "LLMShare"] as const;
type Name = (typeof names)[number];

export function publishedPair(pool: readonly EvaluatedDesign[], lengths?: Lengths): Outcome {
  const arriving = publishedTrace(lengths);
  const waiting = saturatedTrace(lengths);
  const of = (name: Name, trace: readonly Request[]): ServingResult =>
    served(publishedDesigns[name], trace);
  const loads = { "all waiting": waiting, "as they arrive": arriving };
  const results = Object.entries(loads).flatMap(([load, trace]) =>
    names.map((name) => ({ name, load, result: of(name, trace) })),
  );
  const ratio = (load: string, value: (r: ServingResult) => number): number => {
    const [h100, searched] = names.map((name) =>
      results.find((r) => r.name === name && r.load === load),
    );
    return h100 === undefined || searched === undefined
      ? NaN
      : value(searched.result) / value(h100.result);
  };
  const h100 = of("H100 cluster", waiting);
  const clusters = h100Clusters(waiting);
  const assumed = underAssumptions(waiting);
  const most = Math.max(...assumed.map(({ searched, h100: its }) => searched / its));
  return {
    findings: [
      explained(
        compareNumber("cost of the design found over the H100 cluster", {
          published: "0.87",
          ours: ratio("all waiting", ({ cost }) => cost),
          unit: "x",
          kind: "S",
          note: "the wafer prices of LLMCompass are not public; the model uses a public price",
        }),
        [
          { what: "only silicon", value: costRatio((area) => siliconCost(area), 0) },
          { what: "only memory", value: costRatio(() => 0, 7) },
          { what: "memory at twice the price", value: costRatio((area) => siliconCost(area), 14) },
        ],
      ),
      explained(
        compareNumber("requests per second over the H100 cluster, all waiting", {
          published: "4.11",
          ours: ratio("all waiting", (r) => r.requestsPerSecond),
          unit: "x",
          kind: "S",
          note:
            "decode limits both designs. Half of a pass is kernel launches and link latency (constants of LLMCompass), " +
            "which larger arrays do not reduce, and decode servers assist the slow prefill servers; without these " +
            `assumptions at most ${most.toFixed(2)}`,
        }),
        assumed
          .slice(1)
          .map(({ title, searched, h100: its }) => ({ what: title, value: searched / its })),
      ),
      notComparable(
        "prompt tokens per second of the prefill pool over the H100 cluster's",
        "at most 5.40",
        prefillRate("LLMShare") / prefillRate("H100 cluster"),
        "x",
        "the number of the slides is the peak of the arrays and not a rate of tokens",
      ),
    ],
    checks: [
      between(
        "requests per second over the H100 cluster, as they arrive",
        ratio("as they arrive", (r) => r.requestsPerSecond),
        "x",
        [0.95, 8],
        "both keep up with 20.45 requests/s, so neither can be much ahead",
      ),
      ...bestOfPool(pool, h100),
    ],
    blocks: [
      servingTable(results),
      assumptionsTable(assumed),
      costTable(),
      scatter(pool, clusters),
    ],
    timeline: [],
  };
}

/**
 * Cost ratio of the design found and the H100 cluster, for the prices of a device's silicon and of
 * a GB.
 */
function costRatio(silicon: (area: number) => number, perGigabyte: number): number {
  const [h100 = NaN, searched = NaN] = names.map((name) => {
    const { prefill, decode } = servingDesign(publishedDesigns[name]);
    return [prefill, decode].reduce((t, pool) => {
      const device = silicon(deviceArea(pool).total) + pool.mm * perGigabyte;
      return t + pool.sc * pool.dc * device;
    }, 0);
  });
  return searched / h100;
}

function served(design: Design, trace: readonly Request[]): ServingResult {
  const result = simulateServing(servingDesign(design), servedModel, trace);
  if (result === null) throw new RangeError("a printed design does not fit the model.");
  return result;
}

/** Prompt tokens per second in batches of 2048, all servers of the pool. */
function prefillRate(name: Name): number {
  const { prefill } = servingDesign(publishedDesigns[name]);
  const model = serve(serverOf(prefill), servedModel);
  if (model === null) return NaN;
  return (prefill.sc * 2048) / (model.linear(2048) + model.promptAttention(2048));
}

/** The fastest of the pool at the printed cost, and the cheapest as fast as the H100 cluster. */
function bestOfPool(
  pool: readonly EvaluatedDesign[],
  h100: ServingResult,
): readonly InternalCheck[] {
  const cheaper = pool.filter(({ objectives: [cost] }) => cost <= 0.87 * h100.cost);
  const fastest = Math.min(...cheaper.map(({ objectives: [, time] }) => time));
  const asFast = pool.filter(({ objectives: [, time] }) => time <= h100.servingTime);
  const least = Math.min(...asFast.map(({ objectives: [cost] }) => cost));
  return [
    between(
      "best of the pool at 0.87 of the H100 cluster's cost, requests per second over it",
      h100.servingTime / fastest,
      "x",
      [1, Infinity],
      "any gain is of the published kind; its size is not",
    ),
    between(
      "cheapest of the pool that is as fast as the H100 cluster, cost over it",
      least / h100.cost,
      "x",
      [0, 1],
    ),
  ];
}

/** Clusters of one to ten servers a pool of the printed H100. */
function h100Clusters(trace: readonly Request[]): readonly EvaluatedDesign[] {
  const [, ...prefill] = publishedDesigns["H100 cluster"].slice(0, 10);
  const [, ...decode] = publishedDesigns["H100 cluster"].slice(10);
  const counts = [1, 2, 4, 6, 8, 10];
  return counts.flatMap((a) =>
    counts.flatMap((b) => {
      const design = [a, ...prefill, b, ...decode];
      const objectives = objectivesOf(design, servedModel, trace);
      return objectives === null ? [] : [{ design, objectives }];
    }),
  );
}

interface Row {
  readonly name: Name;
  readonly load: string;
  readonly result: ServingResult;
}

function servingTable(rows: readonly Row[]): Table {
  const seconds = { unit: "s", source: "measured" } as const;
  return {
    kind: "table",
    id: "llmshare-serving",
    caption: "2454 requests on the two printed designs.",
    columns: [
      { key: "design", title: "design" },
      { key: "load", title: "requests" },
      { key: "cost", title: "cost", unit: "$", source: "derived" },
      { key: "rate", title: "served", unit: "request/s", source: "measured" },
      { key: "tokens", title: "generated", unit: "token/s", source: "measured" },
      { key: "ttft50", title: "first token, p50", ...seconds },
      { key: "ttft99", title: "p99", ...seconds },
      { key: "tbt50", title: "between tokens, p50", ...seconds },
      { key: "tbt99", title: "p99", ...seconds },
      { key: "e2e50", title: "end to end, p50", ...seconds },
      { key: "e2e99", title: "p99", ...seconds },
      { key: "helped", title: "prompts / outputs by helpers" },
    ],
    rows: rows.map(({ load, name, result }) => ({
      design: name,
      load,
      cost: result.cost,
      rate: result.requestsPerSecond,
      tokens: result.tokensPerSecond,
      ttft50: result.timeToFirstToken.p50,
      ttft99: result.timeToFirstToken.p99,
      tbt50: result.timeBetweenTokens.p50,
      tbt99: result.timeBetweenTokens.p99,
      e2e50: result.endToEnd.p50,
      e2e99: result.endToEnd.p99,
      helped: `${result.helped.prompts} / ${result.helped.decodes}`,
    })),
  };
}

function costTable(): Table {
  const derived = { source: "derived" } as const;
  const pools = names.flatMap((name) =>
    (["prefill", "decode"] as const).map((pool) => ({
      name: `${name}, ${pool}`,
      pool: servingDesign(publishedDesigns[name])[pool],
    })),
  );
  return {
    kind: "table",
    id: "llmshare-cost",
    caption:
      "What a device costs. Areas after LLMCompass' public model at 7 nm; wafers at $9346 (CSET " +
      "2020), 0.09 defects/cm2, HBM at $7/GB (LLMCompass).",
    columns: [
      { key: "pool", title: "pool" },
      { key: "devices", title: "devices", ...derived },
      { key: "area", title: "silicon", unit: "mm2", ...derived },
      { key: "arrays", title: "of it arrays", unit: "mm2", ...derived },
      { key: "silicon", title: "silicon", unit: "$", ...derived },
      { key: "memory", title: "memory", unit: "$", ...derived },
    ],
    rows: pools.map(({ name, pool }) => {
      const area = deviceArea(pool);
      return {
        pool: name,
        devices: pool.sc * pool.dc,
        area: area.total,
        arrays: area.arrays,
        silicon: siliconCost(area.total),
        memory: pool.mm * 7,
      };
    }),
  };
}

function scatter(pool: readonly EvaluatedDesign[], clusters: readonly EvaluatedDesign[]): Figure {
  const places = (series: string, set: readonly EvaluatedDesign[]): readonly Place[] =>
    set.map(({ objectives: [cost, time] }) => ({ series, cost: cost / 1000, time }));
  const frontOf = (set: readonly EvaluatedDesign[]): readonly EvaluatedDesign[] =>
    paretoFront(set.map(({ objectives }) => objectives))
      .flatMap((i) => set.slice(i, i + 1))
      .toSorted((a, b) => a.objectives[0] - b.objectives[0]);
  const fronts = [
    ...places("front of the pool", frontOf(pool)),
    ...places("front of H100 clusters", frontOf(clusters)),
  ];
  const series = namesOf(fronts, (d) => d.series);
  const svg = (): string =>
    draw((Plot) => ({
      ...colours(series),
      height: 340,
      x: { label: "cost (thousand $)", grid: true, type: "log" },
      y: { label: "serving time (s)", grid: true, type: "log" },
      marks: [
        Plot.dot(places("pool", pool), { x: "cost", y: "time", r: 1.5, fill: "#8c8c8c" }),
        Plot.line(fronts, { x: "cost", y: "time", stroke: "series" }),
        Plot.dot(fronts, hover({ x: "cost", y: "time", fill: "series", r: 3 })),
      ],
    }));
  const options = {
    id: "llmshare-pool",
    caption: "Designs of the pool (grey), their front, and the front of clusters of H100.",
  };
  return withLegend(options, series, svg, {
    columns: [
      { key: "series", title: "series" },
      { key: "cost", title: "cost", unit: "thousand $", source: "derived" },
      { key: "time", title: "serving time", unit: "s", source: "measured" },
    ],
    rows: fronts.map((place) => ({ ...place })),
  });
}

interface Place {
  readonly series: string;
  readonly cost: number;
  readonly time: number;
}
