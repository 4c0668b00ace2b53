// SPDX-License-Identifier: Apache-2.0
// Trace files: read plain or gzip by their first bytes, written plain or gzip by their name. An
// output appears under its name when it is whole, and not at all when something failed.

import { createReadStream, createWriteStream, readSync, type ReadStream } from "node:fs";
import { rename, rm } from "node:fs/promises";
import process from "node:process";
import type { Writable } from "node:stream";
import { finished, pipeline } from "node:stream/promises";
import { createGunzip, createGzip } from "node:zlib";

import { inputError } from "../errors.ts";
import { gzipProblem, openInput } from "../files/input.ts";
import type { TraceSource } from "./replay.ts";

const pieceBytes = 1 << 18;

/**
 * Opens a trace. The file stays open until its pieces have been read.
 * @throws NeardataError `bad-input` when the file cannot be read.
 */
export function openTrace(path: string): TraceSource {
  const descriptor = openInput(path);
  const head = new Uint8Array(2);
  readSync(descriptor, head, 0, 2, 0);
  const isGzip = head[0] === 0x1f && head[1] === 0x8b;
  const file = createReadStream("", { fd: descriptor, start: 0, highWaterMark: pieceBytes });
  return { name: path, pieces: isGzip ? gunzip(file) : file };
}

/** The contents of a gzip file; a fault of the file itself surfaces in the loop that reads. */
async function* gunzip(file: ReadStream): AsyncGenerator<Uint8Array> {
  const gunzipped = createGunzip({ chunkSize: pieceBytes });
  file.on("error", (error) => gunzipped.destroy(error));
  try {
    for await (const piece of file.pipe(gunzipped)) yield piece as Uint8Array;
  } catch (error) {
    throw new Error(gzipProblem(error), { cause: error });
  } finally {
    file.destroy();
    gunzipped.destroy();
  }
}

/** A file that is being written beside its final name. */
export class PartialFile {
  readonly #path: string;
  readonly #partial: string;
  readonly #input: Writable;
  /** Settles when everything is in the file or something went wrong. */
  readonly #done: Promise<void>;

  constructor(path: string) {
    this.#path = path;
    this.#partial = `${path}.${process.pid}.partial`;
    const file = createWriteStream(this.#partial);
    if (path.endsWith(".gz")) {
      const gzip = createGzip();
      this.#input = gzip;
      this.#done = pipeline(gzip, file);
    } else {
      this.#input = file;
      this.#done = finished(file);
    }
    this.#done.catch(() => undefined); // whoever writes or ends hears of it
  }

  async write(piece: Uint8Array): Promise<void> {
    const written = new Promise<void>((resolve, reject) => {
      this.#input.write(piece, (error) => {
        if (error instanceof Error) reject(error);
        else resolve();
      });
    });
    await this.#orExplain(written);
  }

  /** Ends the file; it still has its temporary name. */
  async end(): Promise<void> {
    this.#input.end();
    await this.#orExplain(this.#done);
  }

  /** Gives the ended file its name. */
  async keep(): Promise<void> {
    await this.#orExplain(rename(this.#partial, this.#path));
  }

  /** Removes what has been written, if anything. */
  async discard(): Promise<void> {
    this.#input.destroy();
    await this.#done.catch(() => undefined);
    await rm(this.#partial, { force: true });
  }

  async #orExplain(step: Promise<void>): Promise<void> {
    try {
      await step;
    } catch (cause) {
      throw inputError(this.#path, `cannot be written: ${reason(cause)}`, cause);
    }
  }
}

function reason(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause);
}
