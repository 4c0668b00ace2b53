// SPDX-License-Identifier: Apache-2.0
// Requests in one running batch: a sequence has the bits, routes and times of a run alone; audits on other
// hardware find injected faults.

import { describe, expect, it } from "vitest";

import { hostPath, paperMachine } from "../../src/machine/resolve/systems.ts";
import { attentionEngine } from "../../src/kernels/csd/attention/attention-engine.ts";
import { endOf } from "../../src/base/timeline.ts";
import type { BatchAuditTotals } from "../../src/lm/batch/batch-audit.ts";
import { runBatch, type BatchRun, type BatchTask } from "../../src/lm/batch/batch-machine.ts";
import {
  batchReport,
  batchSamples,
  batchSpans,
  batchText,
} from "../../src/lm/batch/batch-report.ts";
import { positionsOf, type BatchRequest } from "../../src/lm/batch/batch-requests.ts";
import { evaluateLm } from "../../src/lm/evaluate.ts";
import { hardwareUse } from "../../src/lm/moe/hardware-use.ts";
import { moeLanguageModel } from "../../src/lm/moe/language-model.ts";
import { readMoeModel } from "../../src/lm/moe/model.ts";
import { ndpExperts } from "../../src/lm/moe/ndp-experts.ts";
import type { Routes } from "../../src/lm/moe/router.ts";
import type { AuditHardware } from "../../src/lm/token/audit.ts";
import { runTokenSteps } from "../../src/lm/token/token-machine.ts";
import { planTasks, runPlan } from "../../src/lm/token/token-plan.ts";
import { hostTimesOf } from "../../src/lm/token/token-report.ts";
import { batchPage } from "../../src/report/batch.ts";
import { openCsdSession } from "../../src/native/csd/csd-session.ts";
import { openSession } from "../../src/native/session.ts";
import type { Check } from "../../src/results/metric.ts";
import { rejection } from "../helpers/rejection.ts";
import { full } from "../helpers/tier.ts";
import { request } from "./batch-request.ts";
import { faultySessions, type Fault } from "./faulty-sessions.ts";
import { checkpointOf, settings, sizes, tensorsOf, text } from "./moe-checkpoint.ts";

const model = readMoeModel(checkpointOf(tensorsOf("deepseek-moe")), settings);
const ndp = { ...paperMachine("cycle"), host: hostPath };
const method = { attention: "sparf", ratio: 1 / 2, choice: "whole" } as const;

async function serve(
  requests: readonly BatchRequest[],
  task: Partial<BatchTask> = {},
  audit?: { readonly share: number; readonly seed?: number; readonly on?: Partial<AuditHardware> },
): Promise<BatchRun> {
  const on = {
    engine: "cycle",
    openNdp: openSession,
    openCsd: openCsdSession,
    ...audit?.on,
  } as const;
  return runBatch(
    model,
    {
      requests,
      text,
      ratio: method.ratio,
      storage: null,
      batch: 4,
      chunk: 8,
      room: null,
      ...task,
    },
    {
      fidelity: "cycle",
      ndp,
      host: "h100-80",
      dimms: 2,
      devices: 2,
      openNdp: openSession,
      openCsd: openCsdSession,
      audit:
        audit === undefined
          ? undefined
          : { draw: { share: audit.share, seed: audit.seed ?? 1 }, on },
    },
  );
}

describe("a request alone in the batch", () => {
  const prompt = sizes.inputs / 2;
  const steps = 4;

  it("has the bits and routes of an evaluation on the golden models", async () => {
    const use = hardwareUse("experts", "expert outputs");
    const golden = ndpExperts("golden", model, { machine: ndp, open: openSession, use });
    const wanted = new Map<string, readonly number[]>();
    const judge = moeLanguageModel(model, {
      experts: golden,
      dispatch: "step",
      onRoutes: (_, routes) => {
        note(wanted, routes, (row) => row);
      },
    });
    const engine = attentionEngine("golden", openCsdSession);
    const result = await evaluateLm(judge, { text, windows: [0], method, steps }, engine);
    const found = new Map<string, readonly number[]>();
    const { served, checks } = await serve([request(0, prompt, steps + 1)], {
      onRoutes: (parts, routes) => {
        note(found, routes, (row) => (parts[0]?.from ?? 0) + row);
      },
    });
    expect(checks.map(({ pass }) => pass)).toEqual([true, true, true]);
    expect(served[0]?.bits.slice(1).reduce((a, b) => a + b, 0)).toBe(result.windows[0]?.bits);
    expect(found).toEqual(wanted);
  });

  it("has the times of lm token in every decode step", async () => {
    const machine = { fidelity: "cycle", ndp, dimms: 2, devices: 2 } as const;
    const sessions = { openNdp: openSession, openCsd: openCsdSession };
    const task = { text, windows: [0], steps, method };
    const token = await runTokenSteps(model, task, { ...machine, ...sessions });
    const batchRun = await serve([request(0, prompt, steps + 1)]);
    const decodes = batchRun.steps.filter((step) => step.decodes === 1);
    expect(decodes.map(({ times }) => times.map(({ attention }) => attention))).toEqual(
      token.times[0]?.map((layers) => layers.map(({ attention }) => attention)),
    );
    const host = hostTimesOf(model, "h100-80");
    const homeOf = (layer: number, expert: number): number => batchRun.homes[layer]?.[expert] ?? 0;
    const times = token.times[0]?.map((layers) =>
      endOf(runPlan(planTasks([[layers]], host, { homeOf }))),
    );
    decodes.forEach(({ start, end }, i) => {
      expect(end - start).toBeCloseTo(times?.[i] ?? NaN, 12);
    });
  });
});

describe("sequences that step together", () => {
  const one = request(0, 21, 5);
  const two = request(1, 9, 6, { from: 40, arrival: 1e-4 });
  const three = request(2, 30, 3, { from: 100, arrival: 2e-4 });
  const bitsOf = ({ served }: BatchRun): readonly (readonly number[])[] =>
    served.map(({ bits }) => bits);

  it.each(full ? [method.ratio, null] : [method.ratio])(
    "have their own bits, at a ratio of %s",
    async (ratio) => {
      const alone = [];
      for (const batchRequest of [one, two, three])
        alone.push(await serve([batchRequest], { ratio }));
      const together = await serve([one, two, three], { ratio });
      expect(bitsOf(together)).toEqual(alone.flatMap(bitsOf));
      expect(together.checks.every(({ pass }) => pass)).toBe(true);
      // They were in the same steps, whose experts had tokens of several in one job.
      expect(Math.max(...together.steps.map(({ decodes }) => decodes))).toBeGreaterThan(1);
      const mixed = together.steps.some((step) => step.decodes > 0 && step.promptTokens > 0);
      expect(mixed).toBe(true);
      const tokens = together.steps.flatMap(({ times }) =>
        times.flatMap(({ experts }) => experts.map((job) => job.tokens ?? 0)),
      );
      expect(Math.max(...tokens)).toBeGreaterThan(1);
      expect(together.hardware.experts.jobs).toBe(tokens.length);
      const all = [one, two, three].reduce((sum, own) => sum + positionsOf(own), 0);
      // Two experts per token in one layer of the two.
      expect(tokens.reduce((a, b) => a + b, 0)).toBe(2 * all);
    },
  );

  it("take longer beside others than alone, and less than one after another", async () => {
    const at = [one, { ...two, arrival: 0 }, { ...three, arrival: 0 }];
    const endOfRun = ({ steps }: BatchRun): number => steps.at(-1)?.end ?? 0;
    const together = endOfRun(await serve(at));
    const alone = [];
    for (const batchRequest of at) alone.push(endOfRun(await serve([batchRequest])));
    expect(together).toBeGreaterThan(Math.max(...alone));
    expect(together).toBeLessThan(alone.reduce((a, b) => a + b, 0));
  });

  it("have the same bits in chunks of another size, and their prompts wait for a place", async () => {
    const small = await serve([one, two], { chunk: 3, batch: 1 });
    const large = await serve([one, two], { chunk: 64 });
    expect(bitsOf(small)).toEqual(bitsOf(large));
    expect(Math.max(...small.steps.map(({ running }) => running))).toBe(1);
    expect(small.served[1]?.admitted).toBe(small.served[0]?.tokens.at(-1));
    expect(small.steps.filter(({ promptTokens }) => promptTokens > 0)).toHaveLength(7 + 3);
  });

  it("refuse a request that has no room on empty devices", async () => {
    await expect(serve([one], { room: 1 })).rejects.toThrow(rejection("bad-input", "--room"));
  });

  it("have times of arrival, tokens and steps that fit together in the report", async () => {
    const run = await serve([one, two, three]);
    const report = batchReport(run);
    const value = (id: string): number => report.metrics.find((m) => m.id === id)?.value ?? NaN;
    const { requests, steps } = report;
    for (const row of requests) {
      expect(row.admittedUs).toBeGreaterThanOrEqual(row.arrivalUs);
      expect(row.arrivalUs + row.ttftUs + (row.tpotUs ?? 0) * (row.generated - 1)).toBeCloseTo(
        row.endUs,
        6,
      );
      // Tokens are complete at ends of steps.
      const ends = steps.map((step) => step.startUs + step.timeUs);
      expect(ends.some((end) => Math.abs(end - row.endUs) < 1e-6)).toBe(true);
    }
    expect(value("generatedTokens")).toBe(5 + 6 + 3);
    expect(value("outputRate")).toBeCloseTo((14 * 1e6) / value("time"), 6);
    const bits = run.served.flatMap((servedRequest) => servedRequest.bits.slice(1));
    expect(value("bitsPerByte")).toBeCloseTo(bits.reduce((a, b) => a + b, 0) / 11, 12);
    expect(value("decodedBytes")).toBe(11);
    expect(value("ttftMost")).toBe(Math.max(...requests.map(({ ttftUs }) => ttftUs)));
    const shares = Object.values(report.critical).reduce((a, b) => a + b, 0);
    expect(shares).toBeCloseTo(1, 9);
    const spans = batchSpans(run);
    expect(spans.filter(({ track }) => track === "machine")).toHaveLength(
      run.steps.reduce((sum, { runs }) => sum + runs.length, 0),
    );
    expect(
      new Set(spans.filter(({ track }) => track === "requests").map(({ lane }) => lane)).size,
    ).toBe(3);
    expect(batchSamples(run.steps).at(-1)?.value).toBe(0);
    expect(batchText(report, "h100-80")).toMatch(
      /time to first token, median +[\d.]+ us \(measured\)/,
    );
  });

  it("leave no gap in the report where all are there from the beginning", async () => {
    const at = [one, { ...two, arrival: 0 }, { ...three, arrival: 0 }];
    const { steps } = await serve(at);
    const report = batchReport({ steps, served: [] });
    expect(report.metrics.find(({ id }) => id === "working")?.value).toBe(100);
    const later = batchReport({
      steps: steps.map((step, i) =>
        i === 0 ? step : { ...step, start: step.start + 1, end: step.end + 1 },
      ),
      served: [],
    });
    expect(later.metrics.find(({ id }) => id === "working")?.value).toBeLessThan(1);
    const page = batchPage({ steps }, report, [], { title: "t", rules: "r", provenance: [] });
    const blocks = page.sections.flatMap((section) => section.blocks);
    const size = blocks.find((block) => "id" in block && block.id === "batch-size");
    const rows = size?.kind === "figure" ? size.data.rows : [];
    // Nothing but the end is an empty batch.
    const empty = rows.filter(({ series, rate }) => series === "in the batch" && rate === 0);
    expect(empty).toHaveLength(1);
  });
});

describe("audits of a batch", () => {
  const pair = [request(0, 8, 3), request(1, 6, 2, { from: 40 })];
  const auditOf = async (share: number, fault: Partial<Fault> = {}, seed = 3): Promise<BatchRun> =>
    serve(pair, { chunk: 16 }, { share, seed, on: faultySessions(fault) });
  const checkOf = ({ checks }: BatchRun): Check | undefined =>
    checks.find(({ id }) => id === "audit");

  it("run all rounds again with all heads in them, or a share that the seed draws", async () => {
    const all = await auditOf(1);
    const { rounds, heads, appends, experts } = all.audit ?? noTotals;
    // Three steps of two layers; heads of two sequences in the second, of one in the third.
    expect(rounds).toEqual({ audited: 6, of: 6, different: 0 });
    expect(heads).toEqual({ audited: 12, of: 12, different: 0 });
    expect(appends).toEqual({ audited: 68, of: 68, different: 0 });
    expect(experts.audited).toBe(all.hardware.experts.jobs);
    expect(checkOf(all)?.detail).toMatch(
      /6 of 6 rounds .* 12 of 12 groups of heads .* none differ$/,
    );
    const half = await auditOf(1 / 2);
    expect(half.audit?.rounds.audited).toBeLessThan(6);
    expect((await auditOf(1 / 2)).audit).toEqual(half.audit);
    const seeds = [];
    for (const seed of [4, 5, 6])
      seeds.push((await auditOf(1 / 2, {}, seed)).audit?.experts.audited);
    expect(new Set([half.audit?.experts.audited, ...seeds]).size).toBeGreaterThan(1);
  });

  it.each([
    ["a bit of an expert's output", { output: 2 }, { experts: 1, rounds: 0, heads: 0 }],
    ["a cycle of an expert", { expertCycles: 3 }, { experts: 1, rounds: 0, heads: 0 }],
    ["a value of a head beside others", { head: 3 }, { experts: 0, rounds: 1, heads: 1 }],
    ["when the host had a head's answer", { jobTime: 4 }, { experts: 0, rounds: 1, heads: 1 }],
    ["a device's cycles in a round", { headTime: 1 }, { experts: 0, rounds: 1, heads: 0 }],
  ])("find %s that differs", async (_, fault, different) => {
    const audit = await auditOf(1, fault);
    const { experts, rounds, heads } = audit.audit ?? noTotals;
    expect({
      experts: experts.different,
      rounds: rounds.different,
      heads: heads.different,
    }).toEqual(different);
    expect(audit.checks.filter(({ pass }) => !pass).map(({ id }) => id)).toEqual(["audit"]);
    expect(checkOf(audit)?.detail).toMatch(/\d jobs and \d rounds differ$/);
  });
});

const noTotals: BatchAuditTotals = {
  share: 0,
  seed: 0,
  experts: { audited: 0, of: 0, different: -1 },
  rounds: { audited: 0, of: 0, different: -1 },
  heads: { audited: 0, of: 0, different: -1 },
  appends: { audited: 0, of: 0, different: -1 },
};

/** Experts and weights by layer and position. */
function note(
  to: Map<string, readonly number[]>,
  { layer, chosen, experts, weights, margins }: Routes,
  positionOf: (row: number) => number,
): void {
  margins.forEach((_, row) => {
    const own = [experts, weights].flatMap((all) => [
      ...all.subarray(row * chosen, (row + 1) * chosen),
    ]);
    to.set(`${layer} ${positionOf(row)}`, own);
  });
}
