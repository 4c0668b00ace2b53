// SPDX-License-Identifier: Apache-2.0
// The key `refresh_management` of a replay config and of a check, and `refreshManagement` of a scenario's memory:
// thresholds of activations of a bank, and which memories have RFMs.

import { z } from "zod";

import type { Issue } from "../../base/errors.ts";
import { whenValid } from "../../base/issues.ts";
import type { ChannelRefresh } from "./refresh-kind.ts";
import { leastMaximum, type RefreshManagement } from "./refresh-management.ts";
import { managementCommandOf } from "./standards/controller.ts";
import type { MemoryStandard } from "./standards/table.ts";

const activations = z.int().min(1).max(1_000_000);

export const managementSchema = z
  .strictObject({
    /** As JEDEC names the thresholds; RAADEC as a share of RAAIMT. */
    raaimt: activations.meta({
      meaning: "activations of a bank after which the controller issues an RFM (RAAIMT)",
      example: 32,
    }),
    raammt: activations.optional().meta({
      meaning:
        "activations of a bank at which one more activation is an error of the run (RAAMMT); at least `raaimt`",
      otherwise: `${leastMaximum} x \`raaimt\``,
      example: 96,
    }),
    raadec: z.literal([0.5, 1]).optional().meta({
      meaning: "part of `raaimt` by which a refresh reduces the count of a bank (RAADEC)",
      default: 1,
      example: 0.5,
    }),
  })
  .superRefine(
    ({ raaimt, raammt = raaimt }, context) => {
      if (raammt >= raaimt) return;
      const message = `is ${raammt}, less than the ${raaimt} of raaimt.`;
      context.addIssue({ code: "custom", path: ["raammt"], message });
    },
    whenValid("raaimt", "raammt"),
  );
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

/** Facts of a memory on which its RFMs depend. */
interface ManagedMemory {
  readonly standard: MemoryStandard;
  readonly refresh: ChannelRefresh;
  /** Names are keys. */
  readonly timing: object;
  /** As a config has them. */
  readonly semantics: string | object;
}

/** Problems of refresh management in this memory; `where` is the key that asks for it. */
export function managementIssues(
  { standard, refresh, timing, semantics }: ManagedMemory,
  where: string,
): readonly Issue[] {
  if (typeof semantics === "string" && semantics !== "jedec") {
    return [{ where, message: `the RFMs of ${semantics} are not known.` }];
  }
  if (refresh === "None") return [{ where, message: "a memory without refresh has none." }];
  const name = managementCommandOf(standard, refresh);
  if (name === undefined) {
    const message = `the model of ${standard.name} has no RFM for the refresh ${refresh}.`;
    return [{ where, message }];
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
