// SPDX-License-Identifier: Apache-2.0
// The kernel of experts: the feed-forward network of one expert on the NDP unit of a DIMM.

import { goldenExpert } from "../../golden/expert.ts";
import { runCases, type CaseContext } from "../../kernels/ndp/cases.ts";
import type { ExpectedOutputs } from "../../kernels/ndp/expected.ts";
import { loadGolden } from "../../kernels/ndp/own-golden.ts";
import { buildNdpUnit, ndpSources } from "../../native/ndp/ndp-unit.ts";
import { buildCustomUnit, openSessionOn } from "../../native/custom-unit.ts";
import { requireBackend } from "../../native/ramulator.ts";
import { openSession } from "../../native/session.ts";
import { caseDocument } from "../../report/case-documents.ts";
import { expertLatencyLines } from "../../report/latency-text.ts";
import { expertTimeline } from "../../report/run-timeline.ts";
import { expertHeadlines } from "../../report/summary.ts";
import { grouped } from "../../base/grouped.ts";
import type { CaseResult } from "../../results/types.ts";
import { NeardataError } from "../../base/errors.ts";
import type { ExpertScenario, ResolvedConfig, Scenario } from "../../scenario/resolve.ts";
import { formatIssues, storageIssues } from "../../scenario/unit-choice.ts";
import type { ExpertWeights } from "../../workload/expert.ts";
import type { LowBitWeights } from "../../workload/low-bit.ts";
import { anyKernel, type TypedKernel } from "../kernel.ts";
import { loadWeights } from "../weights.ts";

/** A scenario that has an expert. */
interface ExpertConfig extends ResolvedConfig {
  readonly scenario: Scenario & { readonly expert: ExpertScenario };
}

interface ExpertWorkload {
  readonly weights: ExpertWeights | LowBitWeights;
  readonly expected: ExpectedOutputs;
}

/** Experts of a scenario. */
export const experts: TypedKernel<CaseResult> = anyKernel(
  {
    name: "expert",
    inputs: ({ scenario: { expert } }: ExpertConfig) => [expert.name, expert.source],
    prepare: ({ scenario: { expert } }, { seed, directory, onRemark }): ExpertWorkload => ({
      weights: loadWeights(expert, seed, directory, onRemark),
      expected: { golden: new Map(), real: new Map(), inputs: new Map(), images: new Map() },
    }),
    run: async ({ settings, workload: { weights, expected } }, context) => {
      const { progress, ...watched } = context;
      const unit = await unitOf(settings, weights);
      return runCases(settings, {
        ...unit,
        ...watched,
        weights,
        expected,
        onCase: progress.cycles,
      });
    },
    metrics: ({ metrics }) => metrics,
    checks: ({ checks }) => checks,
    fidelity: ({ fidelity }) => fidelity,
    rtlUnits: ["ndp"],
    document: caseDocument,
    sections: async (cases) => {
      const { expertSections } = await import("../../report/experts.ts");
      return expertSections(cases);
    },
    machine: async (cases) => {
      const { machineSection } = await import("../../report/experts.ts");
      return machineSection(cases);
    },
    tables: (cases) => grouped(cases, ({ layout }) => layout),
    headlines: expertHeadlines,
    latency: expertLatencyLines,
    timeline: expertTimeline,
    simulationSeconds: ({ run }) => run?.host.total ?? 0,
    units: ({ scenario, ownUnit }) => {
      if (scenario.fidelity !== "rtl") return [];
      // Before the units are built, which takes minutes.
      requireBackend(scenario.memory.backend);
      return [
        async (slots) =>
          ownUnit === null
            ? buildNdpUnit(scenario.unit, ndpSources(), slots)
            : buildCustomUnit(ownUnit, scenario.unit, slots),
      ];
    },
  },
  (config) => (hasExpert(config) ? config : null),
);

function hasExpert(config: ResolvedConfig): config is ExpertConfig {
  return config.scenario.expert !== null;
}

/** The sessions of a scenario's DIMMs, and the model of their expected outputs. */
async function unitOf(
  { ownUnit: ownUnit, scenario }: ResolvedConfig,
  weights: ExpertWeights | LowBitWeights,
): Promise<Pick<CaseContext, "open" | "golden">> {
  if (ownUnit === null) {
    return { open: openSession, golden: goldenExpert };
  }
  const where = scenario.expert?.source.kind === "checkpoint" ? "expert.weights" : "expert.storage";
  const storage = "storage" in weights ? weights.storage : null;
  const unfit = [
    ...formatIssues(ownUnit, weights.format),
    ...(storage === null ? [] : storageIssues(ownUnit, scenario.unit, storage, where)),
  ];
  if (unfit.length > 0) throw new NeardataError("bad-input", unfit);
  return { open: openSessionOn(ownUnit), golden: await loadGolden(ownUnit) };
}
