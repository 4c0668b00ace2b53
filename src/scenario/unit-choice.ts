// SPDX-License-Identifier: Apache-2.0
// The unit of a scenario's DIMM: the unit of the system or the unit of the scenario, with the
// parameters of the scenario.

import { defined } from "../base/defined.ts";
import type { NdpUnitParameters } from "../machine/types.ts";
import type { Issue } from "../base/errors.ts";
import type { FloatFormat } from "../golden/activation.ts";
import { maxAlignedBits, streamsOf } from "../machine/resolve/geometry.ts";
import type { NdpUnitKey, CustomUnit } from "../native/custom-unit-choice.ts";
import type { Fidelity } from "./fidelities.ts";
import type { NdpContent } from "../machine/resolve/ndp-schema.ts";

/** The description of a custom unit in a result. */
export type UnitSummary = Pick<CustomUnit, "name" | "title" | "digest">;

export function unitSummary({ name, title, digest }: CustomUnit): UnitSummary {
  return { name, title, digest };
}

/** The setting of the scenario, else that of its unit's file, else the system's. */
export function unitOf(
  ndp: NdpContent,
  customUnit: CustomUnit | null,
  system: NdpUnitParameters,
): NdpUnitParameters {
  const alignedBits = ndp.alignedBits ?? customUnit?.ndp.alignedBits ?? system.alignedBits;
  const descriptors = ndp.descriptors ?? customUnit?.ndp.descriptors ?? system.descriptors ?? 1;
  const of = (
    key: Exclude<
      NdpUnitKey,
      "buffer" | "streams" | "lowBitWeights" | "alignedBits" | "descriptors"
    >,
  ): number => ndp[key] ?? customUnit?.ndp[key] ?? system[key];
  return {
    streams: streamsOf(ndp) ?? customUnit?.ndp.streams ?? system.streams,
    multipliersPerStream: of("multipliersPerStream"),
    lanes: of("lanes"),
    bitsPerCycle: of("bitsPerCycle"),
    ...(customUnit === null || customUnit.slotCycles === null
      ? {}
      : { slotCycles: customUnit.slotCycles }),
    bufferBytes: ndp.buffer ?? customUnit?.ndp.buffer ?? system.bufferBytes,
    queueBursts: of("queueBursts"),
    activationLanes: of("activationLanes"),
    maxTokens: of("maxTokens"),
    ...defined({
      lowBitWeights: (ndp.lowBitWeights ?? customUnit?.ndp.lowBitWeights ?? false) ? 1 : undefined,
      alignedBits:
        alignedBits === undefined || alignedBits === maxAlignedBits ? undefined : alignedBits,
      descriptors: descriptors === 1 ? undefined : descriptors,
    }),
  };
}

/** Keys of `ndp` for parts outside the unit. */
const notOfUnit: ReadonlySet<string> = new Set(["clock", "links", "linkTopology", "linkGroup"]);

/** Settings of a scenario that its custom unit does not support. */
export function customUnitIssues(
  customUnit: CustomUnit,
  ndp: NdpContent,
  fidelity: Fidelity,
  format: FloatFormat | null,
): readonly Issue[] {
  const issues = [...cycleIssues(customUnit, "fidelity", fidelity)];
  const has = new Set<unknown>(Object.values(customUnit.parameters));
  for (const [key, value] of Object.entries(ndp)) {
    const parameter = key === "ranks" ? "streams" : key;
    if (value === undefined || notOfUnit.has(key) || has.has(parameter)) continue;
    issues.push({ where: `ndp.${key}`, message: `${customUnit.name} has no parameter for it.` });
  }
  if (format !== null) issues.push(...formatIssues(customUnit, format));
  return issues;
}

/** The issue of low-bit weights that a unit does not support, at the key `where`. */
export function storageIssues(
  customUnit: CustomUnit,
  unit: NdpUnitParameters,
  storage: string,
  where: "expert.storage" | "expert.weights",
): readonly Issue[] {
  if (unit.lowBitWeights === 1) return [];
  const message = `${customUnit.name} computes with weights in ${customUnit.formats.join(" and ")}, not in ${storage}.`;
  return [{ where, message }];
}

/** The issue of a custom unit at the fidelity of cycle models. */
export function cycleIssues(
  customUnit: CustomUnit,
  where: string,
  fidelity: Fidelity,
): readonly Issue[] {
  if (fidelity !== "cycle") return [];
  const message = `${customUnit.name} has no cycle model: its fidelity is rtl or analytic.`;
  return [{ where, message }];
}

/** That a unit cannot compute in a format. */
export function formatIssues(customUnit: CustomUnit, format: FloatFormat): readonly Issue[] {
  if (customUnit.formats.includes(format)) return [];
  const message = `${customUnit.name} computes in ${customUnit.formats.join(" and ")}, not in ${format}.`;
  return [{ where: "expert.format", message }];
}
