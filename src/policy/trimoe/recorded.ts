// SPDX-License-Identifier: Apache-2.0
// Recorded expert activations: rows of step, layer, expert and tokens, as CSV with these names in its
// header or as JSON lines with these keys. Experts without a row have no tokens in that step.

import { csvParseRows } from "d3-dsv";
import { z } from "zod";
import { shown } from "../../shown.ts";
import { inputError, NeardataError, type Issue } from "../../errors.ts";

/** Loads of consecutive steps, by layer. */
export type RecordedTrace = ReadonlyMap<number, readonly Int32Array[]>;

const fields = ["step", "layer", "expert", "tokens"] as const;
const mostNumber = 2 ** 31 - 1;
/** Of one expert in one step: far beyond any batch. */
const mostTokens = 1_000_000;
const whole = z.int().min(0).max(mostNumber);
const rowSchema = z.strictObject({
  step: whole,
  layer: whole,
  expert: whole,
  tokens: whole.max(mostTokens),
});
type Row = z.infer<typeof rowSchema>;

/** So many problems are told; a file with the wrong columns has one in each line. */
const mostIssues = 20;

/**
 * Reads a trace for a model with `experts` experts.
 * @throws NeardataError `bad-input` with the first problems, each with its line.
 */
export function parseTrace(file: string, text: string, experts: number): RecordedTrace {
  const lines = text.split(/\r?\n/).map((line, i) => ({ line: line.trim(), number: i + 1 }));
  const filled = lines.filter(({ line }) => line !== "");
  const isJson = filled[0]?.line.startsWith("{") ?? false;
  const issues: Issue[] = [];
  const rows = (isJson ? jsonRows(filled) : csvRows(file, filled)).flatMap(
    ({ number, value }): Row[] => {
      const parsed = rowSchema.safeParse(value);
      const where = `${file}:${number}`;
      if (!parsed.success) {
        const what = parsed.error.issues[0];
        const field = what?.path.join(".") ?? "";
        issues.push({
          where,
          message:
            field === ""
              ? `this is not a row of ${fields.join(", ")} and nothing else.`
              : `${field} here is not a whole number from 0 to ${field === "tokens" ? mostTokens : mostNumber}.`,
        });
        return [];
      }
      if (parsed.data.expert < experts) return [parsed.data];
      issues.push({ where, message: `there is no expert ${parsed.data.expert} of ${experts}.` });
      return [];
    },
  );
  const [first] = rows;
  if (first === undefined && issues.length === 0) {
    issues.push({ where: file, message: `there is no row; columns are ${fields.join(", ")}.` });
  }
  issues.push(...repeats(file, rows));
  if (issues.length > 0) throw new NeardataError("bad-input", issues.slice(0, mostIssues));
  return collect(rows, experts);
}

interface Line {
  readonly line: string;
  readonly number: number;
}

interface Value {
  readonly number: number;
  readonly value: unknown;
}

function jsonRows(lines: readonly Line[]): readonly Value[] {
  return lines.map(({ line, number }) => {
    try {
      return { number, value: JSON.parse(line) as unknown };
    } catch {
      return { number, value: null };
    }
  });
}

function csvRows(file: string, [header, ...lines]: readonly Line[]): readonly Value[] {
  const cellsOf = (line: string): readonly string[] => csvParseRows(line)[0] ?? [];
  const names = cellsOf(header?.line ?? "").map((name) => name.trim().toLowerCase());
  if (header !== undefined && fields.some((field) => !names.includes(field))) {
    const message = `the header has to name ${fields.join(", ")}.`;
    throw inputError(`${file}:${header.number}`, message);
  }
  const extra = header && names.find((name) => !fields.some((field) => field === name));
  if (extra !== undefined) {
    const message = `the header names ${shown(extra)}; columns are ${fields.join(", ")}.`;
    throw inputError(`${file}:${header?.number ?? 1}`, message);
  }
  const twice = fields.find((field) => names.indexOf(field) !== names.lastIndexOf(field));
  if (twice !== undefined) {
    throw inputError(`${file}:${header?.number ?? 1}`, `the header names ${twice} twice.`);
  }
  return lines.map(({ line, number }) => {
    const cells = cellsOf(line).map((cell) => cell.trim());
    if (cells.length > names.length) return { number, value: cells };
    const value = Object.fromEntries(
      fields.map((field) => {
        const text = cells[names.indexOf(field)] ?? "";
        return [field, /^\d+$/.test(text) ? Number(text) : NaN];
      }),
    );
    return { number, value };
  });
}

function repeats(file: string, rows: readonly Row[]): readonly Issue[] {
  const seen = new Set<string>();
  return rows.flatMap(({ step, layer, expert }): readonly Issue[] => {
    const key = `${step} ${layer} ${expert}`;
    if (!seen.has(key)) {
      seen.add(key);
      return [];
    }
    const message = `step ${step}, layer ${layer}, expert ${expert} occurs twice.`;
    return [{ where: file, message }];
  });
}

/** Steps by ascending number; a step that a layer has no row of is not a step of that layer. */
function collect(rows: readonly Row[], experts: number): RecordedTrace {
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
