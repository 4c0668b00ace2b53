// SPDX-License-Identifier: Apache-2.0
// Recorded expert activations in every format that is read: lines of layer, expert and tokens, the record
// of SGLang's expert distribution recorder, routed experts as vLLM returns them. Experts without a row
// have no tokens in that step.

import { NeardataError, type Issue } from "../../../base/errors.ts";
import { readJson } from "../../../base/json.ts";
import { routeHeaders, routesOfLines } from "./routes/lines.ts";
import type { RouteRow, Routes } from "./routes/row.ts";
import { routesOfSglang } from "./routes/sglang.ts";
import { isVllmAnswer, routesOfVllm } from "./routes/vllm.ts";

/** Loads of consecutive steps, by layer. */
export type RecordedLayers = ReadonlyMap<number, readonly Int32Array[]>;

export interface RecordedTrace {
  readonly layers: RecordedLayers;
  /** Remarks for a reader of the results, one sentence each. */
  readonly notes: readonly string[];
}

/** Most tokens of one expert in one step: far beyond any batch, and beyond a recording of an hour. */
const maxTokens = 100_000_000;

/** Limit of reported problems; a file with the wrong columns has one in each line. */
const maxIssues = 20;

/**
 * Reads a trace for a model with `experts` experts.
 * @throws NeardataError `bad-input` with the first problems, each with its line.
 */
export function parseTrace(file: string, text: string, experts: number): RecordedTrace {
  const { notes, problems, rows } = routesOf(text, experts);
  const issues: Issue[] = problems.map(({ message, where }) => ({
    where: `${file}${where}`,
    message,
  }));
  for (const { expert, tokens, where } of rows) {
    const at = `${file}${where}`;
    if (expert >= experts) {
      issues.push({ where: at, message: `there is no expert ${expert} of ${experts}.` });
    } else if (tokens > maxTokens) {
      const message = `tokens here are more than ${maxTokens}, which no step has.`;
      issues.push({ where: at, message });
    }
  }
  if (rows.length === 0 && issues.length === 0) {
    issues.push({
      where: file,
      message: `there is no row of tokens; columns are ${routeHeaders}.`,
    });
  }
  issues.push(...repeats(file, rows));
  if (issues.length > 0) throw new NeardataError("bad-input", issues.slice(0, maxIssues));
  return { layers: collect(rows, experts), notes };
}

/** One JSON document has its keys; everything else is lines. */
function routesOf(text: string, experts: number): Routes {
  if (!text.trimStart().startsWith("{")) return routesOfLines(text);
  const read = readJson(text);
  const document = read.ok ? (read.value as Readonly<Record<string, unknown>>) : {};
  if ("logical_count" in document) return routesOfSglang(document, experts);
  if (isVllmAnswer(document)) return routesOfVllm(document);
  if ("records" in document) {
    const message =
      "records of SGLang's modes per_pass and per_token count physical experts; record in mode stat.";
    return { rows: [], problems: [{ where: ": records", message }], notes: [] };
  }
  return routesOfLines(text);
}

function repeats(file: string, rows: readonly RouteRow[]): readonly Issue[] {
  const seen = new Set<string>();
  return rows.flatMap(({ step, layer, expert, where }): readonly Issue[] => {
    const key = `${step} ${layer} ${expert}`;
    if (!seen.has(key)) {
      seen.add(key);
      return [];
    }
    const message =
      `step ${step}, layer ${layer}, expert ${expert} occurs twice; counts of several ranks have to ` +
      "be added up first.";
    return [{ where: `${file}${where}`, message }];
  });
}

/** Steps by ascending number; a layer without a row for a step does not have this step. */
function collect(rows: readonly RouteRow[], experts: number): RecordedLayers {
  const layers = new Map<number, Map<number, Int32Array>>();
  for (const { step, layer, expert, tokens } of rows) {
    const steps = layers.get(layer) ?? new Map<number, Int32Array>();
    layers.set(layer, steps);
    const loads = steps.get(step) ?? new Int32Array(experts);
    steps.set(step, loads);
    loads[expert] = tokens;
  }
  const ascending = <V>(map: ReadonlyMap<number, V>): readonly (readonly [number, V])[] =>
    [...map].toSorted(([a], [b]) => a - b);
  return new Map(
    ascending(layers).map(([layer, steps]) => [layer, ascending(steps).map(([, loads]) => loads)]),
  );
}
