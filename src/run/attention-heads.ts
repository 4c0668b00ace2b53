// SPDX-License-Identifier: Apache-2.0
// The heads of a scenario's attention from their source: a generator, the trained model, files.

import { resolve } from "node:path";
import type { AttentionScenario } from "../scenario/attention.ts";
import {
  type AttentionHead,
  headsFromTensors,
  headsFromArrays,
} from "../workload/attention-heads.ts";
import { memorySource } from "../base/bytes.ts";
import { fileSource, readWholeFile } from "./files.ts";
import { readNpy } from "../workload/npy.ts";
import { modelHeads } from "../lm/heads.ts";
import { readTinyModel } from "../lm/model.ts";
import { hta1Head } from "../native/csd/hta1.ts";

/** Paths are relative to `directory`. @throws NeardataError `bad-input`. */
export async function loadHeads(
  { source, length, decode }: AttentionScenario,
  directory: string,
): Promise<readonly AttentionHead[]> {
  switch (source.kind) {
    case "hta1": {
      const tokens = (length ?? 0) + decode;
      return Array.from({ length: source.heads }, (_, h) =>
        hta1Head(source.firstSeed + h, tokens, source.width),
      );
    }
    case "trained": {
      const weights = resolve(directory, source.weights);
      const model = readTinyModel(memorySource(weights, readWholeFile(weights)));
      return modelHeads(model, readWholeFile(resolve(directory, source.text)), source.window);
    }
    case "safetensors": {
      return headsFromTensors(fileSource(resolve(directory, source.path)));
    }
    case "npy": {
      const part = (path: string): { name: string; array: ReturnType<typeof readNpy> } => ({
        name: path,
        array: readNpy(path, readWholeFile(resolve(directory, path))),
      });
      return headsFromArrays({ q: part(source.q), k: part(source.k), v: part(source.v) });
    }
  }
}
