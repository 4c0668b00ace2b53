// SPDX-License-Identifier: Apache-2.0
// Checkpoints from files.

import { dirname, join } from "node:path";
import { findModelConfig, findShardIndexes } from "../workload/model-config-file.ts";
import { inputError, NeardataError, type Issue } from "../base/errors.ts";
import { gateFunctionLabel, type GateFunction, type ActivationFunction } from "../golden/names.ts";
import type { ExpertWeights, ReadExpertOptions } from "../workload/expert.ts";
import { familyOfExpert } from "../workload/layouts/family.ts";
import { openCheckpoint } from "../workload/checkpoint.ts";
import type { Checkpoint } from "../workload/checkpoint.ts";
import { readAnyExpert, type LowBitWeights } from "../workload/low-bit.ts";
import { modelConfigOf, problemsOf, type ConfiguredGate } from "../workload/model-config.ts";
import { fileSource } from "./files.ts";

/**
 * A .safetensors file, or the .json index of a sharded checkpoint with its shards in the same
 * directory, and their config.json. `onShard` is called with the path of each further file.
 */
export function checkpointFile(
  path: string,
  onShard: (file: string) => void = () => undefined,
): Checkpoint {
  const source = fileSource(path);
  const config = findModelConfig(path);
  if (config !== null) onShard(config.where);
  const indexes = findShardIndexes(path);
  for (const index of indexes) onShard(index);
  const open = (shard: string): ReturnType<typeof fileSource> => {
    const file = join(dirname(path), shard);
    onShard(file);
    return fileSource(file);
  };
  return openCheckpoint(source, open, { config, indexes: indexes.map(fileSource) });
}

/**
 * Reads the expert of a scenario, with remarks on `gate`, the gate function of the scenario.
 * @throws NeardataError `bad-input` if the expert cannot be read, or if its tensor names imply
 * another function and neither config.json nor the scenario states one
 */
export function expertOfScenario(
  checkpoint: Checkpoint,
  expert: string,
  gate: GateFunction,
  options: Omit<ReadExpertOptions, "biases" | "ungated">,
): Pick<ExpertAndGate, "weights" | "remarks"> {
  const { config, name } = checkpoint;
  const key = "expert.activation";
  const weights = readAnyExpert(checkpoint, expert, { ...options, biases: true });
  const configured = gateOfExpert(checkpoint, expert);
  const [used, usual] = [gateFunctionLabel(gate), configured.gate];
  if (config === null && usual !== null && used === "silu" && gateFunctionLabel(usual) !== used) {
    throw inputError(
      name,
      `the names of the tensors are those of a model whose experts compute ${gateFunctionLabel(usual)}, ` +
        "and no config.json beside it says so: expert.activation, expert.gateLimit and expert.upPlusOne do.",
    );
  }
  const silent = config === null || (usual === null && configured.problems.length === 0);
  const unsaid = `${name}: no config.json beside it says the activation function; ${key} is ${used}.`;
  const remarks = [
    ...(config === null ? [] : otherGate(config.where, configured, gate, key)),
    ...leftOutScales(weights),
    ...(silent ? [unsaid] : []),
  ];
  return { weights, remarks };
}

/** The gate function of config.json, or that of the model with these tensor names. */
function gateOfExpert(checkpoint: Checkpoint, expert: string): ConfiguredGate {
  const { config, name } = checkpoint;
  const says = config ?? { where: name, ...modelConfigOf({}) };
  return says.gateOf(familyOfExpert(checkpoint, expert));
}

/** An expert and how it joins gate and up. */
interface ExpertAndGate {
  readonly weights: ExpertWeights | LowBitWeights;
  readonly gate: GateFunction;
  /** The function of the model, such as `relu2 without a gate`, which the unit computes with a gate matrix. */
  readonly label: string;
  /** Remarks for the user of these weights. */
  readonly remarks: readonly string[];
}

/**
 * An expert and its gate function. The sources of the function, in order: the user, the config.json
 * of the weights, the model with these tensor names, and SiLU, which is a guess. `unit`: the expert
 * is for the NDP unit, which computes an expert without a gate only if its function is the square
 * of ReLU, as relu(up x) * (up x).
 * @throws NeardataError `bad-input` with everything that cannot be read or computed.
 */
export function expertWithGate(
  checkpoint: Checkpoint,
  expert: string,
  options: Omit<ReadExpertOptions, "biases" | "ungated"> & {
    readonly given: ActivationFunction | undefined;
    readonly unit: boolean;
  },
): ExpertAndGate {
  const { config, name } = checkpoint;
  const { given, unit } = options;
  const family = familyOfExpert(checkpoint, expert);
  const says = config?.where ?? name;
  const configured = gateOfExpert(checkpoint, expert);
  const gate =
    given === undefined ? (configured.gate ?? { name: "silu" as const }) : { name: given };
  const problems = given === undefined ? problemsOf(says, configured.problems, "--activation") : [];
  const read = (): ExpertWeights | LowBitWeights => {
    const weights = readAnyExpert(checkpoint, expert, { ...options, biases: true, ungated: true });
    if (unit && problems.length === 0 && weights.ungated === true && !mayLackGate(gate)) {
      throw inputError(
        says,
        `expert "${weights.name}" computes ${gateFunctionLabel(gate)} without a gate, which the unit does ` +
          "not: --engine golden does.",
      );
    }
    return weights;
  };
  const weights = alsoRefusing(problems, read);
  const shown = gateFunctionLabel(gate);
  const why =
    family === null || config !== null ? "" : `, as the names of its tensors are ${family}'s`;
  const assumed = `${name}: no config.json beside it says the activation function; ${shown} is assumed${why}.`;
  const silent = config === null || configured.gate === null;
  const remarks = [
    ...(given === undefined && silent ? [assumed] : []),
    ...(given === undefined || config === null
      ? []
      : otherGate(config.where, configured, gate, "--activation")),
    ...leftOutScales(weights),
  ];
  const label = `${shown}${weights.ungated === true ? " without a gate" : ""}`;
  if (!unit || weights.ungated !== true) return { weights, gate, label, remarks };
  const { ungated: _, ...twice } = weights;
  const { biases } = twice;
  // Gate is up, with its biases.
  const gated =
    biases?.up === undefined ? twice : { ...twice, biases: { ...biases, gate: biases.up } };
  return { weights: gated, gate: { name: "relu" }, label, remarks };
}

/** Whether an expert with this function may be one without a gate, which the unit computes. */
function mayLackGate({ name, limit, upPlusOne }: GateFunction): boolean {
  return name === "relu2" && limit === undefined && upPlusOne === undefined;
}

/** That the user's function is another than that of the configuration. */
function otherGate(
  where: string,
  { gate, problems }: ConfiguredGate,
  used: GateFunction,
  key: string,
): readonly string[] {
  const given = gateFunctionLabel(used);
  if (problems.length === 0 && (gate === null || gateFunctionLabel(gate) === given)) return [];
  const problem =
    gate === null ? problems.join(" ") : `its experts compute ${gateFunctionLabel(gate)}.`;
  return [`${where}: ${problem} ${key} says ${given}, which is computed.`];
}

/** The result of `read`, if `problems` is empty. */
function alsoRefusing<T>(problems: readonly Issue[], read: () => T): T {
  try {
    const contents = read();
    if (problems.length === 0) return contents;
  } catch (error) {
    if (!(error instanceof NeardataError) || error.code !== "bad-input") throw error;
    throw new NeardataError("bad-input", [...problems, ...error.issues], { cause: error });
  }
  throw new NeardataError("bad-input", problems);
}

/** Which scales a reader left out, and why. */
function leftOutScales(weights: object): readonly string[] {
  const scales = (weights as Partial<LowBitWeights>).inputScales ?? [];
  const [first] = scales;
  if (first === undefined) return [];
  const more = scales.length > 1 ? ` and ${scales.length - 1} more` : "";
  const why = "inputs have 16 bits here and are not rounded to fewer, so these scales drop out.";
  return [`"${first}"${more}: ${why}`];
}
