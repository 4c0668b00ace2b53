// SPDX-License-Identifier: Apache-2.0
// Files of policy cases: what has no bound or no meaning is refused at its place, and files that are
// changed anywhere are solved or refused.

import { changed, describeFormats, out, type Format } from "../../helpers/hostile-formats.ts";
import type { HostileFile } from "../../helpers/hostile.ts";

const lia = {
  oracle: "lia_policy",
  version: 1,
  systems: { a: { bw_pcie: 3e10, bw_cpu: 3e11, bw_gpu: 1e12, th_cpu: 2e13, th_gpu: 3e14 } },
  cases: [
    {
      id: "o",
      kind: "optimum",
      stage: "decode",
      B: 8,
      L: 32,
      residual: "hidden",
      d_model: 512,
      system: "a",
    },
    {
      id: "t",
      kind: "threshold",
      stage: "decode",
      scan: "n = 1..40",
      L: 32,
      residual: "hidden",
      d_model: 512,
      system: "a",
    },
  ],
};
const traces = {
  oracle: "expert_trace",
  version: 1,
  cases: [{ id: "s", kind: "static", n_routed: 8, top_k: 2, batch: 8, lam: 2 }],
};
const vectors = {
  oracle: "group_quant",
  version: 1,
  cases: [{ id: "v", kind: "vector", bits: 4, group_size: 4, values: [1, 2, 3, 5] }],
};
const fronts = {
  oracle: "ehvi",
  version: 1,
  cases: [{ id: "d", kind: "adrs", reference_front: [[1, 2]], approximate_set: [[2, 2]] }],
};
const figures = {
  oracle: "paper_arithmetic",
  version: 1,
  cases: [{ id: "f", kind: "lia", where: "", what: "x", published: 3, inputs: { a: 6, b: 2 } }],
};
const policyFile: HostileFile = { name: "cases.json", args: out("policy", "solve") };

const formats: readonly Format[] = [
  {
    title: "cases of offloading",
    file: policyFile,
    good: lia,
    refused: [
      [
        "an absurd link",
        changed(lia, "systems.a.bw_pcie", 1.2e29),
        /json: systems\.a\.bw_pcie: 1\.2e\+29 /,
      ],
      [
        "a rate of nearly nothing",
        changed(lia, "systems.a.th_gpu", 1e-320),
        /json: systems\.a\.th_gpu: /,
      ],
      [
        "an absurd width",
        changed(lia, "cases.0.d_model", 2 ** 53 - 1),
        /json: cases\[0\]\.d_model: /,
      ],
      [
        "a scan without end",
        changed(lia, "cases.1.scan", "n = 1..999999999999"),
        /cases\[1\]\.scan: .* 1000000/,
      ],
      ["a scan backwards", changed(lia, "cases.1.scan", "n = 9..1"), /cases\[1\]\.scan: /],
    ],
  },
  {
    title: "cases of activations",
    file: policyFile,
    good: traces,
    refused: [
      [
        "absurdly many experts",
        changed(traces, "cases.0.n_routed", 2 ** 31),
        /cases\[0\]\.n_routed: /,
      ],
      [
        "absurdly many tokens",
        changed(traces, "cases.0.batch", 1_000_000),
        /cases\[0\]\.batch: .* choices/,
      ],
    ],
  },
  {
    title: "cases of quantisation",
    file: policyFile,
    good: vectors,
    refused: [
      ["an absurd value", changed(vectors, "cases.0.values.0", 1e308), /cases\[0\]\.values\[0\]: /],
      [
        "very many values",
        changed(
          vectors,
          "cases.0.values",
          Array.from({ length: 200_000 }, () => 0),
        ),
        /cases\[0\]\.values: .* 65536/,
      ],
    ],
  },
  {
    title: "cases of search",
    file: policyFile,
    good: fronts,
    refused: [
      [
        "an objective of nearly 0",
        changed(fronts, "cases.0.reference_front.0.0", 1e-320),
        /cases\[0\]\.reference_front: /,
      ],
    ],
  },
  {
    title: "cases of published figures",
    file: policyFile,
    good: figures,
    refused: [["a division by 0", changed(figures, "cases.0.inputs.b", 0), /json: "f": .*numbers/]],
  },
];

describeFormats(formats);
