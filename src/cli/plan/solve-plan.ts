// SPDX-License-Identifier: Apache-2.0
// Which planner answers `policy plan --policy NAME`.

import type { Seconds } from "../../base/units.ts";
import { type Plan, solvePlan } from "../../papers/plan/plan.ts";
import type { PlannedStudy } from "../../papers/plan/trimoe.ts";
import type { PlanPolicy, SolvedPlan } from "./plan-text.ts";
import { planLlmShare } from "../../papers/plan/llmshare.ts";
import { planInstInfer } from "../../papers/plan/instinfer.ts";

/** A user's choices in addition to a policy. */
export interface PolicyChoices {
  /** The most time of a block; null without a limit. */
  readonly latency?: Seconds | null;
  readonly choice?: PlannedStudy;
}

/** `latency` is of FlexGen alone, `choice` of TriMoE. */
export async function solvePolicy(
  policy: PlanPolicy,
  plan: Plan,
  { latency = null, choice = {} }: PolicyChoices = {},
): Promise<SolvedPlan> {
  switch (policy) {
    case "lia": {
      return { policy, rows: solvePlan(plan) };
    }
    case "flexgen": {
      const { planFlexGen } = await import("../../papers/plan/flexgen.ts");
      return { policy, rows: await planFlexGen(plan, latency) };
    }
    case "trimoe": {
      const { planTriMoe } = await import("../../papers/plan/trimoe.ts");
      return { policy, rows: planTriMoe(plan, choice) };
    }
    case "instinfer": {
      return { policy, rows: planInstInfer(plan) };
    }
    case "llmshare": {
      return { policy, rows: planLlmShare(plan) };
    }
  }
}
