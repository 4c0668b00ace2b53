// SPDX-License-Identifier: Apache-2.0
// The kernel of attention: dense and sparse attention of a layer on storage devices.

import { runAttentionCases } from "../../kernels/csd/attention/attention-cases.ts";
import {
  noExpectedLayers,
  type ExpectedLayers,
} from "../../kernels/csd/attention/attention-checks.ts";
import { attentionMachine } from "../../kernels/csd/attention/attention-machine.ts";
import { emptyHeadStore, type HeadStore } from "../../kernels/csd/head-store.ts";
import { buildSparfUnit } from "../../native/csd/csd-unit.ts";
import { buildCustomUnit, openCsdSessionOn } from "../../native/custom-unit.ts";
import type { CustomUnit } from "../../native/custom-unit-choice.ts";
import { attentionSpans } from "../../report/attention/attention-timeline.ts";
import { attentionDocument } from "../../report/case-documents.ts";
import { attentionLatencyLines } from "../../report/latency-text.ts";
import { attentionHeadlines } from "../../report/summary.ts";
import { grouped } from "../../base/grouped.ts";
import type { AttentionCase } from "../../results/types.ts";
import type { AttentionScenario } from "../../scenario/attention.ts";
import type { AttentionHead } from "../../workload/attention-heads.ts";
import { loadHeads } from "../attention-heads.ts";
import { csdsOn } from "../csd.ts";
import { anyKernel, type TypedKernel, type UnitBuild } from "../kernel.ts";

interface AttentionSettings {
  readonly attention: AttentionScenario;
  readonly ownEngine: CustomUnit | null;
}

interface AttentionWorkload {
  readonly heads: readonly AttentionHead[];
  readonly expected: ExpectedLayers;
  readonly headStore: HeadStore;
}

/** Attention of a scenario. */
export const attention: TypedKernel<AttentionCase> = anyKernel(
  {
    name: "attention",
    // If a scenario has attention, it is usually the longest part.
    priority: 2,
    inputs: ({ attention: { source, length, decode } }: AttentionSettings) => [
      source,
      length,
      decode,
    ],
    prepare: async ({ attention: settings }, { directory }): Promise<AttentionWorkload> => ({
      heads: await loadHeads(settings, directory),
      expected: noExpectedLayers(),
      headStore: emptyHeadStore(),
    }),
    run: async ({ settings, workload }, { progress, ...watched }) => {
      const { ownEngine, attention: scenario } = settings;
      const { threads } = watched;
      const open = ownEngine === null ? csdsOn(threads) : openCsdSessionOn(ownEngine, threads);
      return runAttentionCases(scenario, {
        ...watched,
        ...workload,
        open,
        onCase: progress.share,
      });
    },
    metrics: ({ metrics }) => metrics,
    checks: ({ checks }) => checks,
    fidelity: ({ fidelity }) => fidelity,
    rtlUnits: ["sparf"],
    document: attentionDocument,
    sections: async (cases, { estimate }) => {
      const { attentionSections } = await import("../../report/attention/attention.ts");
      return attentionSections(cases, estimate);
    },
    tables: (cases) => grouped(cases, ({ flash }) => flash),
    headlines: attentionHeadlines,
    latency: attentionLatencyLines,
    timeline: (cases) => ({ spans: cases.flatMap(attentionSpans), samples: [] }),
    // Devices are simulated concurrently: each step costs the time of the slowest device.
    simulationSeconds: ({ steps }) =>
      steps.reduce(
        (sum, { run }) => sum + Math.max(0, ...run.devices.map(({ host }) => host.total)),
        0,
      ),
    units: attentionUnits,
  },
  ({ ownEngine, scenario: { attention: settings } }) =>
    settings === null ? null : { attention: settings, ownEngine },
);

/** Heads of files have shapes that are known when they are read: their unit is built with the session. */
function attentionUnits({
  attention: settings,
  ownEngine,
}: AttentionSettings): readonly UnitBuild[] {
  const { source, fidelity, flash, length, devices } = settings;
  if (fidelity !== "rtl" || source.kind !== "hta1") return [];
  const shape = { width: source.width, length: length ?? 0 };
  const units = flash.map((one) => attentionMachine(settings, shape, one, devices[0] ?? 1).unit);
  const different = new Map(units.map((unit) => [JSON.stringify(unit), unit]));
  return [...different.values()].map(
    (unit): UnitBuild =>
      async (slots) =>
        ownEngine === null ? buildSparfUnit(unit, slots) : buildCustomUnit(ownEngine, unit, slots),
  );
}
