// SPDX-License-Identifier: Apache-2.0
// Experts in files of the NDP unit's bench: the driver's layout as an image, and the outputs back.

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { expect } from "vitest";

import type { layOutExpert } from "../../src/workload/ndp/layout.ts";
import type { packExpert } from "../../src/workload/ndp/pack.ts";

const burstBytes = 64;
const valuesPerBurst = burstBytes / 2;

/** Words of a job of the bench. */
export interface ImageFiles {
  readonly image: string;
  readonly out: string;
}

export function imageFiles(directory: string): ImageFiles {
  return { image: join(directory, "image"), out: join(directory, "out") };
}

/** The image file of the bench: descriptor, then every stream from burst 0. */
export function writeImage(
  { image }: ImageFiles,
  descriptor: Uint32Array,
  streams: ReturnType<typeof packExpert>,
): void {
  const parts: Uint8Array[] = [new Uint8Array(descriptor.buffer)];
  for (const pieces of streams) {
    const bursts = Math.max(...pieces.map((p) => p.burst + p.data.length / burstBytes));
    const bytes = new Uint8Array(bursts * burstBytes);
    for (const piece of pieces) bytes.set(piece.data, piece.burst * burstBytes);
    parts.push(new Uint8Array(Uint32Array.of(bursts).buffer), bytes);
  }
  writeFileSync(image, Buffer.concat(parts));
}

/** The bursts that the bench wrote, as `outputs[token][row]`; every one must be an output. */
export function readOutputs(
  { out }: ImageFiles,
  layout: ReturnType<typeof layOutExpert>,
): Uint16Array {
  const words = new Uint32Array(new Uint8Array(readFileSync(out)).buffer);
  const { output, shape, streams } = layout;
  const rows = new Uint16Array(shape.tokens * shape.hidden);
  const record = 2 + burstBytes / 4;
  const perToken = Math.ceil(shape.hidden / valuesPerBurst);
  expect(words.length / record).toBe(shape.tokens * perToken);
  for (let at = 0; at < words.length; at += record) {
    const [stream = 0, address = 0] = words.subarray(at, at + 2);
    const token = Math.floor((address - output.base) / output.stride);
    const q = ((address - output.base) % output.stride) * streams + stream;
    const values = new Uint16Array(words.slice(at + 2, at + record).buffer);
    const used = Math.min(valuesPerBurst, shape.hidden - q * valuesPerBurst);
    rows.set(values.subarray(0, used), token * shape.hidden + q * valuesPerBurst);
    expect(values.subarray(used).every((value) => value === 0)).toBe(true);
  }
  return rows;
}
