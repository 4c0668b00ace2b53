// SPDX-License-Identifier: Apache-2.0
// Serving files: models with grouped queries and gates, objectives by hand, memory maps, problems all at once, and the
// search over pools against every design.

import { describe, expect, it } from "vitest";

import { readerNextTo } from "../../src/cli/explore/serving-files.ts";
import type { Point } from "../../src/explore/spec.ts";
import type { PointResult } from "../../src/explore/point.ts";
import type { StoredMetric } from "../../src/explore/store.ts";
import { modelShape, type ModelShape } from "../../src/workload/shapes.ts";
import type { Pool } from "../../src/papers/llmshare/model/space.ts";
import { serverOf } from "../../src/papers/llmshare/model/device.ts";
import { serve, storedPerToken } from "../../src/papers/llmshare/model/iteration.ts";
import { serveByRates } from "../../src/papers/llmshare/model/rates.ts";
import { simulateServing } from "../../src/papers/llmshare/model/simulate.ts";
import { drawRequests, conversationLengths } from "../../src/papers/llmshare/model/requests.ts";
import {
  comparedOf,
  explorePools,
  legalDesigns,
  servingExecutor,
  type PoolSearchResult,
  type ServingBase,
} from "../../src/papers/serving/explore.ts";
import { exploreServingOf, poolDesigns } from "../../src/papers/serving/explore-spec.ts";
import { requestsOf, servingText, simulateFile } from "../../src/papers/serving/serve.ts";
import type { ServingOutcome } from "../../src/papers/serving/serve.ts";
import { servingOf, type ServingSpec } from "../../src/papers/serving/spec.ts";
import { bytes } from "../../src/base/units.ts";
import { parseYaml } from "../../src/base/yaml.ts";
import { rejection } from "../helpers/rejection.ts";
import { tracedRequests } from "../helpers/traced-requests.ts";

const pool: Pool = {
  sc: 2,
  dc: 8,
  links: 18,
  mm: 80,
  gb: 50,
  cc: 132,
  lb: 256,
  lanes: 4,
  ah: 16,
  vw: 32,
};
const llama = modelShape("llama2-70b", "test");
/** The same model with as many heads of keys as of queries, and without a gate. */
const variant = (kvHeads: number, matrices: 2 | 3): ModelShape => ({
  ...llama,
  attention: { kind: "heads", heads: 64, kvHeads, headDim: 128 },
  dense: { intermediate: 28_672, matrices },
});

function served(shape: ModelShape, devices = 8): NonNullable<ReturnType<typeof serve>> {
  const model = serve(serverOf({ ...pool, dc: devices }), shape);
  if (model === null) throw new Error("the model does not fit");
  return model;
}

const gpu = "{ servers: 1, devices: 4, gpu: h100-80, link: 450 GB/s, price: 25000 }";
const text = (load: string, more = "", decode = gpu): string =>
  `model: llama2-70b\nprefill: ${gpu}\ndecode: ${decode}\nrequests: ${load}\n${more}`;
const parse = (content: string): ServingSpec =>
  servingOf("s.yaml", parseYaml("s.yaml", content), readerNextTo("s.yaml"));
const run = (content: string): ServingOutcome => {
  const spec = parse(content);
  return simulateFile(spec, requestsOf(spec, null));
};
const numberOf = ({ numbers }: ServingOutcome, id: string): number =>
  numbers.find((one) => one.id === id)?.value ?? NaN;
const load = "{ count: 120, rate: 4, seed: 3 }";

describe("models with grouped queries and gates", () => {
  it("store and read an eighth of the keys and values with 8 of 64 heads", () => {
    const [grouped, plain] = [served(llama), served(variant(64, 3))];
    expect(plain.cacheBytes / grouped.cacheBytes).toBe(8);
    // Memory limits reads of plain heads; those of a group are read once.
    expect(plain.attentionPerToken / grouped.attentionPerToken).toBeGreaterThan(4);
    expect(grouped.cacheBytes).toBe(80 * 2 * 8 * 128 * 2);
  });

  it("compute a third product of the feed-forward part with a gate", () => {
    const [gated, plain] = [served(variant(8, 3)), served(variant(8, 2))];
    const more = gated.linear(4096) - plain.linear(4096);
    // A third product needs at least the time of its operations at the peak rate of the arrays.
    const peak = 8 * 132 * 4 * 16 * 16 * 2 * 1.41e9;
    const floor = (80 * 2 * 4096 * 8192 * 28_672) / peak;
    expect(more).toBeGreaterThan(floor);
    expect(more).toBeLessThan(3 * floor);
    expect(plain.room - gated.room).toBe(80 * 8192 * 28_672 * 2);
  });

  it("copy heads to devices where a server has more devices than heads of keys", () => {
    expect(storedPerToken(llama, 8)).toBe(80 * 2 * 8 * 128 * 2);
    expect(storedPerToken(llama, 16)).toBe(2 * storedPerToken(llama, 8));
    const rated = (devices: number): number =>
      serveByRates(
        { devices, compute: 500e12, bandwidth: 2e12, memory: bytes(80e9), link: 450e9 },
        llama,
      )?.attentionPerToken ?? NaN;
    expect(rated(16) / rated(8)).toBeCloseTo(1, 12);
  });

  it("are refused with experts or latent attention", () => {
    expect(serve(serverOf(pool), modelShape("mixtral-8x7b", "test"))).toBeNull();
    expect(() => parse(text(load).replace("llama2-70b", "deepseek-v2"))).toThrow(
      rejection("bad-input", "s.yaml: model"),
    );
  });
});

describe("a serving file", () => {
  it("is LLMShare's simulator: designed pools give its numbers while memory is not short", () => {
    const design =
      "{ links: 18, memory: 80 GB, globalBuffer: 50 MiB, cores: 132, localBuffer: 256 KiB, " +
      "lanes: 4, array: 16, vector: 32 }";
    const own = `{ servers: 2, devices: 8, design: ${design} }`;
    const outcome = run(
      `model: opt-175b\nprefill: ${own}\ndecode: ${own}\nrequests: { count: 60, rate: 3, seed: 1 }\n`,
    );
    const paper = simulateServing(
      { prefill: pool, decode: pool },
      modelShape("opt-175b", "test"),
      drawRequests(conversationLengths(), 60, 3, 1),
    );
    expect(numberOf(outcome, "servingTime")).toBe(paper?.servingTime);
    expect(numberOf(outcome, "firstTokenP90")).toBe(paper?.timeToFirstToken.p90);
    expect(numberOf(outcome, "betweenTokensP99")).toBe(paper?.timeBetweenTokens.p99);
    expect(numberOf(outcome, "cost")).toBe(paper?.cost);
  });

  it("has a memory map whose weights are those of the model", () => {
    const { pools, checks } = run(text(load));
    expect(checks.map(({ pass }) => pass)).toEqual([true, true]);
    for (const { memory, devices, tokens } of pools) {
      const [weights, embeddings, caches] = memory.uses;
      expect((weights?.bytes ?? NaN) * devices).toBe(
        80 * 2 * (8192 * (2 * 64 + 2 * 8) * 128 + 3 * 8192 * 28_672),
      );
      expect((embeddings?.bytes ?? NaN) * devices).toBe(2 * 2 * 32_000 * 8192);
      expect(memory.uses.reduce((sum, use) => sum + use.bytes, 0)).toBe(memory.capacity);
      expect(Math.abs((caches?.bytes ?? NaN) * devices - tokens * 327_680)).toBeLessThan(400_000);
    }
  });

  it("counts the requests that meet both objectives", () => {
    const lengths = "{ count: 40, rate: 2, output: 50, seed: 5 }";
    const of = (objectives: string): ServingOutcome =>
      run(text(lengths, `objectives: { ${objectives} }\n`));
    const all = of("firstToken: 1000 s");
    expect(numberOf(all, "attainedShare")).toBe(1);
    expect(numberOf(all, "goodput")).toBeCloseTo(numberOf(all, "requestRate"), 12);
    expect(numberOf(all, "goodputPerCost")).toBeCloseTo(numberOf(all, "goodput") / 200, 12);
    expect(numberOf(all, "goodputPerDevice")).toBeCloseTo(numberOf(all, "goodput") / 8, 12);
    // Half of the requests have their first token within the median.
    const half = of(`firstToken: ${String(1e3 * numberOf(all, "firstTokenP50"))} ms`);
    expect(numberOf(half, "attainedShare")).toBeCloseTo(0.5, 1);
    expect(numberOf(of("betweenTokens: 1 us"), "goodput")).toBe(0);
  });

  it("finds the highest rate at which the share of requests meets the objectives", () => {
    const at = (rate: number, share: string): ServingOutcome =>
      run(
        text(
          `{ count: 300, rate: ${String(rate)}, prompt: 1500, output: 20 }`,
          `objectives: { firstToken: 500 ms${share} }\n`,
        ),
      );
    const highest = numberOf(at(3, ", share: 0.9"), "highestRate");
    const arrivals = numberOf(at(3, ""), "arrivalRate");
    const shareAt = (rate: number): number =>
      numberOf(at((3 * rate) / arrivals, ""), "attainedShare");
    expect(shareAt(0.999 * highest)).toBeGreaterThanOrEqual(0.9);
    expect(shareAt(1.1 * highest)).toBeLessThan(0.9);
    const impossible = run(text(load, "objectives: { firstToken: 1 us, share: 0.9 }\n"));
    expect(numberOf(impossible, "highestRate")).toBe(0);
    const waiting = text(
      "{ count: 5, rate: waiting }",
      "objectives: { firstToken: 1 s, share: 1 }\n",
    );
    expect(numberOf(run(waiting), "highestRate")).toBeNaN();
  });

  it("serves a trace as recorded, at a mean rate, or waiting", async () => {
    const trace = await tracedRequests(
      "TIMESTAMP,ContextTokens,GeneratedTokens\n2023-11-16 18:15:46,120,24\n" +
        "2023-11-16 18:15:48,75,37\n2023-11-16 18:15:50,200,9\n",
      "t.csv",
    );
    const arrivals = (given: string): readonly number[] =>
      requestsOf(parse(text(`{ trace: t.csv${given} }`)), trace).map(({ arrival }) => arrival);
    expect(arrivals("")).toEqual([0, 2, 4]);
    expect(arrivals(", count: 2")).toEqual([0, 2]);
    expect(arrivals(", rate: 1.5")).toEqual([0, 1, 2]);
    expect(arrivals(", rate: waiting")).toEqual([0, 0, 0]);
  });

  it("computes prompts on the decode servers where it has no prefill pool", () => {
    const outcome = run(text(load).replace(/prefill: .*\n/, ""));
    expect(outcome.pools.map(({ pool: name }) => name)).toEqual(["decode"]);
    expect(numberOf(outcome, "helpedPrompts")).toBe(120);
    expect(numberOf(outcome, "devices")).toBe(4);
  });

  it("says what it did not get a price for, and each number with its unit", () => {
    const unpriced = text(load, "", gpu.replace(", price: 25000", ""));
    const outcome = run(unpriced);
    expect(numberOf(outcome, "cost")).toBeNaN();
    const shown = servingText(parse(unpriced), outcome);
    expect(shown).toMatch(/No cost is stated/);
    expect(shown).toMatch(/time to first token, mean +[\d.]+ s\n/);
  });
});

describe("a serving file is refused", () => {
  it("with every problem at once", () => {
    const bad = [
      "model: { layers: 2, hidden: 100, heads: 8, kvHeads: 3, intermediate: 10 }",
      "prefill: { servers: 1, devices: 2, gpu: h100-80 }",
      "decode: { servers: 1, devices: 2, gpu: h100 }",
      "requests: { trace: t.csv, seed: 3 }",
      "objectives: { share: 0.5 }",
    ];
    expect(() => parse(`${bad.join("\n")}\n`)).toThrow(
      rejection(
        "bad-input",
        "s.yaml: model.kvHeads",
        "s.yaml: prefill.link",
        "s.yaml: decode.gpu",
        "s.yaml: requests.seed",
        "s.yaml: objectives",
      ),
    );
    const pools = "prefill: { servers: 1, devices: 1 }\ndecode: { servers: 0, devices: 1 }\n";
    expect(() => parse(`model: opt-13b\n${pools}requests: {}\n`)).toThrow(
      rejection("bad-input", "s.yaml: decode.servers"),
    );
    expect(() => parse(text("{ count: 3 }"))).toThrow(
      rejection("bad-input", "s.yaml: requests.rate"),
    );
  });

  it("where the model or a request does not fit, for each pool", () => {
    const one = "{ servers: 1, devices: 1, gpu: h100-80 }";
    const small = `model: llama2-70b\nprefill: ${one}\ndecode: ${one}\nrequests: ${load}\n`;
    expect(() => run(small)).toThrow(
      rejection("bad-input", /^s.yaml: decode: .* lacks \d+ bytes/, /^s.yaml: prefill: .* lacks/),
    );
    expect(() => run(text("{ count: 1, rate: 1, prompt: 900000, output: 5 }"))).toThrow(
      rejection("bad-input", /request 1 needs 900005/, /request 1 needs 900005/),
    );
  });
});

describe("explorations of pools", () => {
  const serving = text(
    "{ count: 60, rate: 6, seed: 2 }",
    "objectives: { firstToken: 2 s, betweenTokens: 100 ms }\n",
  );
  const base = (content: string): ServingBase => {
    const read = readerNextTo("s.yaml");
    const given = parseYaml("s.yaml", content);
    const spec = servingOf("s.yaml", given, read);
    return { file: "s.yaml", content: given, read, spec, trace: null };
  };
  const file = (space: string, more = ""): string =>
    `name: e\nserving: s.yaml\nspace: ${space}\n${more}`;
  const parsed = (content: string): ReturnType<typeof exploreServingOf> =>
    exploreServingOf("e.yaml", parseYaml("e.yaml", content));

  async function explored(
    content: string,
    on = base(serving),
  ): Promise<{ readonly found: PoolSearchResult; readonly results: readonly PointResult[] }> {
    const spec = parsed(content);
    const { designs } = legalDesigns(on, poolDesigns(spec));
    const compared = comparedOf("e.yaml", spec, on);
    const executor = servingExecutor(on, compared);
    const results: PointResult[] = [];
    const { signal } = new AbortController();
    const context = { file: "s.yaml", scenario: null, fidelity: null };
    const evaluate = (points: readonly Point[]): Promise<void> =>
      executor.run(points, context, (result) => results.push(result), signal);
    const metrics = (): Promise<readonly StoredMetric[]> =>
      Promise.resolve(
        results.flatMap(({ index, metrics: pointMetrics }) =>
          pointMetrics.map((m) => ({ ...m, point: index })),
        ),
      );
    const poolSearchResult = await explorePools({
      spec,
      base: on,
      designs,
      compared,
      evaluate,
      metrics,
    });
    return { found: poolSearchResult, results };
  }

  const space = "{ prefill.servers: [1, 2], decode.devices: [1, 2, 4, 8] }";

  it("have the front of every design, and leave out those that cannot serve", async () => {
    const { found, results } = await explored(file(space));
    expect(found.exhaustive).toBe(true);
    expect(found.simulated).toHaveLength(6);
    expect(found.unfit).toEqual([0, 4]);
    expect(results.filter(({ outcome }) => outcome === "bad input")).toHaveLength(2);
    for (const { cost, rate } of found.front) {
      const better = found.simulated.filter((d) => d.cost <= cost && d.rate > rate);
      expect(better).toEqual([]);
    }
    const [cheapest] = found.front;
    expect(cheapest?.cost).toBe(Math.min(...found.simulated.map(({ cost }) => cost)));
    const servingBase = base(serving.replaceAll(", price: 25000", ""));
    const counted = await explored(file("{ decode.servers: [1, 2] }"), servingBase);
    expect(counted.found.simulated.map(({ cost }) => cost)).toEqual([8, 12]);
  });

  it("simulate no more designs than a search allows, each once", async () => {
    const larger =
      "{ prefill.servers: [1, 2, 3], decode.servers: [1, 2, 3], decode.devices: [2, 4] }";
    const search = "search: { initial: 4, iterations: 3, seed: 1 }\n";
    const { found, results } = await explored(file(larger, search));
    expect(found.exhaustive).toBe(false);
    expect(results).toHaveLength(7);
    expect(new Set(results.map(({ index }) => index)).size).toBe(7);
    expect(found.simulated).toHaveLength(7);
  });

  it("are refused with every problem at once", () => {
    expect(() => parsed(file("{ network: [1], decode.servers: [1, 1] }"))).toThrow(
      rejection("bad-input", "e.yaml: space.decode.servers"),
    );
    expect(() => parsed(file("{ network: [1], helpers: [true] }"))).toThrow(
      rejection("bad-input", "e.yaml: space.network", "e.yaml: space.helpers"),
    );
    const none = base(text(load));
    const asked = parsed(file(space, "objective: goodput\n"));
    expect(() => comparedOf("e.yaml", asked, none)).toThrow(
      rejection("bad-input", "e.yaml: objective"),
    );
    expect(() => legalDesigns(none, [{ "decode.server": 2 }])).toThrow(
      rejection("bad-input", "s.yaml: decode.server"),
    );
  });
});
