// SPDX-License-Identifier: Apache-2.0
// A memory trace of another format as the text that the native model reads, piece by piece: a request a
// line, numbered in order. Addresses lose the bits inside an access, as in the simulators that the formats
// are of; how many had any is counted. Each line of the text knows the line of the file that it is from.

import { inputError, NeardataError, type Issue } from "../../base/errors.ts";
import { LineSplitter, type TextLine } from "../../base/files/lines.ts";
import type { Pieces } from "../../base/files/pieces.ts";
import { present } from "../../base/present.ts";
import { megahertzOf, type DramReplayConfig } from "../dram/replay-config.ts";
import type { TraceSource } from "../dram/replay.ts";
import { detectMemoryFormat, isSkipped, memoryFormats, neardataFormat } from "./detect.ts";
import { accessBytes, type MemoryFormat } from "./format.ts";

/** How a trace is to be read. */
export interface MemoryTraceOptions {
  /** A value of `--trace-format`; if undefined, the format is detected from the trace. */
  readonly format?: string | undefined;
  /** The clock that a trace of an initiator counts, MHz; that of the memory where it is not given. */
  readonly clock?: number | undefined;
}

/** A trace that is being converted. */
export interface ConvertedTrace extends TraceSource {
  /** Remarks for a reader of the results; complete when all pieces have been read. */
  readonly remarks: () => readonly string[];
}

/** Limit of bad lines per error message. */
const maxIssues = 20;
const maxArrival = 1e15;
const utf8 = new TextEncoder();

/**
 * Converts a trace of any format to the native model's format.
 * @throws NeardataError `bad-input` if the format is unclear or cannot be replayed, and from its
 * pieces if a line is bad.
 */
export async function readMemoryTrace(
  source: { readonly name: string; readonly pieces: Pieces },
  config: DramReplayConfig<string>,
  options: MemoryTraceOptions = {},
): Promise<ConvertedTrace> {
  const { name, pieces } = source;
  const stream = new Beginning(pieces);
  let format: MemoryFormat | null;
  try {
    format = await formatOf(name, stream, options.format);
    if (options.clock !== undefined && format?.clock !== "initiator") throw wrongClock(format);
  } catch (error) {
    await stream.close();
    throw error;
  }
  if (format === null) return { name, pieces: stream.all(), remarks: () => [] };
  const conversion = new Conversion(name, format, config, options.clock);
  return {
    name,
    pieces: conversion.pieces(stream.all()),
    lineOf: (line) => conversion.lineOf(line),
    remarks: () => conversion.remarks(),
  };
}

function wrongClock(format: MemoryFormat | null): Error {
  const what = format === null ? "the project's own CSV" : format.title;
  const titles = memoryFormats.flatMap(({ clock, title }) =>
    clock === "initiator" ? [title] : [],
  );
  return inputError(
    "--trace-clock",
    `${what} does not count cycles of another clock; only ${present(titles[0])} does.`,
  );
}

async function formatOf(
  file: string,
  stream: Beginning,
  asked: string | undefined,
): Promise<MemoryFormat | null> {
  if (asked === neardataFormat) return null;
  const named = memoryFormats.find(({ name }) => name === asked);
  if (named !== undefined) return named;
  const first = await stream.firstLine(file);
  if (first === null) {
    if (stream.hasBytes) throw inputError(file, "the trace has no requests.");
    return null; // the native model reports an empty trace
  }
  return detectMemoryFormat(file, first.text, first.number);
}

/** Pieces whose beginning can be read in advance. */
class Beginning {
  readonly #iterator: AsyncIterator<Uint8Array> | Iterator<Uint8Array>;
  readonly #read: Uint8Array[] = [];

  constructor(pieces: Pieces) {
    this.#iterator =
      Symbol.asyncIterator in pieces ? pieces[Symbol.asyncIterator]() : pieces[Symbol.iterator]();
  }

  /** Whether anything has been read. */
  get hasBytes(): boolean {
    return this.#read.length > 0;
  }

  /** The first line with a request or a header; null if there is none. */
  async firstLine(file: string): Promise<TextLine | null> {
    const splitter = new LineSplitter(file);
    const wanted = (lines: Iterable<TextLine>): TextLine | null => {
      for (const { number, text } of lines) {
        const line = text.trim();
        if (!isSkipped(line)) return { text: line, number };
      }
      return null;
    };
    for (;;) {
      const next = await this.#next(file);
      if (next === null) return wanted(splitter.end());
      this.#read.push(next);
      const textLine = wanted(splitter.take(next));
      if (textLine !== null) return textLine;
    }
  }

  async *all(): AsyncGenerator<Uint8Array> {
    try {
      yield* this.#read.splice(0);
      for (;;) {
        const next = await this.#iterator.next();
        if (next.done === true) return;
        yield next.value;
      }
    } finally {
      await this.close();
    }
  }

  /** Closes the source of the pieces. */
  async close(): Promise<void> {
    await this.#iterator.return?.();
  }

  async #next(file: string): Promise<Uint8Array | null> {
    try {
      const next = await this.#iterator.next();
      return next.done === true ? null : next.value;
    } catch (error) {
      if (error instanceof NeardataError) throw error;
      const reason = error instanceof Error ? error.message : String(error);
      throw inputError(file, `the trace cannot be read: ${reason}`, error);
    }
  }
}

class Conversion {
  readonly #file: string;
  readonly #format: MemoryFormat;
  readonly #config: DramReplayConfig<string>;
  readonly #bytes: number;
  readonly #capacity: number;
  /** Cycles of the memory for one of the trace. */
  readonly #ratio: number;
  readonly #clock: number | undefined;
  readonly #issues: Issue[] = [];
  /** Numbers of requests before which lines were skipped, and lines of the file less requests there. */
  readonly #skips: [request: number, ahead: number][] = [];
  #requests = 0;
  #unaligned = 0;

  constructor(
    file: string,
    format: MemoryFormat,
    config: DramReplayConfig<string>,
    clock: number | undefined,
  ) {
    const { organization: o } = config;
    this.#file = file;
    this.#format = format;
    this.#config = config;
    this.#bytes = accessBytes(o);
    this.#capacity =
      o.channels *
      o.ranks *
      (o.logicalRanks ?? 1) *
      o.bankGroups *
      o.banksPerGroup *
      o.rows *
      o.columnsPerRow *
      this.#bytes;
    this.#clock = clock;
    this.#ratio = clock === undefined ? 1 : megahertzOf(config) / clock;
  }

  async *pieces(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    const splitter = new LineSplitter(this.#file);
    yield utf8.encode("id,arrival,op,addr\n");
    for await (const piece of source) yield* this.#convert(splitter.take(piece));
    yield* this.#convert(splitter.end());
    if (this.#issues.length > 0) throw new NeardataError("bad-input", this.#issues);
    if (this.#requests === 0) throw inputError(this.#file, "the trace has no requests.");
  }

  /** The line of the file that line `line` of the text is from. */
  lineOf(line: number): number {
    const request = Math.max(0, line - 2);
    let low = 0;
    let high = this.#skips.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (present(this.#skips[middle]?.[0]) <= request) low = middle + 1;
      else high = middle;
    }
    return request + 1 + (low === 0 ? 0 : present(this.#skips[low - 1]?.[1]));
  }

  remarks(): readonly string[] {
    const { clock, title } = this.#format;
    const mhz = megahertzOf(this.#config);
    const of = this.#unaligned === 1 ? "1 address lies" : `${this.#unaligned} addresses lie`;
    return [
      ...(clock === "none"
        ? [
            `${this.#file}: ${title} has no times: requests arrive in cycle 0, in the order of the file, ` +
              "and enter as the queues take them (injection.max_accepts_per_cycle in a cycle).",
          ]
        : []),
      ...(clock === "initiator" && this.#clock === undefined
        ? [
            `${this.#file}: times of ${title} count cycles of its initiator, taken for cycles of the ` +
              `memory (${mhz} MHz); --trace-clock gives the initiator's clock (clkMhz).`,
          ]
        : []),
      ...(this.#unaligned === 0
        ? []
        : [`${this.#file}: ${of} inside an access of ${this.#bytes} bytes and stand for it.`]),
    ];
  }

  *#convert(lines: Iterable<TextLine>): Generator<Uint8Array> {
    const text: string[] = [];
    for (const { number, text: whole } of lines) {
      const line = whole.trim();
      if (isSkipped(line)) continue;
      const problem = this.#add(line, number, text);
      if (problem !== null) this.#bad(number, problem);
    }
    if (text.length > 0 && this.#issues.length === 0) yield utf8.encode(text.join(""));
  }

  #add(line: string, number: number, text: string[]): string | null {
    const request = this.#format.read(line, this.#config);
    if (typeof request === "string") return request;
    const { address, arrival, isWrite } = request;
    if (address >= this.#capacity) {
      return `the address is beyond the capacity of ${this.#capacity} bytes.`;
    }
    const cycle = this.#ratio === 1 ? arrival : Math.ceil(arrival * this.#ratio);
    if (cycle > maxArrival) return `the arrival is later than cycle ${maxArrival} of the memory.`;
    const inside = address % this.#bytes;
    if (inside !== 0) this.#unaligned += 1;
    const ahead = number - 1 - this.#requests;
    if (ahead !== (this.#skips.at(-1)?.[1] ?? 0)) this.#skips.push([this.#requests, ahead]);
    text.push(`${this.#requests},${cycle},${isWrite ? "W" : "R"},${address - inside}\n`);
    this.#requests += 1;
    return null;
  }

  #bad(number: number, message: string): void {
    this.#issues.push({ where: `${this.#file}:${number}`, message });
    if (this.#issues.length === maxIssues) throw new NeardataError("bad-input", this.#issues);
  }
}
