// SPDX-License-Identifier: Apache-2.0
// Input files that are read piece by piece, plain or gzip by their first bytes. Memory does not depend
// on the size of the file, and a reader that has enough stops early.

import { closeSync, createReadStream, readSync, type ReadStream } from "node:fs";
import { createGunzip } from "node:zlib";
import { inputError, NeardataError } from "../errors.ts";
import { gzipProblem, openInput } from "./input.ts";

const pieceBytes = 1 << 18;

/** Bytes of a file, in order. */
export type Pieces = AsyncIterable<Uint8Array> | Iterable<Uint8Array>;

/** First bytes of compressed or encoded files, with the command that restores the text. */
const packed: readonly (readonly [start: readonly number[], sentence: string])[] = [
  [
    [0x50, 0x4b, 0x03, 0x04],
    "this is a zip archive (PyTorch's .pt files are zip archives as well); unpack or convert it first.",
  ],
  [[0x28, 0xb5, 0x2f, 0xfd], "this file is compressed with zstd; only gzip is read (zstd -d)."],
  [[0xfd, 0x37, 0x7a, 0x58, 0x5a], "this file is compressed with xz; only gzip is read (xz -d)."],
  [[0x42, 0x5a, 0x68], "this file is compressed with bzip2; only gzip is read (bzip2 -d)."],
  [[0x50, 0x41, 0x52, 0x31], "this is a Parquet file; write it as CSV first."],
  [
    [...Buffer.from("version https://git-lfs")],
    "this is a pointer of Git LFS in place of the file; git lfs pull fetches the file.",
  ],
];

/**
 * Opens a file. It stays open until its pieces have been read or the reader has stopped.
 * @throws NeardataError `bad-input` when the file cannot be read, or is packed as anything but gzip.
 */
export function openPieces(path: string): Pieces {
  const descriptor = openInput(path);
  const head = new Uint8Array(32);
  readSync(descriptor, head, 0, head.length, 0);
  const compression = packed.find(([start]) => start.every((byte, i) => head[i] === byte));
  if (compression !== undefined) {
    closeSync(descriptor);
    throw inputError(path, compression[1]);
  }
  const isGzip = head[0] === 0x1f && head[1] === 0x8b;
  const file = createReadStream("", { fd: descriptor, start: 0, highWaterMark: pieceBytes });
  return isGzip ? gunzip(file) : file;
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

const maxBeginningLength = 4096;

/**
 * The first line of a file that has content, or the beginning of it where it is long.
 * @throws NeardataError `bad-input` as `openPieces` does, and where a gzip file is damaged.
 */
export async function beginningOf(path: string): Promise<string> {
  let text = "";
  const decoder = new TextDecoder();
  try {
    for await (const piece of openPieces(path)) {
      text += decoder.decode(piece.subarray(0, maxBeginningLength), { stream: true });
      if (/\S[^\n]*\n/.test(text) || text.length >= maxBeginningLength) break;
    }
  } catch (error) {
    if (error instanceof NeardataError) throw error;
    throw inputError(path, error instanceof Error ? error.message : String(error), error);
  }
  return /\S[^\r\n]*/.exec(text)?.[0].trim() ?? "";
}
