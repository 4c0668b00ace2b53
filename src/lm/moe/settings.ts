// SPDX-License-Identifier: Apache-2.0
// Settings of a model that its tensors do not determine: the number of experts per token, the base of the
// rotary angles and the like. Each is read from the first of these that has it: the caller (an option), the
// notes inside the .safetensors file (`__metadata__.architecture`), the config.json beside it; otherwise it
// is assumed. Names are those of Hugging Face's configurations.

import { z } from "zod";
import { inputError, NeardataError, type Issue } from "../../base/errors.ts";
import { readJson } from "../../base/json.ts";
import { didYouMean } from "../../base/nearest.ts";
import { formatValue } from "../../base/format-value.ts";
import {
  activationFunctions,
  gateFunctionLabel,
  shortGate,
  type ActivationFunction,
  type GateFunction,
} from "../../golden/names.ts";
import { modelConfigOf } from "../../workload/model-config.ts";

/** The source of a setting. */
export type SettingSource = "option" | "metadata" | "config.json" | "shapes" | "default";

/** A setting and its source. */
export interface Setting<T> {
  readonly value: T;
  readonly source: SettingSource;
}

const positive = z.number().positive();
const count = z
  .int()
  .positive()
  .max(2 ** 31);

/** Of two positions one is the prompt. */
const context = z
  .int()
  .min(2)
  .max(2 ** 31);

/** Settings that an option can override. */
export interface SettingValues {
  readonly head_dim: number;
  readonly num_experts_per_tok: number;
  readonly norm_topk_prob: boolean;
  readonly routed_scaling_factor: number;
  readonly rope_theta: number;
  readonly rms_norm_eps: number;
  readonly max_position_embeddings: number;
  readonly hidden_act: ActivationFunction;
}
export type SettingName = keyof SettingValues;

const settingSchemas: { readonly [Name in SettingName]: z.ZodType<SettingValues[Name]> } = {
  head_dim: count,
  num_experts_per_tok: count,
  norm_topk_prob: z.boolean(),
  routed_scaling_factor: positive,
  rope_theta: positive,
  rms_norm_eps: positive,
  max_position_embeddings: context,
  hidden_act: z.enum(activationFunctions),
};
const settingNames = Object.keys(settingSchemas) as SettingName[];

/**
 * Settings of a model in its metadata or config.json: settings, sizes that the tensors imply as
 * well, and kinds.
 */
export interface ModelNotes {
  readonly vocab_size?: number | null | undefined;
  readonly hidden_size?: number | null | undefined;
  readonly num_hidden_layers?: number | null | undefined;
  readonly num_attention_heads?: number | null | undefined;
  readonly num_key_value_heads?: number | null | undefined;
  readonly n_routed_experts?: number | null | undefined;
  readonly num_local_experts?: number | null | undefined;
  readonly num_experts?: number | null | undefined;
  readonly scoring_func?: string | null | undefined;
  readonly topk_method?: string | null | undefined;
  readonly n_group?: number | null | undefined;
  readonly rope_scaling?: unknown;
  readonly sliding_window?: number | null | undefined;
  readonly use_sliding_window?: boolean | null | undefined;
  readonly hidden_act?: string | null | undefined;
  readonly head_dim?: number | null | undefined;
  readonly num_experts_per_tok?: number | null | undefined;
  readonly norm_topk_prob?: boolean | null | undefined;
  readonly routed_scaling_factor?: number | null | undefined;
  readonly rope_theta?: number | null | undefined;
  readonly rms_norm_eps?: number | null | undefined;
  readonly max_position_embeddings?: number | null | undefined;
  /** Properties of experts in the notes that are not implemented, one sentence each. */
  readonly problems?: readonly string[] | undefined;
}

const notesSchema: z.ZodType<ModelNotes> = z.object({
  vocab_size: count.nullish(),
  hidden_size: count.nullish(),
  num_hidden_layers: count.nullish(),
  num_attention_heads: count.nullish(),
  num_key_value_heads: count.nullish(),
  n_routed_experts: count.nullish(),
  num_local_experts: count.nullish(),
  num_experts: count.nullish(),
  scoring_func: z.string().nullish(),
  topk_method: z.string().nullish(),
  n_group: count.nullish(),
  rope_scaling: z.unknown().optional(),
  sliding_window: count.nullish(),
  use_sliding_window: z.boolean().nullish(),
  hidden_act: z.string().nullish(),
  head_dim: count.nullish(),
  num_experts_per_tok: count.nullish(),
  norm_topk_prob: z.boolean().nullish(),
  routed_scaling_factor: positive.nullish(),
  rope_theta: positive.nullish(),
  rms_norm_eps: positive.nullish(),
  max_position_embeddings: context.nullish(),
});

/** Settings from all sources other than the tensors; notes in order of precedence. */
export interface KnownSettings {
  readonly options: Partial<SettingValues>;
  readonly notes: readonly {
    readonly source: "metadata" | "config.json";
    /** For messages. */
    readonly where: string;
    readonly values: ModelNotes;
  }[];
}

/** Notes from JSON. @throws NeardataError `bad-input` with every value of a wrong kind. */
export function readNotes(where: string, json: string): ModelNotes {
  const read = readJson(json);
  if (!read.ok) throw inputError(where, `it is not JSON: ${read.problem}`);
  const notes = notesSchema.safeParse(read.value);
  if (notes.success) {
    // `hidden_act` is one of several keys of the function, and has several names for it.
    const { gateOf, transformProblems } = modelConfigOf(read.value);
    const { gate, problems } = gateOf(null);
    const all = [...problems, ...gateProblems(gate), ...transformProblems];
    return { ...notes.data, hidden_act: gate?.name ?? null, problems: all };
  }
  const issues = notes.error.issues.map(({ path, message }): Issue => ({
    where: [where, path.join(".")].filter((part) => part !== "").join(": "),
    message: `${message}.`,
  }));
  throw new NeardataError("bad-input", issues);
}

/** A gate with a limit or an increment: its models have attention that is not computed here either. */
function gateProblems(gate: GateFunction | null): readonly string[] {
  if (gate === null || typeof shortGate(gate) === "string") return [];
  return [
    `experts compute ${gateFunctionLabel(gate)}; a language model here has an activation function ` +
      "without limit and increment. ndp eval computes such experts.",
  ];
}

/** Parses NAME=VALUE of an option. @throws NeardataError `bad-input`. */
export function readSetting(option: string, text: string): Partial<SettingValues> {
  const at = text.indexOf("=");
  const [name, value] = at < 0 ? [text, ""] : [text.slice(0, at), text.slice(at + 1)];
  const known = settingNames.find((one) => one === name);
  if (known === undefined || at < 0) {
    const hint = didYouMean(name, settingNames) || ` NAME is one of ${settingNames.join(", ")}.`;
    throw inputError(option, `${formatValue(text)} is not NAME=VALUE of a setting.${hint}`);
  }
  const parsed = settingSchemas[known].safeParse(plainValue(value));
  if (parsed.success) return { [known]: parsed.data };
  const wanted = parsed.error.issues.map(({ message }) => message).join("; ");
  throw inputError(option, `${known} is not ${formatValue(value)}: ${wanted}.`);
}

function plainValue(text: string): unknown {
  if (text === "true" || text === "false") return text === "true";
  return text.trim() !== "" && Number.isFinite(Number(text)) ? Number(text) : text;
}

/** Features in the notes that no model here implements, one sentence each. */
export function unsupported({ notes }: KnownSettings, inputs: number): readonly Issue[] {
  return notes.flatMap(({ where, values }) => {
    const problems = [
      refuse(values.scoring_func ?? "softmax", "scoring_func", ["softmax"]),
      refuse(values.topk_method ?? "greedy", "topk_method", ["greedy"]),
      refuse(values.n_group ?? 1, "n_group", [1]),
      refuse(scalingOf(values.rope_scaling), "rope_scaling", ["default"]),
      values.problems ?? [],
    ].flat();
    const window = values.use_sliding_window === false ? null : values.sliding_window;
    if (typeof window === "number" && window < inputs) {
      problems.push(
        `sliding_window is ${window}, but all ${inputs} positions are attended to here.`,
      );
    }
    return problems.map((message) => ({ where, message }));
  });
}

function refuse<T>(value: T, name: string, known: readonly T[]): readonly string[] {
  if (known.includes(value)) return [];
  return [`${name} is ${formatValue(value)}, which is not known here, only ${known.join(", ")}.`];
}

function scalingOf(scaling: unknown): string {
  if (scaling === null || scaling === undefined) return "default";
  const kind = z.looseObject({ rope_type: z.string().optional(), type: z.string().optional() });
  const read = kind.safeParse(scaling);
  return read.success ? (read.data.rope_type ?? read.data.type ?? "a group") : formatValue(scaling);
}

/** A setting by precedence; `assumed` where none is given. */
export function settingOf<Name extends SettingName>(
  known: KnownSettings,
  name: Name,
  assumed: SettingValues[Name],
  assumedFrom: SettingSource = "default",
): Setting<SettingValues[Name]> {
  const option = known.options[name];
  if (option !== undefined) return { value: option, source: "option" };
  for (const { source, values } of known.notes) {
    const value = settingSchemas[name].safeParse(values[name]);
    if (value.success) return { value: value.data, source };
  }
  return { value: assumed, source: assumedFrom };
}
