// SPDX-License-Identifier: Apache-2.0
// The output of SGLang's expert distribution recorder (mode stat), as JSON: logical_count, tokens by
// step, layer and expert, or by layer and expert. The recorder writes it as a PyTorch file; SGLang itself
// reads it as JSON for --init-expert-location. Steps without tokens are unused entries of the recorder's
// buffer, layers without tokens have no experts.

import { formatValue } from "../../../../base/format-value.ts";
import {
  isWholeNumber,
  withoutSteps,
  type RouteProblem,
  type RouteRow,
  type Routes,
} from "./row.ts";

const known = ["logical_count", "rank", "average_utilization_rate_over_window"];

/** Routes of a document with `logical_count`, for a model with `experts` experts. */
export function routesOfSglang(
  document: Readonly<Record<string, unknown>>,
  experts: number,
): Routes {
  const unknown = Object.keys(document).filter((key) => !known.includes(key));
  const problems: RouteProblem[] = unknown.map((key) => ({
    where: "",
    message: `${formatValue(key)} is no key of SGLang's record in mode stat; known are ${known.join(", ")}.`,
  }));
  const counts = document["logical_count"];
  const stepped = depthOf(counts) === 3;
  const steps = stepped ? (counts as readonly unknown[]) : [counts];
  const rows: RouteRow[] = [];
  let layersOf: number | null = null;
  for (const [step, layers] of steps.entries()) {
    const at = stepped ? `: logical_count[${step}]` : ": logical_count";
    if (!Array.isArray(layers)) {
      problems.push({ where: at, message: "must be a list of layers." });
      continue;
    }
    layersOf ??= layers.length;
    if (layers.length !== layersOf) {
      const message = `has ${layers.length} layers, and the first step has ${layersOf}.`;
      problems.push({ where: at, message });
      continue;
    }
    for (const [layer, loads] of (layers as readonly unknown[]).entries()) {
      const where = `${at}[${layer}]`;
      if (!Array.isArray(loads) || loads.length !== experts || !loads.every(isWholeNumber)) {
        const message = `must be ${experts} whole numbers, one for each expert of the model.`;
        problems.push({ where, message });
        continue;
      }
      for (const [expert, tokens] of (loads as readonly number[]).entries()) {
        if (tokens > 0) rows.push({ step, layer, expert, tokens, where });
      }
    }
  }
  return { rows, problems, notes: stepped ? [] : [withoutSteps] };
}

/** Lists in lists. */
function depthOf(value: unknown): number {
  let depth = 0;
  for (let at = value; Array.isArray(at); at = at[0] as unknown) depth += 1;
  return depth;
}
