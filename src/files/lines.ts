// SPDX-License-Identifier: Apache-2.0
// Lines of text that comes in pieces: UTF-8 without NUL bytes, LF or CR LF, with or without a byte order
// mark and an end of the last line. What is held is a piece and a line.

import { inputError, NeardataError } from "../errors.ts";
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
  /** Bytes before the rest. */
  #passed = 0;

  constructor(file: string) {
    this.#file = file;
  }

  *take(piece: Uint8Array): Generator<TextLine> {
    const bytes = this.#rest.length === 0 ? piece : joined(this.#rest, piece);
    let at = 0;
    for (let end = bytes.indexOf(lineFeed); end >= 0; end = bytes.indexOf(lineFeed, at)) {
      yield this.#line(bytes.subarray(at, end));
      this.#passed += end + 1 - at;
      at = end + 1;
    }
    this.#rest = bytes.slice(at);
    if (this.#rest.length > longestLine) this.#line(this.#rest);
  }

  /** The last line, where it has no end. */
  *end(): Generator<TextLine> {
    if (this.#rest.length > 0) yield this.#line(this.#rest);
    this.#rest = none;
  }

  #line(bytes: Uint8Array): TextLine {
    this.#number += 1;
    const number = this.#number;
    const nul = bytes.indexOf(0);
    if (nul >= 0) {
      const message = `byte ${this.#passed + nul} is NUL: this is not a file of text.`;
      throw inputError(this.#file, message);
    }
    if (bytes.length > longestLine) {
      const message = `the line is longer than ${longestLine} bytes.`;
      throw inputError(`${this.#file}:${number}`, message);
    }
    let text: string;
    try {
      text = this.#decoder.decode(bytes);
    } catch (error) {
      throw inputError(this.#file, `line ${number} is not UTF-8 text.`, error);
    }
    if (number === 1) text = text.replace(/^\ufeff/, "");
    return { text: text.replace(/\r$/, ""), number };
  }
}

function joined(first: Uint8Array, second: Uint8Array): Uint8Array {
  const both = new Uint8Array(first.length + second.length);
  both.set(first);
  both.set(second, first.length);
  return both;
}
