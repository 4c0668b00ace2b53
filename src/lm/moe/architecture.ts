// SPDX-License-Identifier: Apache-2.0
// The architecture of a decoder-only transformer with Hugging Face names, from the names and shapes of
// its tensors: Mixtral (`block_sparse_moe`), Qwen3-MoE and DeepSeek-MoE (`mlp.experts`). Query heads
// share keys and values in groups; a layer has routed experts, with a shared one beside them or not, or
// a dense network. All problems are reported at once; a tensor of an unknown name is one of them.

import type { Issue } from "../../base/errors.ts";
import { cut } from "../../base/format-value.ts";
import type { Checkpoint } from "../../workload/checkpoint.ts";
import { settingOf, unsupported } from "./settings.ts";
import type { KnownSettings, ModelNotes, Setting, SettingValues } from "./settings.ts";
import type { TensorReader } from "./tensors.ts";

/** Families by how they name tensors; assumed settings follow from it. */
export type Naming = "mixtral" | "qwen3-moe" | "deepseek-moe";

/** The network between a layer's attention and the next layer. */
export type NetworkPlan =
  | {
      readonly kind: "routed";
      /** Names before `.0`, `.1` and so on. */
      readonly experts: string;
      readonly router: string;
      readonly shared: string | null;
    }
  | { readonly kind: "dense"; readonly name: string };

/** A layer by its tensors' names. */
export interface LayerPlan {
  /** `model.layers.3`. */
  readonly name: string;
  /** Norms of each head of q and of k. */
  readonly headNorms: boolean;
  readonly network: NetworkPlan;
}

export interface Architecture {
  readonly naming: Naming;
  readonly vocabulary: number;
  readonly hidden: number;
  readonly heads: number;
  readonly kvHeads: number;
  readonly headWidth: number;
  /** 0 where no layer has any. */
  readonly routedExperts: number;
  readonly layers: readonly LayerPlan[];
  /** Whether the output matrix is that of the embedding. */
  readonly tied: boolean;
  readonly settings: { readonly [Name in keyof SettingValues]: Setting<SettingValues[Name]> };
}

/** Names of an expert's matrices. */
export const matrixNames = {
  projections: { gate: "gate_proj", up: "up_proj", down: "down_proj" },
  numbered: { gate: "w1", up: "w3", down: "w2" },
} as const;

/** Whether a checkpoint has the names that are read here. */
export function hasHuggingFaceNames(checkpoint: Checkpoint): boolean {
  return checkpoint.tensorNames.some((name) => name.startsWith("model."));
}

/** The names of an expert's or a dense network's matrices below `name`. */
export function networkNames(
  name: string,
  naming: Naming,
): Readonly<Record<"gate" | "up" | "down", string>> {
  const { gate, up, down } = matrixNames[naming === "mixtral" ? "numbered" : "projections"];
  return {
    gate: `${name}.${gate}.weight`,
    up: `${name}.${up}.weight`,
    down: `${name}.${down}.weight`,
  };
}

/** Tensors whose shapes determine the sizes of all others. */
const needed = [
  "model.embed_tokens.weight",
  "model.norm.weight",
  "self_attn.q_proj.weight and self_attn.k_proj.weight of model.layers.0",
];

/**
 * Derives the architecture from names and shapes, and expects every tensor from the reader.
 * Problems are added to the reader's issues; if there are any, the result is invalid.
 */
export function readArchitecture(
  checkpoint: Checkpoint,
  reader: TensorReader,
  known: KnownSettings,
  inputs: number,
): Architecture {
  const say = (message: string): void => {
    reader.issues.push({ where: checkpoint.name, message });
  };
  const numbers = layerNumbers(checkpoint.tensorNames);
  const naming = namingOf(checkpoint.tensorNames);
  const layers = numbers.map((n) => layerPlan(checkpoint, n));
  const rowsOf = (name: string): number => reader.shapeOf(name)?.[0] ?? 0;
  const vocabulary = rowsOf("model.embed_tokens.weight") || rowsOf("lm_head.weight");
  const hidden = rowsOf("model.norm.weight") || rowsOf("model.layers.0.input_layernorm.weight");
  const first = "model.layers.0.self_attn";
  const [queryRows, keyRows] = [rowsOf(`${first}.q_proj.weight`), rowsOf(`${first}.k_proj.weight`)];
  const [normed] = reader.shapeOf(`${first}.q_norm.weight`) ?? [];
  const settings = settingsOf(naming, known, { queryRows, normed });
  const headWidth = settings.head_dim.value;
  const [heads, kvHeads] = [queryRows / headWidth, keyRows / headWidth];
  const router = layers.map(({ network }) => network).find(isRouted);
  const routedExperts = rowsOf(router?.router ?? "");
  const tied = reader.shapeOf("lm_head.weight") === undefined;

  if (numbers.some((n, i) => n !== i))
    say("skips a layer: their numbers do not follow one another.");
  if (queryRows > 0 && keyRows > 0)
    checkHeads({ queryRows, keyRows, headWidth, heads, kvHeads }, say);
  const per = settings.num_experts_per_tok.value;
  if (routedExperts > 0 && per > routedExperts) {
    say(`has ${routedExperts} routed experts; num_experts_per_tok asks for ${per} of them.`);
  }
  reader.issues.push(...unsupported(known, inputs));
  const architecture = {
    naming,
    vocabulary,
    hidden,
    heads,
    kvHeads,
    headWidth,
    routedExperts,
    layers,
    tied,
    settings,
  };
  const sizes = { vocabulary, hidden, queryRows, keyRows, layers: layers.length };
  const absent = Object.entries(sizes).filter(([, size]) => size < 1);
  if (absent.length > 0 || routedExperts > checkpoint.tensorNames.length) {
    say(`lacks the tensors that tell the sizes of a model: ${needed.join(", ")}.`);
    return architecture;
  }
  expectTensors(reader, architecture, { queryRows, keyRows });
  reader.issues.push(...contradictions(known, architecture));
  reader.refuseUnread();
  return architecture;
}

function isRouted(network: NetworkPlan): network is NetworkPlan & { readonly kind: "routed" } {
  return network.kind === "routed";
}

function layerNumbers(names: readonly string[]): readonly number[] {
  const widths = new Set<number>();
  for (const name of names) {
    const number = /^model\.layers\.(\d{1,6})\./.exec(name)?.[1];
    if (number !== undefined) widths.add(Number(number));
  }
  return [...widths].sort((a, b) => a - b);
}

function namingOf(names: readonly string[]): Naming {
  if (names.some((name) => name.includes(".block_sparse_moe."))) return "mixtral";
  return names.some((name) => name.endsWith(".self_attn.q_norm.weight"))
    ? "qwen3-moe"
    : "deepseek-moe";
}

function layerPlan(checkpoint: Checkpoint, n: number): LayerPlan {
  const name = `model.layers.${n}`;
  const has = (tensor: string): boolean => checkpoint.tensor(`${name}.${tensor}`) !== undefined;
  const routed = (block: string): NetworkPlan => ({
    kind: "routed",
    experts: `${name}.${block}.experts`,
    router: `${name}.${block}.gate.weight`,
    shared: has(`${block}.shared_experts.gate_proj.weight`)
      ? `${name}.${block}.shared_experts`
      : null,
  });
  const headNorms = has("self_attn.q_norm.weight");
  if (has("block_sparse_moe.gate.weight")) {
    return { name, headNorms, network: routed("block_sparse_moe") };
  }
  if (has("mlp.gate.weight") || has("mlp.experts.0.gate_proj.weight")) {
    return { name, headNorms, network: routed("mlp") };
  }
  return { name, headNorms, network: { kind: "dense", name: `${name}.mlp` } };
}

/** Default settings of each family, where its configuration leaves them out. */
const assumed = {
  mixtral: { per: 2, renormalised: true, base: 1e6, epsilon: 1e-5 },
  "qwen3-moe": { per: 8, renormalised: true, base: 1e6, epsilon: 1e-6 },
  "deepseek-moe": { per: 6, renormalised: false, base: 1e4, epsilon: 1e-6 },
} as const;
/** Positions of a window, which a context of more does not change. */
const assumedContext = 1024;
const assumedWidth = 128;

function settingsOf(
  naming: Naming,
  known: KnownSettings,
  { queryRows, normed }: { readonly queryRows: number; readonly normed: number | undefined },
): Architecture["settings"] {
  const { per, renormalised, base, epsilon } = assumed[naming];
  const heads = known.notes.map(({ values }) => values.num_attention_heads ?? 0).find((n) => n > 0);
  const width = normed ?? (heads === undefined ? assumedWidth : Math.floor(queryRows / heads));
  const isStated = normed !== undefined || heads !== undefined;
  return {
    head_dim: settingOf(known, "head_dim", Math.max(1, width), isStated ? "shapes" : "default"),
    num_experts_per_tok: settingOf(known, "num_experts_per_tok", per),
    norm_topk_prob: settingOf(known, "norm_topk_prob", renormalised),
    routed_scaling_factor: settingOf(known, "routed_scaling_factor", 1),
    rope_theta: settingOf(known, "rope_theta", base),
    rms_norm_eps: settingOf(known, "rms_norm_eps", epsilon),
    max_position_embeddings: settingOf(known, "max_position_embeddings", assumedContext),
    hidden_act: settingOf(known, "hidden_act", "silu"),
  };
}

function checkHeads(
  attention: Pick<Architecture, "headWidth" | "heads" | "kvHeads"> & {
    readonly queryRows: number;
    readonly keyRows: number;
  },
  say: (message: string) => void,
): void {
  const { queryRows, keyRows, headWidth, heads, kvHeads } = attention;
  if (headWidth % 2 !== 0) say(`heads of ${headWidth} (head_dim) have no pairs to rotate.`);
  if (!Number.isInteger(heads) || !Number.isInteger(kvHeads)) {
    say(
      `has ${queryRows} rows of q_proj and ${keyRows} of k_proj, no multiples of head_dim, ${headWidth}.`,
    );
  } else if (heads % kvHeads !== 0) {
    say(`has ${heads} query heads, which ${kvHeads} heads of keys and values cannot share evenly.`);
  }
}

function expectTensors(
  reader: TensorReader,
  { naming, vocabulary, hidden, headWidth, routedExperts, layers, tied }: Architecture,
  { queryRows, keyRows }: { readonly queryRows: number; readonly keyRows: number },
): void {
  const network = (name: string, columns: number | undefined, as: Naming = naming): void => {
    const { gate, up, down } = networkNames(name, as);
    const rows = reader.shapeOf(gate)?.[0] ?? columns ?? 1;
    reader.expect(gate, rows, hidden);
    reader.expect(up, rows, hidden);
    reader.expect(down, hidden, rows);
  };
  reader.expect("model.embed_tokens.weight", vocabulary, hidden);
  reader.expect("model.norm.weight", hidden);
  if (!tied) reader.expect("lm_head.weight", vocabulary, hidden);
  for (const { name, headNorms, network: networkPlan } of layers) {
    reader.expect(`${name}.input_layernorm.weight`, hidden);
    reader.expect(`${name}.post_attention_layernorm.weight`, hidden);
    reader.expect(`${name}.self_attn.q_proj.weight`, queryRows, hidden);
    reader.expect(`${name}.self_attn.k_proj.weight`, keyRows, hidden);
    reader.expect(`${name}.self_attn.v_proj.weight`, keyRows, hidden);
    reader.expect(`${name}.self_attn.o_proj.weight`, hidden, queryRows);
    if (headNorms) {
      reader.expect(`${name}.self_attn.q_norm.weight`, headWidth);
      reader.expect(`${name}.self_attn.k_norm.weight`, headWidth);
    }
    if (networkPlan.kind === "dense") {
      network(networkPlan.name, undefined, "deepseek-moe");
      continue;
    }
    reader.expect(networkPlan.router, routedExperts, hidden);
    const rows = reader.shapeOf(networkNames(`${networkPlan.experts}.0`, naming).gate)?.[0];
    for (let e = 0; e < routedExperts; e += 1) network(`${networkPlan.experts}.${e}`, rows);
    if (networkPlan.shared !== null) network(networkPlan.shared, rows, "deepseek-moe");
  }
}

/**
 * Notes that contradict the shapes of the tensors. A number of heads that is not whole has its own
 * message.
 */
function contradictions(known: KnownSettings, architecture: Architecture): readonly Issue[] {
  return known.notes.flatMap(({ where, values }) =>
    sizesIn(values, architecture)
      .filter(([, noted, actual]) => typeof noted === "number" && noted !== actual)
      .filter(([, , actual]) => Number.isInteger(actual))
      .map(([name, noted, actual]) => ({
        where,
        message: `${name} is ${cut(String(noted))}, but the tensors have ${actual}.`,
      })),
  );
}

function sizesIn(
  values: ModelNotes,
  architecture: Architecture,
): readonly (readonly [string, number | null | undefined, number])[] {
  const experts = values.n_routed_experts ?? values.num_local_experts ?? values.num_experts;
  return [
    ["vocab_size", values.vocab_size, architecture.vocabulary],
    ["hidden_size", values.hidden_size, architecture.hidden],
    ["num_hidden_layers", values.num_hidden_layers, architecture.layers.length],
    ["num_attention_heads", values.num_attention_heads, architecture.heads],
    ["num_key_value_heads", values.num_key_value_heads, architecture.kvHeads],
    ["the number of routed experts", experts, architecture.routedExperts],
  ];
}
