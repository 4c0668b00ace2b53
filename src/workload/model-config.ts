// SPDX-License-Identifier: Apache-2.0
// What the config.json of a Hugging Face checkpoint says that its tensors cannot: which function an expert
// computes, and how its weights were quantised. A function or a transform that is not implemented is
// named, never approximated.
// Names of functions: `ACT2FN` of transformers. gpt-oss says `silu` and computes
// (up + 1) gate sigmoid(1.702 gate), both clamped at 7 (openai/gpt-oss, gpt_oss/torch/model.py): there
// `model_type` decides. DeepSeek-V4 clamps gate and up at `swiglu_limit` and computes SiLU.

import { defined } from "../base/defined.ts";
import { inputError, type Issue } from "../base/errors.ts";
import type { ActivationFunction, GateFunction } from "../golden/names.ts";
import { readJson } from "../base/json.ts";
import { formatValue } from "../base/format-value.ts";

/** The settings of experts in a config.json. */
export interface ModelConfig {
  /** The file, for messages. */
  readonly where: string;
  /** The gate function; for experts of `family` if their tensor names imply it. */
  readonly gateOf: (family: Family | null) => ConfiguredGate;
  /** Whose gate it is; null: a function of a name, as most models have it. */
  readonly family: Family | null;
  /** Whether the file names its model. */
  readonly typed: boolean;
  /** Of GPTQ: whether zero points are stored less one (`checkpoint_format`); of AWQ: `version`. */
  readonly packing: Readonly<Record<"checkpoint_format" | "version", string | null>>;
  /** Transforms of weights or inputs that neardata does not invert. */
  readonly transformProblems: readonly string[];
  /** Columns that share a scale, if the file states it. */
  readonly groupSizes: readonly number[];
  /** [rows, columns] that share a scale, if the file states it. */
  readonly blockSizes: readonly (readonly [number, number])[];
}

/** Models whose gate is not a function of a name alone. */
export type Family = "gpt-oss" | "deepseek-v4" | "nemotron";

/** The gate function of a configuration; null if it states none, or one that is not implemented. */
export interface ConfiguredGate {
  readonly gate: GateFunction | null;
  readonly problems: readonly string[];
}

type Group = Readonly<Record<string, unknown>>;

/** Functions by their names in configurations. `gelu` is the exact form, x Phi(x). */
const functions: Readonly<Record<string, ActivationFunction>> = {
  silu: "silu",
  swish: "silu",
  gelu: "gelu",
  gelu_python: "gelu",
  relu: "relu",
  linear: "identity",
  gelu_pytorch_tanh: "gelu-tanh",
  gelu_new: "gelu-tanh",
  gelu_fast: "gelu-tanh",
  gelu_accurate: "gelu-tanh",
  gelu_python_tanh: "gelu-tanh",
  quick_gelu: "quick-gelu",
  relu2: "relu2",
};

/** Where configurations name the activation function of experts. */
const functionKeys = ["hidden_act", "hidden_activation", "mlp_hidden_act", "activation_function"];

/** Parts of a configuration of several models that describe the language model. */
const languageParts = ["text_config", "llm_config", "language_config", "thinker_config"];

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

/** The settings of a parsed configuration. */
export function modelConfigOf(config: unknown): Omit<ModelConfig, "where"> {
  const groups = isGroup(config) ? languageGroups(config) : [];
  const family = familyOf(groups);
  const quantisations = groups.flatMap((group) =>
    [group["quantization_config"], group["compression_config"]].filter(isGroup),
  );
  return {
    gateOf: (named) => gateOfGroups(groups, named ?? family),
    family,
    typed: groups.some((group) => typeof group["model_type"] === "string"),
    packing: {
      checkpoint_format: textOf(quantisations, "checkpoint_format"),
      version: textOf(quantisations, "version"),
    },
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

/** The first text under `key`. */
function textOf(groups: readonly Group[], key: string): string | null {
  return groups.map((group) => group[key]).find((value) => typeof value === "string") ?? null;
}

function familyOf(groups: readonly Group[]): Family | null {
  const names = groups.flatMap(({ model_type, architectures }) => [
    model_type,
    ...(Array.isArray(architectures) ? (architectures as readonly unknown[]) : []),
  ]);
  const any = (rule: RegExp): boolean =>
    names.some((name) => typeof name === "string" && rule.test(name));
  if (any(/^gpt_oss|^GptOss/)) return "gpt-oss";
  return any(/^deepseek_v4|^DeepseekV4/) ? "deepseek-v4" : null;
}

/** Limits of models whose configuration may omit them, from transformers' configurations. */
const defaultLimits = { "gpt-oss": 7, "deepseek-v4": 10 } as const;

function gateOfGroups(groups: readonly Group[], family: Family | null): ConfiguredGate {
  const { activation, problems } = functionOf(groups);
  if (family === "gpt-oss" || family === "deepseek-v4") {
    const { limit, issues } = limitOf(groups, defaultLimits[family]);
    const others = limitProblems(groups, (key, value) =>
      family === "gpt-oss" ? key === "swiglu_alpha" && value === 1.702 : false,
    );
    const odd = activation === null || activation === "silu" ? [] : [oddName(activation, family)];
    const allProblems = [...problems, ...issues, ...others, ...odd];
    const name = family === "gpt-oss" ? "quick-gelu" : "silu";
    const gate: GateFunction = {
      name,
      ...defined({
        limit: limit ?? undefined,
        upPlusOne: family === "gpt-oss" ? (true as const) : undefined,
      }),
    };
    return { gate: allProblems.length > 0 ? null : gate, problems: allProblems };
  }
  const name = activation ?? (family === "nemotron" ? "relu2" : null);
  const allProblems = [
    ...problems,
    ...groups.flatMap((group) => limitsOf(group).map(limitProblem)),
  ];
  return { gate: name === null || allProblems.length > 0 ? null : { name }, problems: allProblems };
}

function oddName(activation: ActivationFunction, family: Family): string {
  return `hidden_act is ${activation}, and experts of ${family} compute silu: it is not clear which.`;
}

/** `swiglu_limit`: a number, none where it is null or zero. */
function limitOf(
  groups: readonly Group[],
  usual: number,
): { readonly limit: number | null; readonly issues: readonly string[] } {
  const values = groups.filter((group) => "swiglu_limit" in group).map((g) => g["swiglu_limit"]);
  if (values.length === 0) return { limit: usual, issues: [] };
  const set = [...new Set(values.filter((value) => value !== null))];
  const [value = null] = set;
  if (set.length <= 1 && (value === null || value === 0)) return { limit: null, issues: [] };
  if (set.length === 1 && typeof value === "number" && value > 0)
    return { limit: value, issues: [] };
  return {
    limit: null,
    issues: set.map((one) => `swiglu_limit is ${formatValue(one)}, not a limit.`),
  };
}

/** Problems of all gate keys except `swiglu_limit` and the keys that `known` accepts. */
function limitProblems(
  groups: readonly Group[],
  known: (key: string, value: unknown) => boolean,
): readonly string[] {
  return groups.flatMap((group) =>
    limitsOf(group)
      .filter(([key, value]) => key !== "swiglu_limit" && !known(key, value))
      .map(limitProblem),
  );
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
  const values = new Set<ActivationFunction>();
  for (const { key, value } of named) {
    const entry = functionNamed(value);
    if (entry !== undefined) values.add(entry);
    else problems.push(`${key} is ${formatValue(value)}, not implemented: ${implemented}.`);
  }
  if (values.size > 1) {
    const list = named.map(({ key, value }) => `${key} is ${formatValue(value)}`).join(", ");
    problems.push(`${list}: which of them experts have is not clear.`);
  }
  const [activation = null] = values;
  return { activation: problems.length > 0 ? null : activation, problems };
}

function functionNamed(value: unknown): ActivationFunction | undefined {
  return typeof value === "string" && Object.hasOwn(functions, value)
    ? functions[value]
    : undefined;
}

const implemented = `experts have ${Object.keys(functions).join(", ")} (gelu in its exact form)`;

/**
 * Keys of clamps and factors in a gate: `swiglu_limit` of gpt-oss and DeepSeek-V4,
 * `expert_swiglu_limit_list` of Ling 3, `situ_beta` of the gate with a hyperbolic tangent.
 */
const gateKeys =
  /swiglu|(^|_)situ_|glu_(limit|alpha|beta|clamp)|(^|_)(act|activation|gate|expert)_(limit|alpha|beta|clamp)/;

function limitsOf(group: Group): readonly (readonly [string, unknown])[] {
  return Object.entries(group).filter(([key, value]) => gateKeys.test(key) && set(value));
}

function limitProblem([key, value]: readonly [string, unknown]): string {
  return `${key} is ${formatValue(value)}: a gate with it is not implemented.`;
}

/** Whether a key has a value other than on or off. */
function set(value: unknown): boolean {
  return value !== null && typeof value !== "boolean";
}

/** Rotations of inputs without tensors: a Hadamard matrix is computed, not stored. */
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

/** Problems of a configuration as issues. */
export function problemsOf(
  where: string,
  problems: readonly string[],
  key: string,
): readonly Issue[] {
  return problems.map((problem) => ({
    where,
    message: `${problem.replace(/\.$/, "")}; with ${key} another function is computed instead.`,
  }));
}
