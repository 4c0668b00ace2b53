// SPDX-License-Identifier: Apache-2.0
// A scenario's sparse attention on devices without hardware: cases, checks that hold and checks
// that fire, the page, the timeline and the document of what was found.

import { describe, expect, it } from "vitest";
import { parseScenario } from "../../../src/scenario/parse.ts";
import { resolveConfig, type ResolvedConfig } from "../../../src/scenario/resolve.ts";
import {
  runAttentionCases,
  type AttentionContext,
} from "../../../src/kernels/csd/attention/attention-cases.ts";
import type { CsdMachine } from "../../../src/machine/csd/csd-machine.ts";
import type { CsdSession } from "../../../src/machine/csd/csd-types.ts";
import { noExpectedLayers } from "../../../src/kernels/csd/attention/attention-checks.ts";
import { emptyHeadStore } from "../../../src/kernels/csd/head-store.ts";
import type { RunOutcome } from "../../../src/machine/types.ts";
import type { WaveWindow } from "../../../src/kernels/waves.ts";
import { renderPage } from "../../../src/report/html.ts";
import { runTimeline } from "../../../src/report/run-timeline.ts";
import { attention } from "../../../src/run/kernels/attention.ts";
import { runPage } from "../../../src/report/run.ts";
import { resultContent, sealed } from "../../../src/report/saved/document.ts";
import { parseSavedRun } from "../../../src/report/saved/saved.ts";
import { terminalTable } from "../../../src/report/terminal.ts";
import type { AttentionCase } from "../../../src/results/types.ts";
import type { RunResult } from "../../../src/report/run-result.ts";
import { cycles } from "../../../src/base/units.ts";
import { generateHta1 } from "../../../src/workload/hta1.ts";
import { fakeCsd, type CsdFault } from "../../helpers/fake-csd.ts";
import { rejection } from "../../helpers/rejection.ts";

const text = `name: a
fidelity: cycle
attention:
  heads: 5
  headWidth: 16
  length: 300
  decode: 2
  ratio: 1/4
  flash: [znand4k]
  devices: [1, 2]
  inFlight: [1, 4]
  expect: { channelsBusy: { znand4k: 0.9 }, speedup: { znand4k: 0.5 } }
`;

const config = (change: (text: string) => string = (same) => same): ResolvedConfig =>
  resolveConfig("a.yaml", parseScenario("a.yaml", change(text)));

/** The heads that a scenario generates, with an empty cache. */
function fresh({
  attention,
}: ResolvedConfig["scenario"]): Pick<AttentionContext, "heads" | "headStore"> {
  if (attention?.source.kind !== "hta1") throw new Error("no generated attention");
  const { heads, width, firstSeed } = attention.source;
  return {
    heads: Array.from({ length: heads }, (_, h) => generateHta1(firstSeed + h, 302, width)),
    headStore: emptyHeadStore(),
  };
}

async function cases(
  fault: CsdFault = {},
  { scenario }: ResolvedConfig = config(),
  machines: CsdMachine[] = [],
  kept: Pick<AttentionContext, "heads" | "headStore"> = fresh(scenario),
): Promise<readonly AttentionCase[]> {
  const { attention } = scenario;
  if (attention === null) throw new Error("no attention");
  return runAttentionCases(attention, {
    open: fakeCsd(fault, machines),
    expected: noExpectedLayers(),
    ...kept,
    signal: new AbortController().signal,
    onCase: () => ({ update: () => undefined, end: () => undefined }),
    waveDirectory: "/waves",
    waves: false,
  });
}

/** The waveform windows that a scenario's runs on RTL request; null for a run without one. */
async function wavesOf(fault: CsdFault, waves: boolean): Promise<readonly (WaveWindow | null)[]> {
  const rtl = config((same) =>
    same
      .replace("fidelity: cycle", "fidelity: rtl")
      .replace("[1, 2]", "[1]")
      .replace("[1, 4]", "[4]"),
  );
  const { attention } = rtl.scenario;
  if (attention === null) throw new Error("no attention");
  const asked: (WaveWindow | null)[] = [];
  const open = fakeCsd(fault);
  await runAttentionCases(attention, {
    open: async (machine) => {
      const session = await open(machine);
      const run: CsdSession["run"] = (jobs, options) => {
        asked.push(options?.waveform ?? null);
        return session.run(jobs, options);
      };
      return { ...session, run };
    },
    expected: noExpectedLayers(),
    ...fresh(rtl.scenario),
    signal: new AbortController().signal,
    onCase: () => ({ update: () => undefined, end: () => undefined }),
    waveDirectory: "/waves",
    waves,
  });
  return asked;
}

const failed = (all: readonly AttentionCase[]): readonly string[] =>
  all.flatMap((c) => c.checks.filter((check) => !check.pass).map((k) => `${c.id}: ${k.id}`));

function resultOf(cases: readonly AttentionCase[]): RunResult {
  const { configHash } = config();
  const common = { scenario: "a", title: "A", configHash, seed: 1, versions: {} };
  return {
    ...common,
    host: { node: "20" },
    outcome: "completed",
    kernels: [attention.result(cases)],
  };
}

describe("sparse attention of a scenario", () => {
  it("is run again on RTL where it failed, the cycles round the failure traced", async () => {
    // Three steps a method, no failure: no run more.
    expect(await wavesOf({}, false)).toEqual(Array.from({ length: 6 }, () => null));
    const outcome = { kind: "deadlock", cycle: cycles(50_000), place: "unit", message: "stuck" };
    const stuck = await wavesOf({ outcome: outcome as RunOutcome }, false);
    const window = { from: cycles(32_000), to: cycles(52_000) };
    // The first step breaks off, and is run again.
    expect(stuck).toEqual([
      null,
      { path: "/waves/dense-znand4k-1-4-failure.fst", ...window },
      null,
      { path: "/waves/sparf-znand4k-1-4-failure.fst", ...window },
    ]);
    const flipped = await wavesOf({ flipJob: 3 }, false);
    expect(flipped.map((wave) => wave?.path ?? null)).toEqual([
      ...[null, null, null, "/waves/dense-znand4k-1-4-failure.fst"],
      ...[null, null, null, "/waves/sparf-znand4k-1-4-failure.fst"],
    ]);
    // The fake session needs one microsecond per job: the fourth ends at 4 us of 285 MHz.
    expect(flipped[3]).toMatchObject({ from: 0, to: 20_000 });
  });

  it("traces the beginning of every run where that is asked for", async () => {
    const beginning = { from: cycles(0), to: cycles(20_000) };
    expect((await wavesOf({}, true)).slice(0, 3)).toEqual(
      Array.from({ length: 3 }, () => ({ path: "/waves/dense-znand4k-1-4.fst", ...beginning })),
    );
  });

  it("uses cached pages and filled devices, and detects wrong ones", async () => {
    const one = config((t) => t.replace("devices: [1, 2]", "devices: [1]"));
    const kept = fresh(one.scenario);
    const first = await cases({}, one, [], kept);
    expect(failed(first)).toEqual([]);
    // The decode of the first run appends where its timing lets it: only that run's beginning is
    // known again.
    expect([kept.headStore.pages.size, kept.headStore.devices.size]).toEqual([1, 1]);
    const again = await cases({}, one, [], kept);
    expect(again.map((c) => c.outputHash)).toEqual(first.map((c) => c.outputHash));
    // Heads of another layer under the same name.
    const other = fresh(
      config((t) =>
        t.replace("attention:\n", "attention:\n  source: { generator: hta1, firstSeed: 9 }\n"),
      ).scenario,
    );
    await cases({}, one, [], other);
    const wrong = { ...kept, headStore: other.headStore };
    expect(failed(await cases({}, one, [], wrong)).some((f) => f.endsWith("golden"))).toBe(true);
  });

  it("keeps the beginning of every run where nothing is appended", async () => {
    const one = config((t) => t.replace("decode: 2", "decode: 0").replace("expect:", "# "));
    const kept = fresh(one.scenario);
    const first = await cases({}, one, [], kept);
    expect(kept.headStore.devices.size).toBe(8);
    const again = await cases({}, one, [], kept);
    expect(again.map((c) => c.outputHash)).toEqual(first.map((c) => c.outputHash));
    expect(failed(again)).toEqual([]);
  });

  it("runs the methods, the engine and the flash asked for, with r and k", async () => {
    const machines: CsdMachine[] = [];
    const more =
      "attention:\n  methods: [sparf]\n  r: 5\n  k: 20\n  channels: 4\n  diesPerChannel: 2\n" +
      "  engine: { kernels: 1, lanes: 8, slots: 4 }\n";
    const all = await cases(
      {},
      config((t) => t.replace("attention:\n", more)),
      machines,
    );
    expect(all.map((c) => c.id)).toEqual(
      ["1-1", "1-4", "2-1", "2-4"].map((setting) => `sparf-znand4k-${setting}`),
    );
    const [machine] = machines;
    expect(machine?.unit).toMatchObject({ channels: 4, kernels: 1, lanes: 8, slots: 4 });
    expect(machine?.flash).toMatchObject({ channels: 4, dies_per_channel: 2 });
    for (const { steps, metrics } of all) {
      const jobs = steps.flatMap(({ run, jobs: own }) => own.map((j) => run.jobs[j]));
      expect(jobs.map((job) => [job?.dims.length, job?.tokens.length])).toEqual(
        jobs.map(() => [5, 20]),
      );
      // The result of dense attention is known without a run; its time is not.
      expect(metrics.map((m) => m.id)).toContain("denseError");
      expect(metrics.map((m) => m.id)).not.toContain("speedup");
    }
    expect(failed(all).filter((check) => !check.endsWith("speedup"))).toEqual([]);
  });

  it.each<[string, ...RegExp[]]>([
    ["engine: { kernels: 3 }", /engine\.kernels: 3 /],
    ["engine: { lanes: 5, slots: 3 }", /engine\.lanes: 5 /, /engine\.slots: 3 /],
    ["engine: { ringLines: 3000 }", /engine\.ringLines: 3000 /],
    ["engine: { querySets: 8, maxKeys: 64 }", /maxKeys: 64 .* 8 queries/, /attention: .* 302/],
    ["engine: { querySets: 3, maxKeys: 100 }", /querySets: 3 /, /maxKeys: 100 /, /attention: /],
    ["channels: 17", /attention\.channels: .* 16 .* 17/],
    ["r: 17", /attention\.r: 17 .* 16 /],
  ])("refuses %s", (more, ...rules) => {
    expect(() => config((t) => t.replace("attention:\n", `attention:\n  ${more}\n`))).toThrow(
      rejection("bad-input", ...rules),
    );
  });

  it("runs dense and SparF on every number of devices and heads in flight", async () => {
    const machines: CsdMachine[] = [];
    const all = await cases({}, config(), machines);
    expect(all.map((c) => c.id)).toEqual(
      [1, 2].flatMap((devices) =>
        [1, 4].flatMap((inFlight) =>
          ["dense", "sparf"].map((m) => `${m}-znand4k-${devices}-${inFlight}`),
        ),
      ),
    );
    expect(failed(all)).toEqual([]);
    expect(machines.map((m) => m.devices)).toEqual([1, 2]);
    // Three attentions of five heads, each on its device after the appends: three heads and three
    // appends on the fuller of two devices.
    const dense = all.filter((c) => c.method === "dense");
    expect(dense.map((c) => Math.round(c.time * 1e6))).toEqual([25, 25, 15, 15]);
    expect(all[1]?.metrics.map((m) => m.id)).toContain("speedup");
    expect(all[1]?.errorAgainstDense).toBeGreaterThan(0);
  });

  it.each<[string, CsdFault, string]>([
    ["a wrong bit", { flipJob: 0 }, "golden"],
    ["a page too many", { extraPage: true }, "pages"],
    ["a run that breaks off", { outcome: { kind: "cycle-limit", cycle: cycles(9) } }, "outcome"],
  ])("notices %s", async (_, fault, check) => {
    const found = failed(await cases(fault));
    expect(found).toContain(`dense-znand4k-1-1: ${check}`);
    expect(found).toContain(`sparf-znand4k-2-4: ${check}`);
  });

  it("asks for what the scenario expects, with most heads in flight", async () => {
    const strict = config((t) =>
      t.replace("speedup: { znand4k: 0.5 }", "speedup: { znand4k: 3 }").replace("0.9", "0.99"),
    );
    expect(failed(await cases({}, strict))).toEqual([
      "dense-znand4k-1-4: channelsBusy",
      "sparf-znand4k-1-4: speedup",
      "dense-znand4k-2-4: channelsBusy",
      "sparf-znand4k-2-4: speedup",
    ]);
  });

  it("takes its time from flash alone at fidelity analytic", async () => {
    const analytic = config((t) => t.replace("fidelity: cycle", "fidelity: analytic"));
    const all = await cases({}, analytic);
    const time = (id: string): number => all.find((c) => c.id === id)?.time ?? NaN;
    expect(time("dense-znand4k-1-4")).toBeGreaterThan(0);
    expect(time("dense-znand4k-2-4")).toBeLessThan(time("dense-znand4k-1-4"));
    expect(time("sparf-znand4k-1-4")).toBeLessThan(time("sparf-znand4k-1-1"));
    expect(all.every((c) => c.steps.length === 0 && c.accuracy === null)).toBe(true);
  });

  it("is shown on a page, in a timeline, on the terminal and in results.json", async () => {
    const result = resultOf(await cases());
    const document = sealed(resultContent(result), {});
    const page = await runPage(result, document);
    expect(page.sections.map((s) => s.id)).toEqual([
      "attention",
      "attention-roofline",
      "attention-latency",
      "pipeline",
      "channels",
      "devices",
      "checks",
    ]);
    expect(renderPage(page)).toMatch(/dense attention\s+with 1 in flight/);
    expect(terminalTable(result)).toMatch(/dense attention/);
    const timeline = JSON.parse(runTimeline(result)) as { readonly traceEvents: unknown[] };
    expect(timeline.traceEvents.length).toBeGreaterThan(40);
    const saved = parseSavedRun("results.json", JSON.stringify(document));
    expect(saved.cases).toHaveLength(8);
  });
});

describe("the attention of a scenario", () => {
  it.each<[string, (text: string) => string, RegExp]>([
    [
      "a model and heads",
      (t) => t.replace("heads: 5", "model: opt-13b"),
      /tion\.headWidth: .* heads/,
    ],
    ["no shape", (t) => t.replace("  heads: 5\n", ""), /attention: /],
    ["a flash that is none", (t) => t.replace("[znand4k]", "[znand]"), /attention\.flash\[0\]: /],
    ["a ratio above 1", (t) => t.replace("1/4", "5/4"), /attention\.ratio: /],
    ["latent attention", (t) => t.replace(/heads: 5\n.*\n/, "model: deepseek-v2\n"), /DeepSeek-V2/],
    ["nothing to run", () => "name: a\n", /^a\.yaml: a scenario/],
    ["an expert's tokens alone", (t) => `${t}tokens: [1]\n`, /a\.yaml: tokens: /],
  ])("refuses %s", (_, change, where) => {
    expect(() => config(change)).toThrow(rejection("bad-input", where));
  });

  it("takes heads and width from a model", () => {
    const { scenario } = config((t) => t.replace(/heads: 5\n.*\n/, "model: opt-13b\n"));
    expect(scenario.attention?.source).toEqual({
      kind: "hta1",
      heads: 40,
      width: 128,
      firstSeed: 500,
    });
  });
});
