// SPDX-License-Identifier: Apache-2.0
// Documents of sound inputs, from values and text.

import { writeNpy } from "../../../src/workload/npy.ts";
import { rawSafetensors, type TestTensor } from "../../helpers/safetensors.ts";
import type { Document } from "../input.ts";
import { treeOf } from "../tree.ts";

export const yaml = (value: unknown): Document => ({ kind: "yaml", tree: treeOf(value) });
export const json = (value: unknown): Document => ({ kind: "json", tree: treeOf(value) });

/** A .safetensors file whose header may be changed; sizes of the data stay. */
export function tensorFile(tensors: Readonly<Record<string, TestTensor>>): Document {
  let at = 0;
  const header: Record<string, unknown> = { __metadata__: { format: "pt" } };
  for (const [name, { data, dtype, shape }] of Object.entries(tensors)) {
    header[name] = { dtype, shape, data_offsets: [at, at + data.length] };
    at += data.length;
  }
  const parts = Object.values(tensors).map((t) => t.data);
  return {
    kind: "headed",
    header: treeOf(header),
    assemble: (text) => rawSafetensors(text, parts),
  };
}

/** An .npy file, with the dictionary of its header as a document of Python's. */
export function npyFile(
  type: "f2" | "f4",
  shape: readonly number[],
  values: ArrayLike<number>,
): Document {
  const data = type === "f2" ? Uint16Array.from(values) : Float32Array.from(values);
  const file = writeNpy({ type, shape, data } as Parameters<typeof writeNpy>[0]);
  const length = new DataView(file.buffer, file.byteOffset).getUint16(8, true);
  const header = { descr: `<${type}`, fortran_order: "FALSE", shape: "SHAPE" };
  return {
    kind: "headed",
    header: treeOf(header),
    assemble: (text) => {
      const python = text
        .replaceAll('"FALSE"', "False")
        .replaceAll('"SHAPE"', `(${shape.join(", ")},)`)
        .replaceAll('"', "'");
      const words = new TextEncoder().encode(`${python}\n`.slice(0, 60_000));
      const start = Uint8Array.of(0x93, 0x4e, 0x55, 0x4d, 0x50, 0x59, 1, 0, 0, 0);
      new DataView(start.buffer).setUint16(8, words.length, true);
      return Buffer.concat([start, words, file.subarray(10 + length)]);
    },
  };
}
