// SPDX-License-Identifier: Apache-2.0
// 32-bit words as the benches write them.

export function wordsOf(bytes: Buffer): Uint32Array {
  return new Uint32Array(Uint8Array.from(bytes).buffer);
}
