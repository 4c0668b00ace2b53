// SPDX-License-Identifier: Apache-2.0
// Peak memory of FlexGen's three tiers under a placement, in both variants of the cost model: weights,
// caches and hidden states where they live, and the working sets of a GPU batch.

import { bytes, type Bytes } from "../../../base/units.ts";
import { layerWeights } from "./cost.ts";
import type { FlexGenLoad, FlexGenModel, Placement, Variant } from "./cost.ts";
import type { FlexGenMachine } from "../../experiment/machines.ts";

export interface MemoryRow {
  readonly name: string;
  readonly bytes: Bytes;
  readonly tier: "gpu" | "cpu" | "disk";
}

/** Peak memory of each tier and phase. `paper` has a GPU row for each kind of workspace. */
export function memoryRows(
  variant: Variant,
  model: FlexGenModel,
  load: FlexGenLoad,
  at: Placement,
): readonly MemoryRow[] {
  const { hidden: h1, intermediate: h2, heads: nh, layers: l } = model;
  const { prompt: s, output: n, gpuBatch: gbs } = load;
  const bls = gbs * load.batches;
  const w = layerWeights(model);
  const { wg, wc, wn, cg, cc, cn, hg, hc, hn } = at;
  const runtime = variant === "runtime";
  const cache = 4 * (s + n) * h1 * bls * l;
  const hidden = 2 * h1 * bls;
  const gpuPrefill =
    wg * w * l + hg * hidden * s + cg * cache + 2 * (1 - wg) * w + 2 * (1 - hg) * s * h1 * gbs;
  const gpuDecode =
    wg * w * l +
    hg * hidden +
    cg * cache +
    2 * (1 - wg) * w +
    2 * (1 - hg) * (runtime ? 1 : s) * h1 * gbs;
  const prefillAttention = gbs * (4 * s * h1 + 2 * nh * s ** 2);
  // The released model counts hidden states and cached operands of both products, scores once.
  const [states, operands] = runtime ? [2, 4] : [1, 1];
  const decodeAttention =
    cg * gbs * (2 * states * h1 + 2 * operands * (s + n) * h1 + 2 * nh * (s + n));
  const cpuCache = runtime ? 4 * s * h1 * bls * l : cache;
  const workspaces = (tokens: number, attention: number): readonly [string, number][] => [
    ["qkv", 8 * gbs * tokens * h1],
    ["att1", attention],
    ["att2", attention],
    ["embed", 4 * gbs * tokens * h1],
    ["mlp", 2 * gbs * tokens * (h1 + h2)],
  ];
  const gpu = (phase: string, home: number, list: readonly [string, number][]): MemoryRow[] => {
    if (!runtime) {
      return list.map(([name, extra]) => row("gpu", `gpu_${phase}_${name}`, home + extra));
    }
    const total = list.filter(([name]) => name !== "att2").reduce((t, [, x]) => t + x, 0);
    return [row("gpu", `gpu_${phase}`, home + total)];
  };
  return [
    ...gpu("p", gpuPrefill, workspaces(s, prefillAttention * (runtime ? 1 : cg))),
    ...gpu("g", gpuDecode, workspaces(1, decodeAttention)),
    row(
      "cpu",
      "cpu_p",
      wc * w * l + hc * hidden * s + cc * cpuCache + (1 - wg) * w + 2 * (1 - hg) * s * h1 * gbs,
    ),
    row(
      "cpu",
      "cpu_g",
      wc * w * l +
        hc * hidden +
        cc * cache +
        wn * w +
        4 * hn * h1 * gbs +
        8 * cn * (s + n) * h1 * gbs +
        2 * nh * (s + n) * gbs +
        2 * h1 * gbs,
    ),
    row("disk", "disk", wn * w * l + hn * hidden * s + cn * cache),
  ];
}

function row(tier: MemoryRow["tier"], name: string, amount: number): MemoryRow {
  return { tier, name, bytes: bytes(amount) };
}

/** The capacity of a tier. */
export function capacityOf(machine: FlexGenMachine, tier: MemoryRow["tier"]): Bytes {
  switch (tier) {
    case "gpu":
      return machine.gpuMemory;
    case "cpu":
      return machine.cpuMemory;
    case "disk":
      return machine.diskMemory;
  }
}
