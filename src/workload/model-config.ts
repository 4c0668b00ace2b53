// SPDX-License-Identifier: Apache-2.0
// What the config.json of a Hugging Face checkpoint says that its tensors cannot: which function an expert
// computes, and how its weights were quantised. A function or a transform that is not implemented is
// named, never approximated.
// Names of functions: `ACT2FN` of transformers. gpt-oss says `silu` and computes
// (up + 1) gate sigmoid(1.702 gate), both clamped at 7 (openai/gpt-oss, gpt_oss/torch/model.py): there
// `model_type` decides.

import { inputError, type Issue } from "../base/errors.ts";
import type { ActivationFunction } from "../golden/activation.ts";
import { readJson } from "../base/json.ts";
import { shown } from "../base/shown.ts";

/** What a config.json says about experts. */
export interface ModelConfig {
  /** The file, for messages. */
  readonly where: string;
  /** The activation function; null where the file says none, or one that is not implemented. */
  readonly activation: ActivationFunction | null;
  /** What is not implemented, a sentence each that names key and value. */
  readonly functionProblems: readonly string[];
  /** What was done to weights or inputs and is not undone here. */
  readonly transformProblems: readonly string[];
  /** Columns that share a scale, where the file says so. */
  readonly groupSizes: readonly number[];
  /** [rows, columns] that share a scale, where the file says so. */
  readonly blockSizes: readonly (readonly [number, number])[];
}

type Group = Readonly<Record<string, unknown>>;

/** Names of functions that the NDP unit computes. GELU is the exact form, x Phi(x). */
const functions: Readonly<Record<string, ActivationFunction>> = {
  silu: "silu",
  swish: "silu",
  gelu: "gelu",
  gelu_python: "gelu",
  relu: "relu",
  linear: "identity",
};

/** Where configurations name the activation function of experts. */
const functionKeys = ["hidden_act", "hidden_activation", "mlp_hidden_act", "activation_function"];

/** Parts of a configuration of several models that describe the language model. */
const languageParts = ["text_config", "llm_config", "language_config", "thinker_config"];

/** Models whose gate is another function than the name that they give it. */
const clampedGate = "(up + 1) gate sigmoid(1.702 gate), clamped";
const otherGates: Readonly<Record<string, string>> = {
  gpt_oss: clampedGate,
  GptOssForCausalLM: clampedGate,
};

/** @throws NeardataError `bad-input` where the text is not the JSON object of a model. */
export function parseModelConfig(where: string, text: string): ModelConfig {
  const read = readJson(withoutNonfinite(text));
  if (!read.ok) throw inputError(where, `it is not JSON: ${read.problem}`);
  if (!isGroup(read.value)) throw inputError(where, "it is not a JSON object, as of a model.");
  return { where, ...modelConfigOf(read.value) };
}

/** Python writes numbers that JSON does not have; none of the keys that are read here is one. */
function withoutNonfinite(text: string): string {
  return text.replace(/"(?:[^"\\]|\\.)*"|-?\bInfinity\b|\bNaN\b/g, (token) =>
    token.startsWith('"') ? token : "null",
  );
}

/** What a parsed configuration says. */
export function modelConfigOf(config: unknown): Omit<ModelConfig, "where"> {
  const groups = isGroup(config) ? languageGroups(config) : [];
  const { activation, problems } = functionOf(groups);
  const quantisations = groups.flatMap((group) =>
    [group["quantization_config"], group["compression_config"]].filter(isGroup),
  );
  return {
    activation,
    functionProblems: problems,
    transformProblems: [
      ...groups.flatMap((group) =>
        transformProblems(group, "", /^(transform|rotation|hadamard)_config$/),
      ),
      ...quantisations.flatMap((group) =>
        transformProblems(
          group,
          "quantization_config.",
          /transform|hadamard|rotate|rotating|rotation|pre_quant_scale/,
        ),
      ),
    ],
    groupSizes: [...new Set(quantisations.flatMap(groupSizes))],
    blockSizes: quantisations.flatMap(blockSizes),
  };
}

function isGroup(value: unknown): value is Group {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The object itself, and the language models in it. */
function languageGroups(config: Group): readonly Group[] {
  const parts = languageParts.map((name) => config[name]).filter(isGroup);
  return [config, ...parts.flatMap(languageGroups)];
}

function functionOf(groups: readonly Group[]): {
  readonly activation: ActivationFunction | null;
  readonly problems: readonly string[];
} {
  const problems: string[] = [];
  const named = groups.flatMap((group) =>
    functionKeys
      .filter((key) => group[key] !== undefined && group[key] !== null)
      .map((key) => ({ key, value: group[key] })),
  );
  const found = new Set<ActivationFunction>();
  for (const { key, value } of named) {
    const known = typeof value === "string" && Object.hasOwn(functions, value);
    const own = known ? functions[value] : undefined;
    if (own !== undefined) found.add(own);
    else problems.push(`${key} is ${shown(value)}, not implemented: ${implemented}.`);
  }
  if (found.size > 1) {
    const list = named.map(({ key, value }) => `${key} is ${shown(value)}`).join(", ");
    problems.push(`${list}: which of them experts have is not clear.`);
  }
  for (const group of groups) problems.push(...gateProblems(group));
  const [activation = null] = found;
  return { activation: problems.length > 0 ? null : activation, problems };
}

const implemented = `experts have ${Object.keys(functions).join(", ")} (gelu in its exact form)`;

/**
 * Keys of clamps and factors in a gate: `swiglu_limit` of gpt-oss and DeepSeek-V4, `expert_swiglu_limit_list`
 * of Ling 3, `situ_beta` of the gate that goes through a hyperbolic tangent.
 */
const gateKeys =
  /swiglu|(^|_)situ_|glu_(limit|alpha|beta|clamp)|(^|_)(act|activation|gate|expert)_(limit|alpha|beta|clamp)/;

/** Gates that are more than a function of a name. */
function gateProblems(group: Group): readonly string[] {
  const { model_type: type, architectures } = group;
  const named = [["model_type", type] as const];
  const classes = Array.isArray(architectures) ? (architectures as readonly unknown[]) : [];
  const problems = [...named, ...classes.map((name) => ["architectures", name] as const)].flatMap(
    ([key, name]) => {
      const gate = typeof name === "string" && Object.hasOwn(otherGates, name) && otherGates[name];
      if (typeof gate !== "string") return [];
      return [`${key} is ${shown(name)}, whose experts compute ${gate}: not implemented.`];
    },
  );
  // The type of a model and its class say the same.
  const once = problems.slice(0, 1);
  const limits = Object.entries(group).filter(([key, value]) => gateKeys.test(key) && set(value));
  return [
    ...once,
    ...limits.map(
      ([key, value]) => `${key} is ${shown(value)}: a gate with it is not implemented.`,
    ),
  ];
}

/** Whether a key says more than whether something is on. */
function set(value: unknown): boolean {
  return value !== null && typeof value !== "boolean";
}

/** Rotations of inputs that the tensors need not show: a Hadamard matrix is computed, not stored. */
function transformProblems(group: Group, path: string, keys: RegExp): readonly string[] {
  return Object.entries(group)
    .filter(([key]) => keys.test(key))
    .filter(([, value]) => value !== null && value !== false && value !== 0 && !isEmpty(value))
    .map(([key]) => `${path}${key} turns the inputs of weights: not implemented.`);
}

function isEmpty(value: unknown): boolean {
  return isGroup(value)
    ? Object.keys(value).length === 0
    : Array.isArray(value) && value.length === 0;
}

/** `weights` of every group of compressed-tensors and ModelOpt, and the object itself (GPTQ, AWQ). */
function schemes(quantisation: Group): readonly Group[] {
  const groups = quantisation["config_groups"];
  const parts = isGroup(groups) ? Object.values(groups).filter(isGroup) : [];
  return [quantisation, ...parts.map((part) => part["weights"]).filter(isGroup)];
}

function groupSizes(quantisation: Group): readonly number[] {
  return schemes(quantisation)
    .map((scheme) => scheme["group_size"])
    .filter((size): size is number => Number.isInteger(size) && Number(size) > 0);
}

function blockSizes(quantisation: Group): readonly (readonly [number, number])[] {
  return schemes(quantisation)
    .flatMap((scheme) => [scheme["weight_block_size"], scheme["block_structure"]])
    .flatMap((size) => {
      const sides = typeof size === "string" ? size.split("x").map(Number) : size;
      if (!Array.isArray(sides) || sides.length !== 2) return [];
      const [rows, columns] = sides as readonly unknown[];
      return isSide(rows) && isSide(columns) ? [[rows, columns] as const] : [];
    });
}

function isSide(value: unknown): value is number {
  return Number.isInteger(value) && Number(value) > 0;
}

/** What a configuration asks for that is not implemented; `key` is what a user writes to choose a function. */
export function configProblems(config: ModelConfig | null, key: string): readonly Issue[] {
  if (config === null) return [];
  return config.functionProblems.map((problem) => ({
    where: config.where,
    message: `${problem.replace(/\.$/, "")}; with ${key} another function is computed instead.`,
  }));
}
