// SPDX-License-Identifier: Apache-2.0
// One window of text through a mixture-of-experts model. A layer is finished for all positions before
// the next begins, since a position needs only earlier positions of its layer: so the tokens of many
// positions are one job of an expert.

import { NeardataError } from "../../base/errors.ts";
import { present } from "../../base/present.ts";
import type { DecodeAttention } from "../forward.ts";
import { bitsOf } from "../operations.ts";
import type { Matrix } from "../model.ts";
import { attend, normalizeRows, rotaryTables } from "./attention.ts";
import { networkOutput, type ExpertEngine, type ExpertJob } from "./experts.ts";
import type { MoeModel, RoutedNetwork } from "./model.ts";
import { product } from "./product.ts";
import { route, type RouterRule, type Routes } from "./router.ts";

/** Engine of the routed experts, and the other settings of a window's run. */
export interface MoeRun {
  readonly experts: ExpertEngine;
  /** Jobs of a layer: of all positions of the window together, or of one decode position after another. */
  readonly dispatch: "window" | "step";
  /** The first decode position. */
  readonly prompt: number;
  readonly onRoutes?: (routes: Routes) => void;
  /**
   * Called with the inputs of a layer's network (after the norm) and its outputs (before the
   * residual stream).
   */
  readonly onNetwork?: (layer: number, inputs: Matrix, outputs: Matrix) => void;
}

/** -log2 p of the byte after each position of `text` but the last. */
export async function moeWindowBits(
  model: MoeModel,
  text: Uint8Array,
  attention: DecodeAttention,
  run: MoeRun,
): Promise<Float64Array> {
  const { architecture, layers, finalNorm, output } = model;
  const { headWidth, settings } = architecture;
  const x = embed(model.embedding, text.subarray(0, -1));
  const tables = rotaryTables(x.rows, headWidth, settings.rope_theta.value);
  for (const [n, layer] of layers.entries()) {
    const a = normalized(x, layer.inputNorm, settings.rms_norm_eps.value);
    const heads = await attend(layer, a, architecture, tables, attention);
    addTo(x, product(heads, layer.output));
    const b = normalized(x, layer.networkNorm, settings.rms_norm_eps.value);
    const added = await layerOutput(model, n, b, run);
    run.onNetwork?.(n, b, added);
    addTo(x, added);
    rejectNonfinite(x, n);
  }
  const scores = product(normalized(x, finalNorm, settings.rms_norm_eps.value), output);
  return Float64Array.from({ length: x.rows }, (_, t) =>
    bitsOf(rowOf(scores, t), present(text[t + 1])),
  );
}

/** The output of a layer's network: a dense network, or the shared expert and the routed ones. */
export async function layerOutput(
  model: MoeModel,
  layer: number,
  x: Matrix,
  run: MoeRun,
): Promise<Matrix> {
  const { architecture, layers } = model;
  const network = layers[layer]?.network;
  if (network === undefined) throw new NeardataError("misuse", `the model has no layer ${layer}.`);
  return "router" in network
    ? routedOutput(model, network, layer, x, run)
    : networkOutput(network, x, architecture.settings.hidden_act.value);
}

/** The shared expert and the weighted sum of the routed ones. */
async function routedOutput(
  { architecture: { settings } }: MoeModel,
  network: RoutedNetwork,
  layer: number,
  x: Matrix,
  { experts, dispatch, prompt, onRoutes }: MoeRun,
): Promise<Matrix> {
  const rule: RouterRule = {
    chosen: settings.num_experts_per_tok.value,
    renormalised: settings.norm_topk_prob.value,
    factor: settings.routed_scaling_factor.value,
  };
  const routes = route(x, network.router, layer, rule);
  onRoutes?.(routes);
  const activation = settings.hidden_act.value;
  const out =
    network.shared === null
      ? { ...x, data: new Float64Array(x.data.length) }
      : networkOutput(network.shared, x, activation);
  // Outputs of experts, by position and rank of the expert.
  const given = new Map<number, Float64Array>();
  for (const [from, to] of rounds(x.rows, prompt, dispatch)) {
    const jobs = jobsOf(network, routes, x, from, to);
    const outputs = await experts.compute(jobs, activation);
    jobs.forEach(({ positions, expert }, j) => {
      positions.forEach((t, i) => {
        const row = outputs[j]?.subarray(i * x.columns, (i + 1) * x.columns);
        const rank = routes.experts.indexOf(expert, t * routes.chosen);
        if (row !== undefined) given.set(rank, row);
      });
    });
  }
  // The sum is in the order of descending weight, independent of the order of the jobs.
  routes.weights.forEach((weight, rank) => {
    const row = given.get(rank) ?? new Float64Array();
    const at = Math.floor(rank / routes.chosen) * x.columns;
    for (let c = 0; c < x.columns; c += 1) {
      out.data[at + c] = present(out.data[at + c]) + weight * present(row[c]);
    }
  });
  return out;
}

/** Positions [from, to) that are dispatched together: the prompt always is. */
function rounds(
  rows: number,
  prompt: number,
  dispatch: MoeRun["dispatch"],
): readonly (readonly [number, number])[] {
  if (dispatch === "window") return [[0, rows]];
  const first = Math.min(prompt, rows);
  const steps = Array.from({ length: rows - first }, (_, i) => [first + i, first + i + 1] as const);
  return first > 0 ? [[0, first], ...steps] : steps;
}

/** A job for each expert that has tokens among these positions, in the order of experts. */
function jobsOf(
  network: RoutedNetwork,
  { layer, chosen, experts }: Routes,
  x: Matrix,
  from: number,
  to: number,
): readonly ExpertJob[] {
  const tokens = network.experts.map((): number[] => []);
  for (let rank = from * chosen; rank < to * chosen; rank += 1) {
    tokens[present(experts[rank])]?.push(Math.floor(rank / chosen));
  }
  return network.experts.flatMap((network, expert): ExpertJob[] => {
    const positions = tokens[expert] ?? [];
    if (positions.length === 0) return [];
    const data = new Float64Array(positions.length * x.columns);
    positions.forEach((t, i) => {
      data.set(rowOf(x, t), i * x.columns);
    });
    const inputs = { rows: positions.length, columns: x.columns, data };
    return [{ layer, expert, network, inputs, positions }];
  });
}

/** Rows of the embedding of each byte. */
export function embed(embedding: Matrix, text: Uint8Array): Matrix {
  const { columns } = embedding;
  const data = new Float64Array(text.length * columns);
  text.forEach((byte, t) => {
    data.set(rowOf(embedding, byte), t * columns);
  });
  return { rows: text.length, columns, data };
}

/** Rows after root-mean-square normalisation. */
export function normalized(x: Matrix, gain: Float64Array, epsilon: number): Matrix {
  const data = x.data.slice();
  normalizeRows(data, gain, epsilon);
  return { ...x, data };
}

/** x + y, in place of x. */
export function addTo(x: Matrix, y: Matrix): void {
  for (let i = 0; i < x.data.length; i += 1) x.data[i] = present(x.data[i]) + present(y.data[i]);
}

/** A value beyond FP16 in an engine becomes an infinity, and a model that overflows judges nothing. */
export function rejectNonfinite(x: Matrix, layer: number): void {
  const at = x.data.findIndex((value) => !Number.isFinite(value));
  if (at < 0) return;
  throw new NeardataError(
    "check-failed",
    `layer ${layer} gives position ${Math.floor(at / x.columns)} a value beyond its format.`,
  );
}

export function rowOf(m: Matrix, row: number): Float64Array {
  return m.data.subarray(row * m.columns, (row + 1) * m.columns);
}
