// SPDX-License-Identifier: Apache-2.0
// Which planner answers `policy plan --policy NAME`.

import type { Plan } from "../../policy/plan.ts";
import type { PlanPolicy, SolvedPlan } from "./plan-text.ts";

export async function solvePolicy(policy: PlanPolicy, plan: Plan): Promise<SolvedPlan> {
  switch (policy) {
    case "lia": {
      const { solvePlan } = await import("../../policy/plan.ts");
      return { policy, rows: solvePlan(plan) };
    }
    case "flexgen": {
      const { planFlexGen } = await import("../../experiment/plan/flexgen.ts");
      return { policy, rows: await planFlexGen(plan) };
    }
    case "trimoe": {
      const { planTriMoe } = await import("../../experiment/plan/trimoe.ts");
      return { policy, rows: planTriMoe(plan) };
    }
    case "instinfer": {
      const { planInstInfer } = await import("../../experiment/plan/instinfer.ts");
      return { policy, rows: planInstInfer(plan) };
    }
  }
}
