// SPDX-License-Identifier: Apache-2.0
// Which planner answers `policy plan --policy NAME`.

import type { Seconds } from "../../base/units.ts";
import { planLia } from "../../papers/lia/files/plan.ts";
import type { Plan } from "../../papers/plan/plan.ts";
import type { PlannedStudy } from "../../papers/trimoe/files/plan.ts";
import type { PlanPolicy, SolvedPlan } from "./plan-text.ts";
import { planLlmShare } from "../../papers/serving/plan.ts";
import { planInstInfer } from "../../papers/instinfer/files/plan.ts";

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
      return { policy, rows: planLia(plan) };
    }
    case "flexgen": {
      const { planFlexGen } = await import("../../papers/flexgen/files/plan.ts");
      return { policy, rows: await planFlexGen(plan, latency) };
    }
    case "trimoe": {
      const { planTriMoe } = await import("../../papers/trimoe/files/plan.ts");
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
