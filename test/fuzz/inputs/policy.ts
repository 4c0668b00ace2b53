// SPDX-License-Identifier: Apache-2.0
// Sound inputs of `policy solve` (a file a model, each with its smallest cases), `policy layer` and
// `calibrate`.

import type { ValidInput } from "../input.ts";
import { treeOf } from "../tree.ts";
import { json, yaml } from "./documents.ts";
import { cpuDevice, gpuDevice } from "./plan.ts";

const flexgenHost = {
  gmem: 16e9,
  cmem: 200e9,
  nmem: 1.6e12,
  ctog_bdw: 13e9,
  gtoc_bdw: 5e9,
  dtoc_bdw: 2e9,
  ctod_bdw: 1e9,
  mm_flops: 21e12,
  bmm_flops: 10e12,
  cpu_flops: 12e9,
};
const block = { variant: "paper", hardware: "h", model: "m", s: 64, n: 16, mem_relax: 1 };
const curve = [
  [1, 3e-5],
  [16, 4e-5],
  [256, 1e-4],
];
const layer = {
  hardware: "h",
  max_iterations: 100,
  W: 4e7,
  experts: [
    [0, 41, "s", null, 0],
    [1, 14, "l", 2, 0],
    [2, 7, "s", null, 1],
  ],
};
const values = Array.from({ length: 18 }, (_, i) => (i - 7) / 4);
const heads = { L: 32, residual: "hidden", d_model: 512, system: "a" };
const routing = { n_routed: 8, top_k: 2, batch: 8, lam: 2 };

const families: Readonly<Record<string, object>> = {
  lia_policy: {
    systems: { a: { bw_pcie: 3e10, bw_cpu: 3e11, bw_gpu: 1e12, th_cpu: 2e13, th_gpu: 3e14 } },
    cases: [
      { kind: "optimum", stage: "decode", B: 8, ...heads },
      { kind: "evaluate", stage: "prefill", B: 1, policy: "101101", ...heads },
      { kind: "threshold", stage: "decode", scan: "n = 1..40; B = n", ...heads },
    ],
  },
  flexgen_policy: {
    hardware: { h: flexgenHost },
    models: { m: { l: 4, h1: 512, h2: 2048, nh: 8 } },
    gbs_grid: [4, 8],
    nb_grid: [1, 2],
    cases: [
      { kind: "policy_search", hn_fixed_zero: false, ...block },
      { kind: "evaluate", gbs: 4, nb: 2, placement: [0.5, 0.5, 0, 0, 1, 0, 0, 1, 0], ...block },
      { kind: "schedule_io", model: "m", s: 8, n: 4, bls: 4, cmem: 4e9 },
    ],
  },
  trimoe_schedule: {
    hardware: {
      h: {
        n_dimm: 4,
        host_bw: 3e11,
        dimm_host_bw: 4e10,
        pcie_bw: 6e10,
        ndp_flops: 2e11,
        ndp_bw: 1e11,
        table_W: 4e7,
        f_gpu: curve,
        f_cpu: curve,
      },
    },
    cases: [
      { kind: "schedule_small", ...layer },
      { kind: "schedule_layer", ...layer },
      {
        kind: "abstract",
        n_dimm: 2,
        assignment: "GN",
        experts: [
          { t_gpu: 18, t_cpu: 10, t_ndp: 16, home: 1, gpu_service: [0, 0], cpu_service: [0, 8] },
          { t_gpu: 3, t_cpu: 4, t_ndp: 5, home: 0, gpu_service: [1, 0], cpu_service: [0, 1] },
        ],
      },
      { kind: "ema", alpha: 0.5, initial: [1, 3], loads: [[3, 3]] },
    ],
  },
  group_quant: {
    cases: [
      { kind: "vector", bits: 4, group_size: 6, values },
      { kind: "exact_ties", bits: 3, group_size: 9, values },
      { kind: "ragged_tail", bits: 8, group_size: 8, values },
      { kind: "tensor", bits: 4, group_size: 3, shape: [2, 3, 3], group_dim: 1, values },
    ],
  },
  expert_trace: {
    cases: [
      { kind: "static", ...routing },
      { kind: "dynamic", rho: 0.9, sigma_level: 0.3, sigma_obs: 0.8, ...routing },
    ],
  },
  paper_arithmetic: {
    cases: [
      {
        kind: "trimoe",
        where: "table 1",
        what: "NDP bandwidth: 4 ranks x 38.4",
        unit: "GB/s",
        published: 153.6,
        inputs: {},
      },
      { kind: "lia", where: "none", what: "none", published: 3.25, inputs: { a: 6, b: 2 } },
      {
        kind: "lia",
        where: "none",
        what: "an overlap",
        published: null,
        inputs: { cpu: 1, gpu: 2, com: 3 },
      },
    ],
  },
  dse_init: {
    cases: [
      { kind: "space", space: { sc: [1, 2, 3], dc: [4, 8] } },
      {
        kind: "memory",
        x: [7, 8, 18, 80, 50, 132, 256, 4, 16, 32, 6, 8, 18, 80, 50, 1, 2, 4, 6, 3],
      },
      {
        kind: "mci_groups",
        t: 4,
        u: 2,
        configs: Array.from({ length: 6 }, (_, i) => [1 + i, 4, 40, 2, 8, 64 + i]),
      },
      {
        kind: "ted",
        kernel: [
          [1, 0.4, 0.3],
          [0.4, 1, 0.5],
          [0.3, 0.5, 1],
        ],
        mu: 1,
        select: 2,
      },
    ],
  },
  ehvi: {
    cases: [
      {
        kind: "hypervolume",
        points: [
          [1, 9],
          [5, 2],
        ],
        reference: [10, 10],
      },
      { kind: "ehvi", points: [[1, 9]], reference: [10, 10], mean: [3, 3], std: [1, 0.5] },
      {
        kind: "argmax",
        points: [
          [1, 9],
          [5, 2],
        ],
        reference: [10, 10],
        candidates: [
          { mean: [2, 1], std: [1, 2] },
          { mean: [1, 2], std: [1, 0] },
        ],
      },
      {
        kind: "adrs",
        reference_front: [
          [1, 2],
          [2, 1],
        ],
        approximate_set: [[2, 2]],
      },
    ],
  },
};

const solve = Object.entries(families).map(([oracle, body]): ValidInput => {
  const { cases, ...header } = body as { readonly cases: readonly object[] };
  const named = cases.map((one, i) => ({ id: `case-${String(i)}`, ...one }));
  return {
    command: "policy solve",
    name: oracle,
    outputs: ["out.json"],
    words: ["cases.json", "--out", "out.json", "--json"],
    files: { "cases.json": json({ oracle, version: 1, ...header, cases: named }) },
  };
});

const steps = [0, 1].flatMap((step) =>
  [3, 8, 100].flatMap((expert) => [0, 7].map((l) => [step, l, expert, 1 + ((7 * expert) % 40)])),
);
const layerWords = ["t.csv", "--model", "deepseek-v2"];

const layers: readonly ValidInput[] = [
  {
    command: "policy layer",
    name: "CSV",
    words: [...layerWords, "--json"],
    outputs: [],
    files: {
      "t.csv": {
        kind: "csv",
        rows: [["step", "layer", "expert", "tokens"], ...steps.map((row) => row.map(String))],
      },
    },
  },
  {
    command: "policy layer",
    name: "JSON lines, devices",
    outputs: [],
    words: [...layerWords, "--gpu", "gpu.yaml", "--cpu", "cpu.yaml"],
    files: {
      "t.csv": {
        kind: "text",
        text: steps
          .map(([step, l, expert, tokens]) => JSON.stringify({ step, layer: l, expert, tokens }))
          .join("\n"),
      },
      "gpu.yaml": yaml(gpuDevice),
      "cpu.yaml": yaml(cpuDevice),
    },
  },
  {
    command: "policy layer",
    name: "simulated",
    outputs: [],
    weight: 0.1,
    words: [...layerWords, "--fidelity", "cycle", "--json"],
    files: {
      "t.csv": {
        kind: "csv",
        rows: [
          ["step", "layer", "expert", "tokens"],
          ["0", "0", "3", "2"],
          ["0", "0", "9", "1"],
        ],
      },
    },
  },
];

const expertBytes = 3 * 4096 * 1536 * 2;
const measured = {
  format: "neardata-calibration",
  version: 1,
  device: { kind: "gpu", name: "Test card", memory_bytes: 80 * 2 ** 30, power_watts: 350 },
  software: { torch: "2.9.0", driver: "580.1", date: "2025-01-31" },
  expert: {
    hidden: 4096,
    intermediate: 1536,
    bytes: expertBytes,
    points: [1, 16, 256].map((tokens) => ({
      tokens,
      seconds: 15e-6 + (tokens * expertBytes) / 500e12,
    })),
  },
  rates: {
    gemm_flops_per_second: 600e12,
    gemv_bytes_per_second: 2.9e12,
    memory_bytes_per_second: 3e12,
  },
  link: { to_device_bytes_per_second: 55e9, to_host_bytes_per_second: 54e9 },
};

const calibrations: readonly ValidInput[] = [
  {
    command: "calibrate",
    name: "a card",
    words: ["m.json", "--json"],
    outputs: [],
    files: { "m.json": { kind: "json", tree: treeOf(measured) } },
  },
  {
    command: "calibrate",
    name: "a host",
    outputs: ["d.yaml"],
    words: [
      ...["m.json", "--out", "d.yaml", "--title", "A host"],
      ...["--memory", "512 GiB", "--power", "330 W"],
    ],
    files: {
      "m.json": json({
        ...measured,
        device: { kind: "cpu", name: "C", memory_bytes: null, power_watts: null },
        link: null,
      }),
    },
  },
];

export const policyInputs: readonly ValidInput[] = [...solve, ...layers, ...calibrations];
