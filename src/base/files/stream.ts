// SPDX-License-Identifier: Apache-2.0
// An output that is written in pieces, with gzip if its name ends in .gz. It is a partial file
// until all outputs of the command are published together.

import { createWriteStream } from "node:fs";
import type { Writable } from "node:stream";
import { finished, pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import { discard, type Output, type PartialFile } from "./output.ts";

export class OutputStream {
  readonly #output: Output;
  readonly #input: Writable;
  /** Settles when everything is in the file or an error has occurred. */
  readonly #done: Promise<void>;
  readonly file: PartialFile;

  constructor(output: Output) {
    this.#output = output;
    this.file = output.begin();
    const file = createWriteStream(this.file.partial, { flags: "wx" });
    if (this.file.target.path.endsWith(".gz")) {
      const gzip = createGzip();
      this.#input = gzip;
      this.#done = pipeline(gzip, file);
    } else {
      this.#input = file;
      this.#done = finished(file);
    }
    this.#done.catch(() => undefined); // the next write or end throws it
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

  /** Ends the file; it is still partial. */
  async end(): Promise<void> {
    this.#input.end();
    await this.#orExplain(this.#done);
  }

  /** Removes the written part. */
  async discard(): Promise<void> {
    this.#input.destroy();
    await this.#done.catch(() => undefined);
    discard(this.file);
  }

  async #orExplain(step: Promise<void>): Promise<void> {
    try {
      await step;
    } catch (cause) {
      // In a chain of streams, the first error is the cause.
      throw this.#output.failed(
        await this.#done.then(() => cause).catch((first: unknown) => first),
      );
    }
  }
}
