// SPDX-License-Identifier: Apache-2.0
// Random access to bytes in pieces, for the readers of tensor files.

import type { Bytes } from "./units.ts";
import { present } from "./present.ts";

/** A readable file, or bytes in memory. */
export interface ByteSource {
  /** The source's name in messages. */
  readonly name: string;
  readonly size: Bytes;
  /** Fills `target` from `offset`; the range must be inside the source. */
  read(offset: number, target: Uint8Array): void;
}

/** Bytes that are in memory already. */
export function memorySource(name: string, data: Uint8Array): ByteSource {
  return {
    name,
    size: data.length as Bytes,
    read: (offset, target) => {
      target.set(data.subarray(offset, offset + target.length));
    },
  };
}

/** Reads a range into a new array. */
export function readBytes(source: ByteSource, offset: number, length: number): Uint8Array {
  const target = new Uint8Array(length);
  source.read(offset, target);
  return target;
}

/** Two codes of four bits a byte, the first in the low bits. */
export function nibbles(bytes: Uint8Array): Uint8Array {
  const codes = new Uint8Array(2 * bytes.length);
  for (let i = 0; i < bytes.length; i += 1) {
    const byte = present(bytes[i]);
    codes[2 * i] = byte & 15;
    codes[2 * i + 1] = byte >> 4;
  }
  return codes;
}
