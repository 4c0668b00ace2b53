// SPDX-License-Identifier: Apache-2.0
// LIA: ratios and shares that follow from printed operands.

import { fact, type Fact } from "../../experiment/fact.ts";
import { decoderBytes, gib } from "../../experiment/sizes.ts";

type Row = readonly [
  name: string,
  where: string,
  what: string,
  printed: readonly [number | null, string, number],
  value: () => number,
];

/** Table 3: output tokens; throughput without CXL, with it, and at the enlarged batch. */
const throughputs = [
  [32, 280.38, 280.5, 406.88],
  [64, 293.5, 292.7, 386.19],
  [128, 282.86, 284.93, 297.93],
  [256, 233.36, 235.7, 242.95],
] as const;

const model = "opt-30b";
/** One kind of sublayer, two of 24 d^2 bytes, over all layers. */
const kind = decoderBytes(model) / 12;

const rows: readonly Row[] = [
  ...throughputs.flatMap(([output, plain, cxl, enlarged]): readonly Row[] => [
    [
      `cxl-${output}`,
      "table 3",
      `throughput with parameters in CXL over without, Lout=${output}`,
      [1, "1", 0.011],
      () => cxl / plain,
    ],
    [
      `gain-${output}`,
      "table 3",
      `throughput at the enlarged batch over B=900, Lout=${output}`,
      [null, "1", 0],
      () => enlarged / plain,
    ],
  ]),
  [
    "policy-1",
    "section 7.4",
    "LIA's policy over FlexGen's, OPT-30B B=1: 31.07 / 5.05",
    [6.2, "1", 0.01],
    () => 31.07 / 5.05,
  ],
  [
    "policy-64",
    "section 7.4",
    "LIA's policy over FlexGen's, OPT-30B B=64: 84.80 / 24.00",
    [3.5, "1", 0.01],
    () => 84.8 / 24,
  ],
  [
    "resident-bytes",
    "section 5.2",
    "GPU memory of 30 resident OPT-30B layers",
    [35, "GiB", 0.02],
    () => (30 * decoderBytes(model)) / 48 / gib,
  ],
  [
    "flexgen-share",
    "section 5.2",
    "share of OPT-30B sublayers that FlexGen keeps resident: 7 of 12",
    [58, "%", 0.01],
    () => (100 * 7) / 12,
  ],
  [
    "flexgen-bytes",
    "section 5.2",
    "GPU memory of FlexGen's resident sublayers, OPT-30B",
    [32, "GiB", 0.01],
    () => (7 * kind) / gib,
  ],
  [
    "smallest-transfer",
    "section 6",
    "smallest parameter transfer, one OPT-175B sublayer (2 d^2)",
    [300, "MB", 0.01],
    () => (2 * 12288 ** 2) / 1e6,
  ],
  [
    "two-expanders",
    "section 6",
    "two CXL expanders of 17 GB/s over PCIe 4.0 x16",
    [null, "1", 0],
    () => (2 * 17) / 32,
  ],
  [
    "p100-gemm",
    "section 4.1",
    "P100 GEMM implied by SPR 20 TFLOPS = 2.4x",
    [null, "TFLOPS", 0],
    () => 20 / 2.4,
  ],
  [
    "h100-gemm",
    "section 4.1",
    "H100 GEMM implied by SPR 20 TFLOPS = 4 %",
    [null, "TFLOPS", 0],
    () => 20 / 0.04,
  ],
  [
    "avx-gemm",
    "section 4.1",
    "AVX512 GEMM implied by SPR AMX = 4.5x",
    [null, "TFLOPS", 0],
    () => 20 / 4.5,
  ],
  ["gnr-gemm", "section 4.1", "GNR AMX GEMM at 2.4 times SPR", [null, "TFLOPS", 0], () => 20 * 2.4],
  ...(
    [
      ["P100", 0.41],
      ["V100", 0.34],
      ["A100", 0.2],
      ["H100", 0.15],
    ] as const
  ).map(([gpu, share]): Row => [
    `${gpu.toLowerCase()}-bandwidth`,
    "section 4.2",
    `${gpu} bandwidth implied by SPR 260 GB/s and its relative bandwidth`,
    [null, "GB/s", 0],
    () => 260 / share,
  ]),
  [
    "system-cost",
    "section 7.8",
    "system cost of GNR-A100 over DGX-A100: $22,000 / $200,000",
    [10, "%", 0.11],
    () => (100 * 22_000) / 200_000,
  ],
];

export const liaRatios: readonly Fact[] = rows.map(
  ([name, where, what, [published, unit, tolerance], value]) =>
    fact("lia", name, { where, what, published, unit, tolerance, value }),
);
