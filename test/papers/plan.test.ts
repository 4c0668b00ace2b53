// SPDX-License-Identifier: Apache-2.0
// `policy plan`: FlexGen's linear program, TriMoE and InstInfer on a plan file, each with its memory map.

import { beforeAll, describe, expect, it } from "vitest";

import { planFlexGen } from "../../src/papers/flexgen/files/plan.ts";
import { planLlmShare } from "../../src/papers/serving/plan.ts";
import { planInstInfer } from "../../src/papers/instinfer/files/plan.ts";
import { planTriMoe } from "../../src/papers/trimoe/files/plan.ts";
import { publishedSetting, runSystem } from "../../src/papers/instinfer/model/systems.ts";
import { planLia } from "../../src/papers/lia/files/plan.ts";
import { parsePlan, type Plan } from "../../src/papers/plan/plan.ts";
import { requireOneThatFits, type Placed } from "../../src/papers/experiment/planned.ts";
import { textOfPlan } from "../../src/cli/plan/plan-text.ts";
import { seconds } from "../../src/base/units.ts";
import { rejection } from "../helpers/rejection.ts";

const read = (): string => "";
const host = (more = ""): string => `{ cpu: spr-amx, gpu: t4, link: pcie3${more} }`;
const plan = (model: string, on: string, batch: number, input = 512, output = 32): Plan =>
  parsePlan(
    "p.yaml",
    `model: ${model}\nhost: ${on}\nbatch: ${batch}\ninput: ${input}\noutput: ${output}\n`,
    read,
  );
const disk = ", memory: 200 GiB, storage: { capacity: 1500 GiB, read: 2.806 GB/s, link: 16 GB/s }";

/**
 * Every device has its uses; their sum exceeds its capacity only if the row says that the plan does
 * not fit.
 */
function checkMaps(rows: readonly Placed[]): void {
  for (const { system, memory, lacks, fits, ...outcome } of rows) {
    expect(memory.length, system).toBeGreaterThan(0);
    const short = memory.filter(({ used, capacity }) => used > capacity);
    expect(short.map(({ device }) => device)).toEqual(lacks.map(({ device }) => device));
    expect(fits).toBe(lacks.length === 0);
    if (!fits) expect(outcome).toMatchObject({ latency: null, throughput: null });
    for (const { used, uses } of memory) {
      expect(used).toBe(uses.reduce((sum, use) => sum + use.bytes, 0));
    }
  }
}

describe("FlexGen's plan", () => {
  it("is its linear program: OPT-175B on the T4 instance, 0.69 token/s published", async () => {
    const [row, ...others] = await planFlexGen(plan("opt-175b", host(disk), 256));
    expect(others).toEqual([]);
    checkMaps(row === undefined ? [] : [row]);
    expect(row?.throughput).toBeGreaterThan(0.68);
    expect(row?.throughput).toBeLessThan(0.75);
    expect(row?.placement?.cn).toBeCloseTo(1, 6);
    const { gpuBatch = NaN, batches = NaN } = row?.block ?? {};
    expect(gpuBatch * batches * (row?.blocks ?? NaN)).toBeGreaterThanOrEqual(256);
    expect(batches).toBeLessThan(20);
    // All weights and all caches of the block are stored on a device.
    const total = (what: RegExp): number =>
      (row?.memory ?? [])
        .flatMap(({ uses }) => uses)
        .reduce((sum, use) => sum + (what.test(use.what) ? use.bytes : 0), 0);
    expect(total(/^weights/) / (24 * 96 * 12288 ** 2)).toBeCloseTo(1, 6);
    const cached = 4 * 544 * 12288 * 96 * gpuBatch * batches;
    expect(total(/^keys and values/) / cached).toBeCloseTo(1, 6);
  });

  it("does without a disk, and is refused where host memory is too small for that", async () => {
    const rows = await planFlexGen(plan("opt-175b", host(", memory: 200 GiB"), 4));
    checkMaps(rows);
    expect(rows[0]?.lacks.map(({ device }) => device)).toEqual([
      "DDR of the CPU (Xeon 8460H, AMX)",
    ]);
    expect(() => {
      requireOneThatFits("p.yaml", rows);
    }).toThrow(rejection("bad-input", /batch: FlexGen: .*DDR .* lacks \d+ bytes .*No batch fits/));
  });

  it("is of decoders such as OPT", async () => {
    const wrong = plan("llama2-70b", host(disk), 4);
    await expect(planFlexGen(wrong)).rejects.toThrow(rejection("bad-input", "p.yaml: model"));
  });
});

describe("a plan whose batch no memory limits", () => {
  it("has no largest batch: FlexGen runs blocks, LLMShare has a queue", async () => {
    const flexGen = plan("opt-30b", host(disk), 128);
    const llmShare = plan("opt-13b", "{ cpu: spr-amx, gpu: a100-40, link: pcie4 }", 24, 256, 16);
    const [blocks, pools] = [await planFlexGen(flexGen), planLlmShare(llmShare)];
    for (const { fits, largestBatch } of [...blocks, ...pools]) {
      expect(fits).toBe(true);
      expect(largestBatch).toBe("any");
    }
    for (const text of [
      textOfPlan(flexGen, { policy: "flexgen", rows: blocks }),
      textOfPlan(llmShare, { policy: "llmshare", rows: pools }),
    ])
      expect(text).not.toContain("largest batch");
    const lia = plan("opt-13b", "{ cpu: spr-amx, gpu: a100-40, link: pcie4 }", 64);
    expect(textOfPlan(lia, { policy: "lia", rows: planLia(lia) })).toMatch(
      /largest batch that fits: \d+/,
    );
  });
});

describe("FlexGen's plan under a latency bound", () => {
  const load = plan("opt-30b", host(disk), 128);

  it("has a frontier on which a longer block has more throughput, and the best of it by time", async () => {
    const [row] = await planFlexGen(load);
    const { frontier = [] } = row ?? {};
    expect(frontier.length).toBeGreaterThan(3);
    for (const [i, { latency, throughput, gpuBatch, batches }] of frontier.entries()) {
      expect(throughput).toBeCloseTo((gpuBatch * batches * 32) / latency, 9);
      const before = frontier[i - 1];
      if (before === undefined) continue;
      expect(latency).toBeGreaterThan(before.latency);
      expect(throughput).toBeGreaterThan(before.throughput);
    }
  });

  it("takes blocks that end within the bound, never a slower batch for a looser one", async () => {
    const [free] = await planFlexGen(load);
    const { frontier = [] } = free ?? {};
    let before = Infinity;
    for (const { latency: bound } of frontier) {
      const [row] = await planFlexGen(load, bound);
      const time = row?.latency ?? NaN;
      expect(time / (row?.blocks ?? NaN)).toBeLessThanOrEqual(bound * (1 + 1e-9));
      expect(time).toBeLessThanOrEqual(before);
      before = time;
    }
    expect(before).toBe(free?.latency);
  });

  it("is refused where no block ends in time, with the time of the fastest", async () => {
    await expect(planFlexGen(load, seconds(0.001))).rejects.toThrow(
      rejection("bad-input", /--latency: .* the fastest takes \d/),
    );
  });
});

describe("LIA's plan with several GPUs", () => {
  const on = (gpus: string): string => `{ cpu: spr-amx, gpu: a100-40, link: pcie4${gpus} }`;
  const rowsOf = (gpus: string, batch = 64): ReturnType<typeof planLia> =>
    planLia(plan("opt-66b", on(gpus), batch, 256, 32));

  it("is that of one GPU with a group of one", () => {
    expect(rowsOf(", gpus: 1, gpuLink: 300 GB/s")).toEqual(rowsOf(""));
  });

  it("splits weights and caches of resident layers, and holds more of them", () => {
    const [one] = rowsOf("");
    const [four] = rowsOf(", gpus: 4, gpuLink: 300 GB/s");
    checkMaps([...rowsOf(", gpus: 4, gpuLink: 300 GB/s")]);
    expect(four?.residentLayers).toBeGreaterThan(3 * (one?.residentLayers ?? NaN));
    expect(four?.memory[0]?.device).toBe("each of 4 GPUs (A100 40 GB)");
    const weights = four?.memory[0]?.uses[0]?.bytes ?? NaN;
    const layer = 24 * 9216 ** 2;
    expect(4 * weights).toBe((four?.residentLayers ?? NaN) * layer);
    expect(four?.latency ?? NaN).toBeLessThan(one?.latency ?? NaN);
    expect(four?.joulesPerToken).not.toBeNull();
  });

  it("gains less over slow links, and IPEX, which has no GPU, nothing", () => {
    const [fast, ipex] = rowsOf(", gpus: 8, gpuLink: 300 GB/s", 300);
    const [slow] = rowsOf(", gpus: 8, gpuLink: 20 GB/s", 300);
    const [, alone] = rowsOf("", 300);
    expect(slow?.latency ?? NaN).toBeGreaterThan(fast?.latency ?? NaN);
    expect(ipex?.latency).toBe(alone?.latency);
  });

  it("needs a link between the GPUs, and other policies refuse several", async () => {
    expect(() => rowsOf(", gpus: 2")).toThrow(rejection("bad-input", "p.yaml: host.gpuLink"));
    const several = plan("opt-13b", on(", gpus: 2, gpuLink: 1 GB/s"), 4);
    await expect(planFlexGen(several)).rejects.toThrow(rejection("bad-input", "p.yaml: host.gpus"));
    expect(() => planInstInfer(several)).toThrow(rejection("bad-input", "p.yaml: host.gpus"));
  });
});

describe("LLMShare's plan", () => {
  const on = (gpus: number): string =>
    `{ cpu: spr-amx, gpu: h100-80, link: pcie5, gpus: ${String(gpus)}, gpuLink: 450 GB/s }`;

  it("is the fastest split of the GPUs, none left over, with every byte of the model", () => {
    const rows = planLlmShare(plan("llama2-70b", on(8), 24, 256, 16));
    checkMaps(rows);
    expect(rows.map(({ system }) => system)).toEqual(["LLMShare", "one pool"]);
    for (const { devices, prefillServers, decodeServers, memory, throughput, latency } of rows) {
      expect((devices ?? NaN) * ((prefillServers ?? NaN) + (decodeServers ?? NaN))).toBe(8);
      expect(throughput).toBeCloseTo((24 * 16) / (latency ?? NaN), 9);
      const weights = memory.at(-1)?.uses[0]?.bytes ?? NaN;
      expect(weights * (devices ?? NaN)).toBe(2 * 80 * 8192 * (2 * (64 + 8) * 128 + 3 * 28_672));
    }
    expect(rows[1]?.prefillServers).toBe(0);
  });

  it("says what a GPU lacks where no split holds the model", () => {
    const rows = planLlmShare(plan("opt-175b", on(2), 4));
    checkMaps(rows);
    expect(rows.map(({ fits }) => fits)).toEqual([false, false]);
    expect(() => {
      requireOneThatFits("p.yaml", rows);
    }).toThrow(
      rejection("bad-input", /LLMShare: .* lacks/, /LLMShare: .* lacks/, /one pool: .* lacks/),
    );
  });

  it("is of models without experts, and of no more prompts than can be simulated", () => {
    expect(() => planLlmShare(plan("mixtral-8x7b", on(8), 4))).toThrow(
      rejection("bad-input", "p.yaml: model"),
    );
    expect(() => planLlmShare(plan("opt-13b", on(2), 10_001))).toThrow(
      rejection("bad-input", "p.yaml: batch"),
    );
  });
});

describe("InstInfer's plan", () => {
  const on = "{ cpu: spr-amx, gpu: a6000, link: pcie4, memory: 96 GB }";

  it("has the five systems of the paper, on its machine with its numbers", () => {
    const rows = planInstInfer(plan("opt-13b", on, 64, 1024, 1024));
    checkMaps(rows);
    for (const { system, throughput } of rows) {
      const paper = runSystem(system as never, publishedSetting, 64).throughput;
      expect((throughput ?? NaN) / paper).toBeCloseTo(1, 6);
    }
    expect(rows.map(({ swaps }) => swaps)).toEqual([true, false, false, false, false]);
  });

  it("says which system lacks memory, and refuses a model whose weights no GPU holds", () => {
    const rows = planInstInfer(plan("opt-13b", on, 128, 1024, 1024));
    checkMaps(rows);
    const short = rows.filter(({ fits }) => !fits).map(({ system }) => system);
    expect(short).toEqual(["FlexGen", "FlexGen-SparQ"]);
    expect(() => {
      requireOneThatFits("p.yaml", planInstInfer(plan("opt-30b", on, 1)));
    }).toThrow(rejection("bad-input", /GPU/, /GPU/, /GPU/, /GPU/, /GPU/));
  });
});

describe("TriMoE's plan", () => {
  const on = (memory: string): string =>
    `{ cpu: spr-amx, gpu: h100-80, link: pcie5, memory: ${memory}, dimms: 8 }`;
  let rows: ReturnType<typeof planTriMoe> = [];
  beforeAll(() => {
    rows = planTriMoe(plan("qwen3-235b-a22b", on("2 TB"), 64));
  });

  it("has every expert in the DIMMs, and TriMoE before what it is compared with", () => {
    checkMaps(rows);
    const experts = 94 * 128 * 37_748_736;
    for (const { memory } of rows) {
      const stored = memory[1]?.uses.filter(({ what }) => /experts/.test(what)) ?? [];
      const total = 8 * stored.reduce((sum, use) => sum + use.bytes, 0);
      expect(total / experts).toBeCloseTo(1, 6);
    }
    const times = new Map(rows.map(({ system, layer }) => [system, layer ?? NaN]));
    const { TriMoE = NaN, ...others } = Object.fromEntries(times) as Record<string, number>;
    for (const time of Object.values(others)) expect(TriMoE).toBeLessThanOrEqual(time);
  });

  it("is refused where the DIMMs do not hold the experts, and for models without any", () => {
    const small = planTriMoe(plan("qwen3-235b-a22b", on("256 GB"), 1));
    checkMaps(small);
    expect(() => {
      requireOneThatFits("p.yaml", small);
    }).toThrow(rejection("bad-input", ...small.map(() => /each of 8 DIMMs lacks \d+ bytes/)));
    expect(() => planTriMoe(plan("opt-13b", on("2 TB"), 1))).toThrow(
      rejection("bad-input", "p.yaml: model"),
    );
  });
});

describe("LIA's plan", () => {
  const on = (more: string): string => `{ cpu: spr-amx, gpu: a100-40, link: pcie4${more} }`;

  it("has LIA with weights, caches and both in CXL memory where the host has some", () => {
    const names = (more: string): readonly string[] => {
      const rows = planLia(plan("opt-30b", on(more), 900, 32, 256));
      checkMaps(rows);
      return rows.map(({ system }) => system);
    };
    expect(names("")).toEqual(["LIA", "IPEX", "FlexGen"]);
    expect(names(", cxl: {}")).toEqual([
      ...["LIA", "IPEX", "FlexGen"],
      ...["LIA, weights in CXL", "LIA, caches in CXL", "LIA, weights and caches in CXL"],
    ]);
  });

  it("fits with weights in CXL memory a batch that DDR alone does not hold", () => {
    const batch = 1300;
    const rows = planLia(plan("opt-30b", on(", cxl: {}"), batch, 32, 256));
    const row = (name: string): Placed | undefined => rows.find(({ system }) => system === name);
    expect(row("LIA")).toMatchObject({ fits: false, latency: null });
    expect(row("LIA, weights in CXL")).toMatchObject({ fits: true });
    const largest = (name: string): number => {
      const batchThatFits = row(name)?.largestBatch;
      return typeof batchThatFits === "number" ? batchThatFits : NaN;
    };
    expect(largest("LIA, weights in CXL")).toBeGreaterThan(largest("LIA"));
  });

  it("is refused with every system's lack where none fits (8.7 TB of caches on 512 GB)", () => {
    const rows = planLia(plan("opt-175b", on(""), 900, 2016, 32));
    checkMaps(rows);
    expect(() => {
      requireOneThatFits("p.yaml", rows);
    }).toThrow(rejection("bad-input", /LIA: .*DDR/, /IPEX: .*DDR/, /FlexGen: .*DDR/));
  });

  it("refuses latent attention at the model", () => {
    expect(() => planLia(plan("deepseek-v2", on(""), 1))).toThrow(
      rejection("bad-input", "p.yaml: model"),
    );
  });
});
