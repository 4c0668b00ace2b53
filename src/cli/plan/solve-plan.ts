// SPDX-License-Identifier: Apache-2.0
// Which planner answers `policy plan --policy NAME`.

import type { Plan } from "../../papers/plan/plan.ts";
import type { PlannedStudy } from "../../papers/plan/trimoe.ts";
import type { PlanPolicy, SolvedPlan } from "./plan-text.ts";

/** `choice` is of TriMoE alone. */
export async function solvePolicy(
  policy: PlanPolicy,
  plan: Plan,
  choice: PlannedStudy = {},
): Promise<SolvedPlan> {
  switch (policy) {
    case "lia": {
      const { solvePlan } = await import("../../papers/plan/plan.ts");
      return { policy, rows: solvePlan(plan) };
    }
    case "flexgen": {
      const { planFlexGen } = await import("../../papers/plan/flexgen.ts");
      return { policy, rows: await planFlexGen(plan) };
    }
    case "trimoe": {
      const { planTriMoe } = await import("../../papers/plan/trimoe.ts");
      return { policy, rows: planTriMoe(plan, choice) };
    }
    case "instinfer": {
      const { planInstInfer } = await import("../../papers/plan/instinfer.ts");
      return { policy, rows: planInstInfer(plan) };
    }
  }
}
