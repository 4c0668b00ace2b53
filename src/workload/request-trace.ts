// SPDX-License-Identifier: Apache-2.0
// Traces of requests to a language model as the Azure LLM inference traces have them (Patel et al., ISCA
// 2024): a CSV with a line a request, columns TIMESTAMP, ContextTokens and GeneratedTokens.

import { csvParseRows } from "d3-dsv";
import { inputError } from "../errors.ts";

/** A recorded request. */
export interface TracedRequest {
  /** Seconds after the first of the trace. */
  readonly arrival: number;
  readonly prompt: number;
  readonly generated: number;
}

/** A cell of a column, and the line of the file that it stands in. */
interface TraceCell {
  readonly text: string;
  readonly line: number;
  /** As many cells as the head has names. */
  readonly whole: boolean;
}

/** The columns of a trace by name. */
interface TraceTable {
  readonly names: readonly string[];
  readonly column: (name: string) => readonly TraceCell[];
}

function traceTable(text: string, file: string): TraceTable {
  const [head = [], ...rows] = csvParseRows(text.trim());
  const names = head.map((name) => name.trim());
  return {
    names,
    column: (name) => {
      const at = names.indexOf(name);
      if (at < 0) throw inputError(file, `the trace has no column ${name}.`);
      if (names.lastIndexOf(name) !== at)
        throw inputError(file, `the column ${name} occurs twice.`);
      return rows.map((cells, i) => ({
        text: cells[at]?.trim() ?? "",
        line: i + 2,
        whole: cells.length === names.length,
      }));
    },
  };
}

/**
 * The tokens of one column, line by line.
 * @throws NeardataError `bad-input` where `file` is no such trace.
 */
export function traceTokens(text: string, file: string): (name: string) => readonly number[] {
  const { names, column } = traceTable(text, file);
  return (name) =>
    column(name).map((cell) => {
      if (cell.whole && /^\d{1,9}$/.test(cell.text)) return Number(cell.text);
      const rule = `here is no whole number of tokens in ${name}, of ${names.length} columns.`;
      throw inputError(`${file}:${cell.line}`, rule);
    });
}

/**
 * The requests of a trace in order; those of no tokens were cancelled and are left out.
 * @throws NeardataError `bad-input` where `file` is no such trace.
 */
export function tracedRequests(text: string, file: string): readonly TracedRequest[] {
  const tokens = traceTokens(text, file);
  const [prompts, outputs] = [tokens("ContextTokens"), tokens("GeneratedTokens")];
  let first: number | null = null;
  let before = 0;
  const all = traceTable(text, file)
    .column("TIMESTAMP")
    .map((cell, i): TracedRequest => {
      const time = timeOf(cell.text);
      if (time === null) {
        throw inputError(
          `${file}:${cell.line}`,
          "here is no TIMESTAMP such as 2023-11-16 18:15:46.6805900.",
        );
      }
      first ??= time.day;
      const arrival = time.day - first + time.fraction;
      if (arrival < before) {
        throw inputError(`${file}:${cell.line}`, "this request arrives before the one above it.");
      }
      before = arrival;
      return { arrival, prompt: prompts[i] ?? 0, generated: outputs[i] ?? 0 };
    })
    .filter(({ prompt, generated }) => prompt > 0 && generated > 0);
  const start = all[0]?.arrival;
  if (start === undefined) throw inputError(file, "no request has tokens in and out.");
  return all.map((request) => ({ ...request, arrival: request.arrival - start }));
}

/** Whole seconds and their fraction apart: a date in seconds leaves a double no microseconds. */
function timeOf(text: string): { readonly day: number; readonly fraction: number } | null {
  const found = /^(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d:\d\d)(\.\d{1,9})?$/.exec(text);
  if (found === null) return null;
  const [, day = "", time = "", fraction = "0"] = found;
  const ms = Date.parse(`${day}T${time}Z`);
  return Number.isNaN(ms) ? null : { day: ms / 1000, fraction: Number(fraction) };
}
