// SPDX-License-Identifier: Apache-2.0
// The serving simulator: nothing is lost or made twice, more of anything is never slower, known
// shapes of times, and the cost of a device that exists.

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { drawDesign } from "../../../src/explore/search/space.ts";
import { modelShape } from "../../../src/workload/shapes.ts";
import { draws } from "../../../src/base/draws.ts";
import { serveRequests, type ClusterPool } from "../../../src/papers/llmshare/model/cluster.ts";
import { deviceArea, siliconCost } from "../../../src/papers/llmshare/model/cost.ts";
import {
  servingDesign,
  servingSpace,
  totalMemory,
  type ServingDesign,
} from "../../../src/papers/llmshare/model/design.ts";
import {
  serverOf,
  defaultAssumptions,
  type Device,
  type ServingAssumptions,
} from "../../../src/papers/llmshare/model/device.ts";
import {
  addGaps,
  gapCount,
  gapPercentile,
  noGaps,
} from "../../../src/papers/llmshare/model/gaps.ts";
import { serve } from "../../../src/papers/llmshare/model/iteration.ts";
import { productTime } from "../../../src/papers/llmshare/model/matmul.ts";
import {
  allWaiting,
  conversationLengths,
  drawRequests,
  lengthsOfCsv,
} from "../../../src/papers/llmshare/model/requests.ts";
import { simulateServing } from "../../../src/papers/llmshare/model/simulate.ts";
import {
  bytesPerSecond,
  seconds,
  type Bytes,
  type BytesPerSecond,
} from "../../../src/base/units.ts";
import { rejection } from "../../helpers/rejection.ts";
import { spaceSize } from "../../helpers/space-size.ts";

const shape = modelShape("opt-175b", "test");
const h100 = [7, 8, 18, 80, 50, 132, 256, 4, 16, 32, 6, 8, 18, 80, 50, 132, 256, 4, 16, 32];
const found = [4, 4, 24, 112, 100, 156, 512, 1, 128, 32, 6, 12, 18, 80, 70, 72, 448, 2, 32, 16];
const requests = drawRequests(conversationLengths(), 150, 20.45, 1);

function poolOf({ dc, mm, ...rest }: ServingDesign["prefill"], servers: number): ClusterPool {
  const server = serverOf({ dc, mm, ...rest });
  const model = serve(server, shape);
  if (model === null) throw new Error("the model does not fit");
  return { servers, model, networkRate: server.networkRate };
}

/** Designs on which the model fits. */
const designs = fc
  .integer({ min: 0, max: 10_000 })
  .map((seed) => drawDesign(servingSpace, draws(seed, "designs")))
  .filter((d) => {
    const { decode, prefill } = servingDesign(d);
    return [decode, prefill].every(({ dc, mm }) => dc * mm >= 448);
  });

describe("the design space", () => {
  it("has 29,491,200 pools, squared", () => {
    expect(spaceSize(servingSpace)).toBe(29_491_200n ** 2n);
  });

  it("reads a design as the paper writes it", () => {
    const { decode, prefill } = servingDesign(found);
    expect(prefill).toMatchObject({ sc: 4, dc: 4, links: 24, mm: 112, lanes: 1, ah: 128 });
    expect(decode).toMatchObject({ sc: 6, dc: 12, cc: 72, vw: 16 });
    expect([totalMemory(h100), totalMemory(found)]).toEqual([8320, 7552]);
  });
});

describe("serving", () => {
  it("generates every token of every request once, with and without assistance between pools", () => {
    fc.assert(
      fc.property(designs, fc.boolean(), (design, waiting) => {
        const trace = waiting ? allWaiting(requests) : requests;
        const { decode, prefill } = servingDesign(design);
        const served = serveRequests(poolOf(prefill, prefill.sc), poolOf(decode, decode.sc), trace);
        const tokens = trace.reduce((sum, { output }) => sum + output, 0);
        expect(served?.tokens).toBe(tokens);
        // A request has one gap less than tokens.
        expect(served === null ? 0 : gapCount(served.gaps)).toBe(tokens - trace.length);
        expect(served?.endToEnd.filter((t) => t > 0)).toHaveLength(trace.length);
        served?.firstToken.forEach((first, i) => {
          expect(first).toBeGreaterThan(0);
          expect(served.endToEnd[i]).toBeGreaterThanOrEqual(first);
        });
      }),
      { numRuns: 15, seed: 1 },
    );
  });

  it("times of one request are those of its passes and its move", () => {
    const { decode, prefill } = servingDesign(h100);
    const [one, other] = [poolOf(prefill, 1), poolOf(decode, 1)];
    const served = serveRequests(one, other, [{ arrival: 5, prompt: 1000, output: 3 }]);
    const first = one.model.linear(1000) + one.model.promptAttention(1000);
    const pass = (tokens: number): number =>
      other.model.linear(1) + tokens * other.model.attentionPerToken;
    const transfer = (1000 * one.model.cacheBytes) / one.networkRate;
    const move = Math.max(transfer / 96, transfer - first);
    expect(served?.firstToken[0]).toBeCloseTo(first, 9);
    expect(served?.endToEnd[0]).toBeCloseTo(first + move + pass(1001) + pass(1002), 9);
    expect(served?.servingTime).toBeCloseTo(served?.endToEnd[0] ?? 0, 9);
    expect(served?.helped).toEqual({ prompts: 0, decodes: 0 });
  });

  it("one server alone takes prompts as soon as they fit, and nothing moves", () => {
    const pool = poolOf(servingDesign(h100).decode, 1);
    const none = { ...pool, servers: 0 };
    const one = serveRequests(none, pool, [{ arrival: 5, prompt: 1000, output: 3 }]);
    const { linear, promptAttention, attentionPerToken } = pool.model;
    const first = linear(1000) + promptAttention(1000);
    const passes = 2 * linear(1) + (1001 + 1002) * attentionPerToken;
    expect(one?.firstToken[0]).toBeCloseTo(first, 9);
    expect(one?.endToEnd[0]).toBeCloseTo(first + passes, 9);
    const trace = allWaiting(requests);
    const all = serveRequests(none, pool, trace, true, 8192);
    expect(all?.tokens).toBe(trace.reduce((sum, { output }) => sum + output, 0));
  });

  it("what does not fit is no design", () => {
    const small = h100.map((v, i) => (i === 3 ? 40 : v));
    expect(simulateServing(servingDesign(small), shape, requests)).toBeNull();
    const long = [{ arrival: 0, prompt: 70_000, output: 1 }];
    expect(simulateServing(servingDesign(h100), shape, long)).toBeNull();
  });

  it("a helper takes over when a queue is long", () => {
    const weak = [1, ...h100.slice(1)];
    const many = allWaiting(drawRequests(conversationLengths(), 300, 20, 1));
    const result = simulateServing(servingDesign(weak), shape, many);
    expect(result?.helped.prompts).toBeGreaterThan(100);
    const alone = { ...defaultAssumptions, helpers: false };
    const helpless = simulateServing(servingDesign(weak), shape, many, alone);
    expect(helpless?.helped).toEqual({ prompts: 0, decodes: 0 });
    expect(helpless?.servingTime).toBeGreaterThan(1.2 * (result?.servingTime ?? Infinity));
  });

  it("a pass is shorter by what is assumed to take no time", () => {
    const { prefill } = servingDesign(h100);
    const pass = (change: Partial<ServingAssumptions>): number =>
      serve(serverOf(prefill, { ...defaultAssumptions, ...change }), shape)?.linear(1) ??
      Number.NaN;
    const usual = pass({});
    const { launches, linkLatency } = defaultAssumptions;
    expect(usual - pass({ launches: seconds(0) })).toBeCloseTo(96 * launches, 9);
    // Two sums over eight devices per layer, each of seven messages one after the other.
    const waits = 96 * 2 * 7 * linkLatency;
    expect(usual - pass({ linkLatency: seconds(0) })).toBeCloseTo(waits, 9);
    // One token's pass reads all weights, so half of the rate shows.
    const half = (memory: Bytes): BytesPerSecond =>
      bytesPerSecond(defaultAssumptions.memoryRate(memory) / 2);
    expect(pass({ memoryRate: half })).toBeGreaterThan(1.1 * usual);
  });

  it("percentiles are in order, rates are those of the trace", () => {
    const result = simulateServing(servingDesign(found), shape, requests);
    if (result === null) throw new Error("it fits");
    for (const p of [result.timeToFirstToken, result.timeBetweenTokens, result.endToEnd]) {
      expect(p.p50).toBeLessThanOrEqual(p.p90);
      expect(p.p90).toBeLessThanOrEqual(p.p99);
    }
    expect(result.requestsPerSecond * result.servingTime).toBeCloseTo(150, 9);
  });

  it("gaps keep their count and their size to a hundredth", () => {
    const gaps = noGaps();
    expect(gapPercentile(gaps, 0.5)).toBe(0);
    addGaps(gaps, 0.05, 90);
    addGaps(gaps, 2, 10);
    addGaps(gaps, 7, 0);
    expect(gapCount(gaps)).toBe(100);
    expect(gapPercentile(gaps, 0.9) / 0.05).toBeCloseTo(1, 1);
    expect(gapPercentile(gaps, 0.91) / 2).toBeCloseTo(1, 1);
  });
});

describe("operator times", () => {
  const device = serverOf(servingDesign(h100).prefill).device;
  const product = { m: 512, k: 4096, n: 4096 };

  it.each<[string, Partial<Device>]>([
    ["memory rate", { memoryRate: (2 * device.memoryRate) as Device["memoryRate"] }],
    ["clock", { clock: (2 * device.clock) as Device["clock"] }],
    ["buffer rate", { bufferBytesPerCycle: 2 * device.bufferBytesPerCycle }],
    ["local buffer", { localBuffer: (2 * device.localBuffer) as Device["localBuffer"] }],
    ["global buffer", { globalBuffer: (2 * device.globalBuffer) as Device["globalBuffer"] }],
    ["lanes", { lanes: 2 * device.lanes }],
  ])("more %s is never slower", (_, more) => {
    const sizes = fc.integer({ min: 1, max: 6000 });
    fc.assert(
      fc.property(sizes, sizes, sizes, (m, k, n) => {
        const before = productTime(device, { m, k, n });
        expect(productTime({ ...device, ...more }, { m, k, n })).toBeLessThanOrEqual(before);
      }),
    );
  });

  it("is never above peak nor above the memory's rate", () => {
    fc.assert(
      fc.property(designs, fc.integer({ min: 1, max: 4096 }), (design, m) => {
        const one = serverOf(servingDesign(design).prefill).device;
        const { k, n } = product;
        const peak = one.cores * one.lanes * one.array ** 2 * one.clock;
        const time = productTime(one, { m, k, n });
        expect(time).toBeGreaterThanOrEqual((m * k * n) / peak);
        expect(time).toBeGreaterThanOrEqual((2 * (m * k + k * n + m * n)) / one.memoryRate);
      }),
    );
  });

  it("a large product on an A100 runs near its peak, a small one at its memory's rate", () => {
    const large = { m: 8192, k: 8192, n: 8192 };
    const peak = 132 * 1024 * 1.41e9;
    expect(8192 ** 3 / productTime(device, large) / peak).toBeGreaterThan(0.6);
    const small = productTime(device, { m: 1, k: 12288, n: 12288 });
    expect(small).toBeCloseTo((2 * (12288 ** 2 + 2 * 12288)) / 3.35e12, 8);
  });
});

describe("cost", () => {
  it("an H100-like device is as large as an H100, and larger dies cost more than in proportion", () => {
    const { total, ...parts } = deviceArea(servingDesign(h100).prefill);
    expect(total).toBeCloseTo(
      Object.values(parts).reduce((a, b) => a + b, 0),
      9,
    );
    // NVIDIA publishes 814 mm2 for the H100 and 826 mm2 for the A100.
    expect(Math.abs(total / 814 - 1)).toBeLessThan(0.1);
    expect(siliconCost(800)).toBeGreaterThan(2 * siliconCost(400));
  });
});

describe("requests", () => {
  it("arrive as asked and have the lengths of the trace", () => {
    const trace = "TIMESTAMP,ContextTokens,GeneratedTokens\nx,10,3\nx,20,0\nx,30,5\n";
    const lengths = lengthsOfCsv(trace, "t.csv");
    expect(lengths).toEqual({ prompts: [10, 20, 30], outputs: [3, 5] });
    const drawn = drawRequests(lengths, 2454, 20.45, 1);
    expect(drawn.at(-1)?.arrival).toBeGreaterThan(110);
    expect(drawn.at(-1)?.arrival).toBeLessThan(130);
    expect(drawn.every(({ output, prompt }) => prompt % 10 === 0 && output >= 3)).toBe(true);
    expect(() => lengthsOfCsv("a,b\n1,2\n", "t.csv")).toThrow(
      rejection("bad-input", /^t\.csv.*ContextTokens/),
    );
  });
});
