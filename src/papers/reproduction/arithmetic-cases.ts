// SPDX-License-Identifier: Apache-2.0
// Cases of published figures that follow from published inputs: a case is matched with the catalogue of facts by its
// paper, its published number and its words. A figure outside of the catalogue is computed if the case has the operands
// of a known rule; any other is reported as unknown.

import { z } from "zod";
import type { Issue } from "../../base/errors.ts";
import { pathText, formatValue } from "../../base/format-value.ts";
import { findFact } from "./find-fact.ts";
import { family, kind, type ReadFamily } from "../cases/family.ts";

const schema = z.object({
  kind: z.string(),
  where: z.string(),
  what: z.string(),
  published: z.number().nullable(),
  inputs: z.unknown().optional(),
});
type PublishedCase = z.infer<typeof schema>;

/** Inputs of a figure are numbers and texts; sizes and operands are numbers. */
function checkOperands({ inputs }: PublishedCase): readonly Issue[] {
  if (typeof inputs !== "object" || inputs === null) return [];
  return Object.entries(inputs)
    .filter(
      ([name, value]) =>
        typeof value !== "number" && (numeric.has(name) || typeof value !== "string"),
    )
    .map(([name, value]) => ({
      where: pathText(["inputs", name]),
      message: `${formatValue(value)} is not ${numeric.has(name) ? "a number" : "a number or a text"}.`,
    }));
}

const numeric = new Set(["a", "b", "cpu", "gpu", "com", "B", "L_in", "L_out"]);

const published = kind(schema, solvePublished, checkOperands);

export const arithmeticCases: ReadFamily = family(z.object({}), {
  lia: published,
  trimoe: published,
  instinfer: published,
  flexgen: published,
  llmshare: published,
});

const ratioInputs = z.object({ a: z.number(), b: z.number() });
const overlapInputs = z.object({ cpu: z.number(), gpu: z.number(), com: z.number() });

/** From the operands alone: a ratio, or LIA's overlap (the CPU, then GPU and transfers at once). */
function fromOperands(inputs: unknown): number | null {
  const ratio = ratioInputs.safeParse(inputs);
  if (ratio.success) return ratio.data.a / ratio.data.b;
  const overlap = overlapInputs.safeParse(inputs);
  if (!overlap.success) return null;
  const { cpu, gpu, com } = overlap.data;
  return cpu + Math.max(gpu, com);
}

function solvePublished(one: PublishedCase): object {
  const fact = findFact(one);
  const value = fact?.value() ?? fromOperands(one.inputs);
  if (value === null) {
    return { value, reason: `no rule of ${one.kind} is known for "${one.what}"` };
  }
  const source = fact === null ? {} : { fact: fact.id };
  if (one.published === null) return { value, ...source };
  const tolerance = fact === null ? {} : { tolerance_vs_published: fact.tolerance };
  return { value, relative_difference: value / one.published - 1, ...tolerance, ...source };
}
