// SPDX-License-Identifier: Apache-2.0
// Traces of requests to a language model. The first line says which format a trace has; a trace is read
// line by line, and no further than the requests that are asked for.

import { NeardataError, inputError, type Issue } from "../base/errors.ts";
import type { TextLine } from "../base/files/lines.ts";
import { azure } from "./requests/azure.ts";
import { burstGpt } from "./requests/burstgpt.ts";
import type { RequestFormat, RequestRow, RowReader } from "./requests/format.ts";
import { mooncake } from "./requests/mooncake.ts";

/** Every format, for detection and for messages. */
const requestFormats: readonly RequestFormat[] = [azure, mooncake, burstGpt];

/** A recorded request. */
export interface TracedRequest {
  /** Seconds after the first of the trace. */
  readonly arrival: number;
  readonly prompt: number;
  readonly generated: number;
}

/** Requests of a trace, in order of arrival. */
export interface RequestTrace {
  /** The file, for messages. */
  readonly file: string;
  /** The format, as a sentence names it. */
  readonly format: string;
  readonly requests: readonly TracedRequest[];
  /** Omitted requests and unused parts, one sentence each. */
  readonly notes: readonly string[];
}

/** Limit of reported bad lines; a file of another format has one in each line. */
const maxIssues = 20;

/**
 * The first `most` requests of a trace; requests without tokens in or out are skipped. Later lines
 * are not read.
 * @throws NeardataError `bad-input` if the file is not such a trace, with the first bad lines.
 */
export async function firstRequests(
  file: string,
  lines: AsyncIterable<TextLine> | Iterable<TextLine>,
  most: number,
): Promise<RequestTrace> {
  const reader = new TraceReader(file, true);
  for await (const line of lines) {
    reader.take(line);
    if (reader.seen >= most || reader.isBroken) break;
  }
  return reader.finish();
}

/**
 * The lengths of every line of a text, in tokens; arrivals are neither needed nor read.
 * @throws NeardataError `bad-input`.
 */
export function tracedLengths(
  text: string,
  file: string,
): readonly { readonly prompt: number; readonly generated: number }[] {
  const reader = new TraceReader(file, false);
  for (const line of linesOfText(text)) reader.take(line);
  return reader.lengths();
}

function* linesOfText(text: string): Generator<TextLine> {
  for (let at = 0, number = 1; at < text.length; number += 1) {
    const end = text.indexOf("\n", at);
    const next = end < 0 ? text.length : end;
    yield { text: text.slice(at, next), number };
    at = next + 1;
  }
}

/** Parses a trace line by line. */
class TraceReader {
  readonly #file: string;
  readonly #times: boolean;
  readonly #rows: RequestRow[] = [];
  readonly #requests: TracedRequest[] = [];
  readonly #issues: Issue[] = [];
  #format: RequestFormat | null = null;
  #reader: RowReader | null = null;
  #first: number | null = null;
  #before = 0;
  #empty = 0;

  constructor(file: string, times: boolean) {
    this.#file = file;
    this.#times = times;
  }

  /** Requests with tokens, and bad lines. */
  get seen(): number {
    return this.#requests.length + this.#issues.length;
  }

  get isBroken(): boolean {
    return this.#issues.length >= maxIssues;
  }

  take({ text, number }: TextLine): void {
    const line = text.trim();
    if (line === "") return;
    const isFirst = this.#reader === null;
    const reader = this.#reader ?? this.#open(line, number);
    if (isFirst && !reader.firstIsRow) return;
    const row = reader.read(line);
    if (typeof row === "string") this.#bad(number, row);
    else this.#add(row, number);
  }

  finish(): RequestTrace {
    this.#check();
    const format = this.#format;
    const start = this.#requests[0]?.arrival;
    if (format === null || start === undefined) {
      throw inputError(this.#file, "no request has tokens in and out.");
    }
    const count = this.#empty;
    const notes = [
      ...(count === 0
        ? []
        : [`${count} request${count === 1 ? "" : "s"} without tokens in or out ${format.empty}.`]),
      ...(format.note === undefined ? [] : [format.note]),
    ];
    return {
      file: this.#file,
      format: format.title,
      requests: this.#requests.map((one) => ({ ...one, arrival: one.arrival - start })),
      notes,
    };
  }

  lengths(): readonly RequestRow[] {
    this.#check();
    return this.#rows;
  }

  #open(line: string, number: number): RowReader {
    for (const format of requestFormats) {
      const reader = format.open(line, this.#times);
      if (reader === null) continue;
      if ("problems" in reader) {
        const where = this.#file;
        throw new NeardataError(
          "bad-input",
          reader.problems.slice(0, maxIssues).map((message) => ({ where, message })),
        );
      }
      this.#format = format;
      this.#reader = reader;
      return reader;
    }
    const known = requestFormats.map(({ title, example }) => `${title} (${example})`).join("; ");
    throw inputError(
      `${this.#file}:${number}`,
      `this is the first line of no trace of requests that is read: ${known}.`,
    );
  }

  #add(row: RequestRow, number: number): void {
    if (row.time === null) {
      this.#rows.push(row);
      return;
    }
    this.#first ??= row.time.whole;
    const arrival = row.time.whole - this.#first + row.time.fraction;
    if (arrival < this.#before) {
      this.#bad(number, "this request arrives before the one above it.");
      return;
    }
    this.#before = arrival;
    const { generated, prompt } = row;
    if (prompt > 0 && generated > 0) this.#requests.push({ arrival, prompt, generated });
    else this.#empty += 1;
  }

  #bad(number: number, message: string): void {
    if (!this.isBroken) this.#issues.push({ where: `${this.#file}:${number}`, message });
  }

  #check(): void {
    if (this.#format === null) throw inputError(this.#file, "the trace is empty.");
    if (this.#issues.length > 0) throw new NeardataError("bad-input", this.#issues);
  }
}
