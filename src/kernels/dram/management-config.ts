// SPDX-License-Identifier: Apache-2.0
// The key `refresh_management` of a replay config and of a check: thresholds of activations of a bank, and which
// memories have RFMs.

import { z } from "zod";

import type { Issue } from "../../base/errors.ts";
import { leastMaximum, type RefreshManagement } from "../../machine/dram/refresh-management.ts";
import type { ChannelRefresh } from "../../machine/dram/refresh-kind.ts";
import { managementCommandOf } from "../../machine/dram/standards/controller.ts";
import type { MemoryStandard } from "../../machine/dram/standards/table.ts";

const activations = z.int().min(1).max(1_000_000);

export const managementSchema = z
  .strictObject({
    /** As JEDEC names the thresholds; RAADEC as a share of RAAIMT. */
    raaimt: activations,
    raammt: activations.optional(),
    raadec: z.literal([0.5, 1]).optional(),
  })
  .superRefine(({ raaimt, raammt = raaimt }, context) => {
    if (raammt >= raaimt) return;
    const message = `is ${raammt}, less than the ${raaimt} of raaimt.`;
    context.addIssue({ code: "custom", path: ["raammt"], message });
  });
type ManagementContent = z.infer<typeof managementSchema>;

export function managementOf(
  content: ManagementContent | undefined,
): RefreshManagement | undefined {
  if (content === undefined) return undefined;
  const { raaimt, raammt, raadec = 1 } = content;
  return {
    initial: raaimt,
    maximum: raammt ?? leastMaximum * raaimt,
    perRefresh: Math.floor(raaimt * raadec),
  };
}

/** Problems of refresh management in a memory with these timings and this refresh; `semantics` as a config has them. */
export function managementIssues(
  standard: MemoryStandard,
  refresh: ChannelRefresh,
  timing: object,
  semantics: string | object,
): readonly Issue[] {
  const where = "refresh_management";
  if (typeof semantics === "string" && semantics !== "jedec") {
    return [{ where, message: `the RFMs of ${semantics} are not known.` }];
  }
  if (refresh === "None") return [{ where, message: "a memory without refresh has none." }];
  const name = managementCommandOf(standard, refresh);
  if (name === undefined) {
    return [{ where, message: `${standard.name} has no RFM beside its refresh ${refresh}.` }];
  }
  const used = standard.constraints.filter(({ from }) => from.includes(name));
  const lacks = (standard.optional ?? []).filter(
    (term) => !(term in timing) && used.some(({ wait }) => wait.includes(term)),
  );
  return lacks.map((term) => ({
    where: `timing_cycles.${term}`,
    message: `is needed by ${name}.`,
  }));
}
