// SPDX-License-Identifier: Apache-2.0
// Valid inputs of `sweep` and `explore`. Separate processes run the points, so they are slow and
// sampled rarely. Without synthesis, an exploration ends after it has read its files.

import type { ValidInput } from "../input.ts";
import { yaml } from "./documents.ts";
import { attentionScenario, expertScenario } from "./run.ts";

const base = yaml({ ...expertScenario, fidelity: "analytic", tokens: [1] });

const sweep = (name: string, points: object, weight: number): ValidInput => ({
  command: "sweep",
  name,
  outputs: ["out.duckdb", "rows.csv"],
  weight,
  words: ["w.yaml", "--out", "out.duckdb", "--export", "rows.csv", "--workers", "1", "--json"],
  files: {
    "w.yaml": yaml({ name: "small", scenario: "s.yaml", fidelity: "analytic", ...points }),
    "s.yaml": base,
  },
  own: /^(runs(\/|$)|[^/]+\.(html|duckdb)$)/,
});

const objectives = [{ metric: "time" }, { metric: "bandwidth", largest: true }];

const explore = (unit: string, scenario: object, space: object): ValidInput => ({
  command: "explore",
  name: unit,
  outputs: ["out.duckdb"],
  weight: 0.4,
  code: 3,
  words: ["x.yaml", "--out", "out.duckdb", "--json"],
  files: {
    "x.yaml": yaml({
      name: "small",
      scenario: "s.yaml",
      unit,
      space,
      atMost: { denseError: 0.9 },
      search: { initial: 2, iterations: 1, seed: 1 },
    }),
    "s.yaml": yaml(scenario),
  },
  own: /^[^/]+\.(html|duckdb)$/,
});

export const sweepInputs: readonly ValidInput[] = [
  sweep(
    "a grid",
    { grid: { "ndp.queueBursts": [8, 16], tokens: [[1], [2]] }, objectives, fidelity: "cycle" },
    0.4,
  ),
  sweep("a list", { list: [{ "expert.hidden": 8 }, { "expert.hidden": 9 }] }, 0.3),
  sweep(
    "a sample",
    {
      random: { count: 2, seed: 5, of: { "expert.hidden": { from: 8, to: 32, log: true } } },
    },
    0.3,
  ),
  {
    ...sweep("resumed", { grid: { tokens: [[1]] } }, 0.2),
    code: 2,
    words: [
      ...["w.yaml", "--resume", "--executor", "local", "--points-per-task", "2"],
      ...["--sbatch", "--partition=x"],
    ],
  },
  explore("ndp", expertScenario, { "ndp.queueBursts": [8, 16] }),
  explore("csd", attentionScenario, { "attention.channels": [1, 2] }),
];

/** `--resume` with existing results. */
export function resumeInput(results: Uint8Array): ValidInput {
  return {
    ...sweep("results are there", { list: [{ "expert.hidden": 8 }, { "expert.hidden": 9 }] }, 0.3),
    words: ["w.yaml", "--out", "out.duckdb", "--resume", "--json"],
    files: {
      "w.yaml": yaml({
        name: "small",
        scenario: "s.yaml",
        fidelity: "analytic",
        list: [{ "expert.hidden": 8 }, { "expert.hidden": 9 }],
      }),
      "s.yaml": base,
      "out.duckdb": { kind: "bytes", bytes: results },
    },
  };
}
