// SPDX-License-Identifier: Apache-2.0
// The heads of a scenario's attention from where it says: a generator, the trained model, files.

import { resolve } from "node:path";
import type { AttentionScenario } from "../scenario/attention.ts";
import type { AttentionHead } from "../workload/attention-heads.ts";
import { memorySource } from "../base/bytes.ts";
import { fileSource, readWholeFile } from "./files.ts";

/** Paths are relative to `directory`. @throws NeardataError `bad-input`. */
export async function loadHeads(
  { source, length, decode }: AttentionScenario,
  directory: string,
): Promise<readonly AttentionHead[]> {
  switch (source.kind) {
    case "hta1": {
      const { hta1Head } = await import("../native/csd/hta1.ts");
      const tokens = (length ?? 0) + decode;
      return Array.from({ length: source.heads }, (_, h) =>
        hta1Head(source.firstSeed + h, tokens, source.width),
      );
    }
    case "trained": {
      const { readTinyModel } = await import("../lm/model.ts");
      const { modelHeads } = await import("../lm/heads.ts");
      const weights = resolve(directory, source.weights);
      const model = readTinyModel(memorySource(weights, readWholeFile(weights)));
      return modelHeads(model, readWholeFile(resolve(directory, source.text)), source.window);
    }
    case "safetensors": {
      const { headsFromTensors } = await import("../workload/attention-heads.ts");
      return headsFromTensors(fileSource(resolve(directory, source.path)));
    }
    case "npy": {
      const { headsFromArrays } = await import("../workload/attention-heads.ts");
      const { readNpy } = await import("../workload/npy.ts");
      const part = (path: string): { name: string; array: ReturnType<typeof readNpy> } => ({
        name: path,
        array: readNpy(path, readWholeFile(resolve(directory, path))),
      });
      return headsFromArrays({ q: part(source.q), k: part(source.k), v: part(source.v) });
    }
  }
}
