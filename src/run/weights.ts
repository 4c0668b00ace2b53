// SPDX-License-Identifier: Apache-2.0
// The weights of a scenario's expert.

import { resolve } from "node:path";
import type { ExpertScenario, ExpertSource } from "../scenario/resolve.ts";
import type { ExpertWeights } from "../workload/expert.ts";
import { generateExpert } from "../workload/generate.ts";
import { gateOf } from "../golden/names.ts";
import type { LowBitWeights } from "../workload/low-bit.ts";
import { quantiseExpert } from "../workload/quantise.ts";
import { checkpointFile, expertOfScenario } from "./checkpoint.ts";
import type { OnRemark } from "./kernel.ts";

/** The expert of a scenario: generated, or from its checkpoint. */
export function loadWeights(
  { name, source, activation }: ExpertScenario,
  seed: number,
  directory: string,
  onRemark: OnRemark,
): ExpertWeights | LowBitWeights {
  if (source.kind === "checkpoint") {
    return readCheckpoint(source, { name, activation }, directory, onRemark);
  }
  const { biases = false, format, hidden, intermediate, storage } = source;
  const expert = generateExpert({ seed, name, format, hidden, intermediate, biases });
  if (storage === undefined) return expert;
  return quantiseExpert(expert, storage);
}

function readCheckpoint(
  source: ExpertSource & { readonly kind: "checkpoint" },
  { name, activation }: Pick<ExpertScenario, "name" | "activation">,
  directory: string,
  onRemark: OnRemark,
): ExpertWeights | LowBitWeights {
  const { allowNonfinite, format } = source;
  const checkpoint = checkpointFile(resolve(directory, source.path));
  if (allowNonfinite) onRemark("NaN and infinity in the weights are carried as IEEE 754 says.");
  const keys = { format: "expert.format", nonfinite: "expert.allowNonfinite: true" };
  const options = { allowNonfinite, format: format ?? undefined, keys };
  const { weights, remarks } = expertOfScenario(checkpoint, name, gateOf(activation), options);
  for (const text of remarks) onRemark(text);
  return weights;
}
