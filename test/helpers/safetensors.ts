// SPDX-License-Identifier: Apache-2.0
// Builds .safetensors files in memory, sound ones and broken ones.

/** A tensor to be written. */
export interface TestTensor {
  readonly dtype: string;
  readonly shape: readonly number[];
  readonly data: Uint8Array;
}

/** A sound file: tensors one behind the other, in the order given. */
export function safetensors(tensors: Readonly<Record<string, TestTensor>>): Uint8Array {
  let at = 0;
  const header: Record<string, unknown> = { __metadata__: { format: "pt" } };
  for (const [name, { dtype, shape, data }] of Object.entries(tensors)) {
    header[name] = { dtype, shape, data_offsets: [at, at + data.length] };
    at += data.length;
  }
  return rawSafetensors(
    JSON.stringify(header),
    Object.values(tensors).map((t) => t.data),
  );
}

/** A file with any header text. */
export function rawSafetensors(header: string, data: readonly Uint8Array[]): Uint8Array {
  const text = new TextEncoder().encode(header);
  const size = data.reduce((sum, d) => sum + d.length, 8 + text.length);
  const file = new Uint8Array(size);
  new DataView(file.buffer).setBigUint64(0, BigInt(text.length), true);
  file.set(text, 8);
  let at = 8 + text.length;
  for (const piece of data) {
    file.set(piece, at);
    at += piece.length;
  }
  return file;
}

/** 16-bit patterns as a tensor. */
export function bits16(
  dtype: "F16" | "BF16",
  shape: readonly number[],
  bits: ArrayLike<number>,
): TestTensor {
  return { dtype, shape, data: new Uint8Array(Uint16Array.from(bits).buffer) };
}

/** Binary32 values as a tensor. */
export function float32(shape: readonly number[], values: ArrayLike<number>): TestTensor {
  return { dtype: "F32", shape, data: new Uint8Array(Float32Array.from(values).buffer) };
}
