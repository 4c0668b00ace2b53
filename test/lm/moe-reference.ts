// SPDX-License-Identifier: Apache-2.0
// A mixture-of-experts transformer by the textbook, a position at a time and in plain loops: what the
// fast one is held to. It shares only the weights with it.

import type { MoeModel, Network } from "../../src/lm/moe/model.ts";
import type { Matrix } from "../../src/lm/model.ts";

type Vector = readonly number[];

/** -log2 p of each next byte, all positions attending densely. */
export function referenceBits(model: MoeModel, text: Uint8Array): Vector {
  const { architecture, layers, finalNorm, output } = model;
  const { heads, kvHeads, headWidth: width, settings } = architecture;
  const eps = settings.rms_norm_eps.value;
  const caches = layers.map(() => ({ keys: [] as Vector[], values: [] as Vector[] }));
  return Array.from(text.subarray(0, -1), (byte, t) => {
    let x = row(model.embedding, byte);
    layers.forEach((layer, n) => {
      const a = norm(x, layer.inputNorm, eps);
      const turn = (v: Vector, gain: Float64Array | undefined, count: number): Vector =>
        Array.from({ length: count }, (_, h) => v.slice(h * width, (h + 1) * width)).flatMap(
          (head) => rotated(gain ? norm(head, gain, eps) : head, t, settings.rope_theta.value),
        );
      const q = turn(times(layer.query, a), layer.headNorms?.query, heads);
      const cache = caches[n] ?? { keys: [], values: [] };
      cache.keys.push(turn(times(layer.key, a), layer.headNorms?.key, kvHeads));
      cache.values.push(times(layer.value, a));
      const o = Array.from({ length: heads }, (_, h) => {
        const from = Math.floor(h / (heads / kvHeads)) * width;
        const query = q.slice(h * width, (h + 1) * width);
        const own = (v: Vector): Vector => v.slice(from, from + width);
        const weights = softmax(cache.keys.map((k) => dot(query, own(k)) / Math.sqrt(width)));
        return Array.from({ length: width }, (_d, c) =>
          weights.reduce((sum, w, i) => sum + w * (cache.values[i]?.[from + c] ?? 0), 0),
        );
      }).flat();
      x = plus(x, times(layer.output, o));
      const b = norm(x, layer.networkNorm, eps);
      x = plus(x, networkSum(model, n, b));
    });
    const p = softmax(times(output, norm(x, finalNorm, eps)));
    return -Math.log2(p[text[t + 1] ?? 0] ?? 0);
  });
}

function networkSum(
  { architecture: { settings }, layers }: MoeModel,
  n: number,
  b: Vector,
): Vector {
  const network = layers[n]?.network;
  if (network === undefined) return b;
  if (!("router" in network)) return mlp(network, b);
  const p = softmax(times(network.router, b));
  const order = [...p.keys()].sort((i, j) => (p[j] ?? 0) - (p[i] ?? 0) || i - j);
  const best = order.slice(0, settings.num_experts_per_tok.value);
  const mass = settings.norm_topk_prob.value ? best.reduce((sum, e) => sum + (p[e] ?? 0), 0) : 1;
  const factor = settings.routed_scaling_factor.value / mass;
  let sum = network.shared === null ? b.map(() => 0) : mlp(network.shared, b);
  for (const e of best) {
    const expert = network.experts[e];
    if (expert !== undefined)
      sum = plus(
        sum,
        mlp(expert, b).map((y) => y * factor * (p[e] ?? 0)),
      );
  }
  return sum;
}

function mlp({ gate, up, down }: Network, b: Vector): Vector {
  const other = times(up, b);
  return times(
    down,
    times(gate, b).map((z, i) => (z / (1 + Math.exp(-z))) * (other[i] ?? 0)),
  );
}

const row = ({ columns, data }: Matrix, r: number): Vector => [
  ...data.subarray(r * columns, (r + 1) * columns),
];
const dot = (a: Vector, b: Vector): number => a.reduce((sum, x, i) => sum + x * (b[i] ?? 0), 0);
const plus = (a: Vector, b: Vector): Vector => a.map((x, i) => x + (b[i] ?? 0));
const times = (m: Matrix, v: Vector): Vector =>
  Array.from({ length: m.rows }, (_, r) => dot(row(m, r), v));

function norm(x: Vector, gain: Float64Array, epsilon: number): Vector {
  const scale = Math.sqrt(dot(x, x) / x.length + epsilon);
  return x.map((value, i) => (value / scale) * (gain[i] ?? 0));
}

function rotated(u: Vector, t: number, base: number): Vector {
  const half = u.length / 2;
  return u.map((x, d) => {
    const pair = d % half;
    const angle = t / base ** (pair / half);
    const other = u[d < half ? d + half : d - half] ?? 0;
    return x * Math.cos(angle) + (d < half ? -1 : 1) * other * Math.sin(angle);
  });
}

function softmax(scores: Vector): Vector {
  const largest = Math.max(...scores);
  const powers = scores.map((s) => Math.exp(s - largest));
  const sum = powers.reduce((a, b) => a + b, 0);
  return powers.map((p) => p / sum);
}
