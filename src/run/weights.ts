// SPDX-License-Identifier: Apache-2.0
// The weights of a scenario's expert.

import { resolve } from "node:path";
import type { ExpertScenario, ExpertSource } from "../scenario/resolve.ts";
import type { ExpertWeights } from "../workload/expert.ts";
import { generateExpert } from "../workload/generate.ts";
import { readAnyExpert, type LowBitWeights } from "../workload/low-bit.ts";
import { quantiseExpert } from "../workload/quantise.ts";
import { checkpointFile, withFunction } from "./checkpoint.ts";
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
  const { format, hidden, intermediate, storage } = source;
  const expert = generateExpert({ seed, name, format, hidden, intermediate });
  if (storage === undefined) return expert;
  return quantiseExpert(expert, storage);
}

function readCheckpoint(
  source: ExpertSource & { readonly kind: "checkpoint" },
  { name, activation: given }: Pick<ExpertScenario, "name" | "activation">,
  directory: string,
  onRemark: OnRemark,
): ExpertWeights | LowBitWeights {
  const { allowNonfinite, format } = source;
  const checkpoint = checkpointFile(resolve(directory, source.path));
  if (allowNonfinite) onRemark("NaN and infinity in the weights are carried as IEEE 754 says.");
  const keys = { format: "expert.format", nonfinite: "expert.allowNonfinite: true" };
  const options = { allowNonfinite, format: format ?? undefined, keys };
  const read = (): ExpertWeights | LowBitWeights => readAnyExpert(checkpoint, name, options);
  const key = "expert.activation";
  const { weights, remarks } = withFunction(checkpoint, { given, key }, read);
  for (const text of remarks) onRemark(text);
  if ((checkpoint.config?.activation ?? null) === null) {
    const problem = "no config.json beside it says the activation function";
    onRemark(`${checkpoint.name}: ${problem}; expert.activation is ${given}.`);
  }
  return weights;
}
