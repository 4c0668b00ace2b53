// SPDX-License-Identifier: Apache-2.0
// Lines of text that arrives in pieces: UTF-8 without NUL bytes, LF or CR LF, with or without a byte
// order mark and an end of the last line. Memory contains one piece and one line.

import { inputError, NeardataError } from "../errors.ts";
import { firstBadLine } from "./input.ts";
import type { Pieces } from "./pieces.ts";

/** A line without its end, and its number from 1 on. */
export interface TextLine {
  readonly text: string;
  readonly number: number;
}

/** Bytes of a line, at most: some 130,000 numbers, far beyond a request of any trace. */
const longestLine: number = 2 ** 20;

const lineFeed = 0x0a;
const none = new Uint8Array();

/**
 * The lines of a file, those without text as well.
 * @throws NeardataError `bad-input` naming `file` where this is not text or cannot be read.
 */
export async function* linesOf(file: string, pieces: Pieces): AsyncGenerator<TextLine> {
  const splitter = new LineSplitter(file);
  try {
    for await (const piece of pieces) yield* splitter.take(piece);
  } catch (error) {
    if (error instanceof NeardataError) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    throw inputError(file, reason, error);
  }
  yield* splitter.end();
}

/** Splits pieces into lines; the rest of a piece waits for the next one. */
export class LineSplitter {
  readonly #file: string;
  readonly #decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  #rest: Uint8Array = none;
  #number = 0;
  /** Bytes of the lines so far. */
  #passed = 0;

  constructor(file: string) {
    this.#file = file;
  }

  *take(piece: Uint8Array): Generator<TextLine> {
    const bytes = this.#rest.length === 0 ? piece : joined(this.#rest, piece);
    const end = bytes.lastIndexOf(lineFeed) + 1;
    this.#rest = bytes.slice(end);
    if (end > 0) yield* this.#lines(bytes.subarray(0, end - 1), 1);
    if (this.#rest.length <= longestLine) return;
    this.#text(this.#rest.subarray(0, longestLine)); // reports a file that is not text
    throw this.#tooLong(this.#number + 1);
  }

  /** The last line, where it has no end. */
  *end(): Generator<TextLine> {
    const rest = this.#rest;
    this.#rest = none;
    if (rest.length > 0) yield* this.#lines(rest, 0);
  }

  /** Lines that are whole, without the end of the last one, which has `ending` bytes. */
  *#lines(bytes: Uint8Array, ending: number): Generator<TextLine> {
    for (const line of this.#text(bytes).split("\n")) {
      this.#number += 1;
      const number = this.#number;
      if (line.length > longestLine) throw this.#tooLong(number);
      const text = line.endsWith("\r") ? line.slice(0, -1) : line;
      yield { text: number === 1 ? text.replace(/^\ufeff/, "") : text, number };
    }
    this.#passed += bytes.length + ending;
  }

  #tooLong(number: number): Error {
    return inputError(`${this.#file}:${number}`, `the line is longer than ${longestLine} bytes.`);
  }

  #text(bytes: Uint8Array): string {
    const nul = bytes.indexOf(0);
    if (nul >= 0) {
      const message = `byte ${this.#passed + nul} is NUL: this is not a file of text.`;
      throw inputError(this.#file, message);
    }
    try {
      return this.#decoder.decode(bytes);
    } catch (error) {
      const line = this.#number + firstBadLine(bytes);
      throw inputError(this.#file, `line ${line} is not UTF-8 text.`, error);
    }
  }
}

function joined(first: Uint8Array, second: Uint8Array): Uint8Array {
  const both = new Uint8Array(first.length + second.length);
  both.set(first);
  both.set(second, first.length);
  return both;
}
