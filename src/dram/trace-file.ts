// SPDX-License-Identifier: Apache-2.0
// Trace files, plain or gzip by their first bytes.

import { createReadStream, readSync, type ReadStream } from "node:fs";
import { createGunzip } from "node:zlib";

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
