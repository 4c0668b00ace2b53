// SPDX-License-Identifier: Apache-2.0
// InstInfer's decode from 1024 to 2048 tokens, simulated every 256 tokens: a comparison with one
// scaled run at the mean length.

import { present } from "../../../base/present.ts";
import type { Table } from "../../../report/page.ts";
import { lines } from "../../experiment/chart.ts";
import type { SimulatedExperiment } from "../../experiment/experiment.ts";
import { between } from "../../experiment/internal-check.ts";
import { decodeLengths, meanOfDecode, type EngineLab, type EngineRun } from "./lab.ts";

const kinds = [
  [null, "dense"],
  [1 / 8, "SparF 1/8"],
] as const;

export function decodeOnEngine(lab: EngineLab): SimulatedExperiment {
  return {
    id: "instinfer/lengths",
    paper: "instinfer",
    title: "A decode from 1024 to 2048 tokens on the simulated device",
    run: async () => {
      const runs = await Promise.all(
        decodeLengths.flatMap((length) =>
          kinds.map(async ([ratio]) => lab.run({ ratio, flash: "znand4k", devices: 1, length })),
        ),
      );
      const of = (ratio: number | null): readonly EngineRun[] =>
        runs.filter((one) => one.ratio === ratio);
      return {
        findings: [],
        checks: kinds.map(([ratio, name]) => {
          const one = of(ratio).find(({ length }) => length === lab.length);
          return between(
            `${name}: mean over the decode over one run at the mean length`,
            meanOfDecode(of(ratio)) / present(one?.time),
            "x",
            [0.9, 1.1],
            "figures 12 to 17 take the mean of all lengths",
          );
        }),
        blocks: [
          tableOf(lab, runs),
          lines(
            {
              id: "decode-lengths",
              caption: `Time of a layer's ${lab.heads} heads per token of the cache, one device with Z-NAND.`,
              xTitle: "tokens",
              yTitle: "time a token",
              unit: "ns",
            },
            runs.map(({ ratio, length, time }) => ({
              x: length,
              y: (1e9 * time) / length,
              series: kinds.find(([kind]) => kind === ratio)?.[1] ?? "",
            })),
          ),
        ],
        timeline: [],
      };
    },
  };
}

function tableOf(lab: EngineLab, runs: readonly EngineRun[]): Table {
  const micros = (length: number, kind: number | null): number =>
    1e6 * present(runs.find((one) => one.length === length && one.ratio === kind)?.time);
  return {
    kind: "table",
    id: "decode-lengths-table",
    caption: `A layer of ${lab.heads} heads, 16 in flight, as the caches grow.`,
    columns: [
      { key: "length", title: "tokens" },
      { key: "dense", title: "dense", unit: "us", source: "measured", digits: 5 },
      { key: "sparse", title: "SparF 1/8", unit: "us", source: "measured", digits: 5 },
      { key: "gain", title: "SparF over dense", unit: "x", source: "derived", digits: 4 },
      { key: "different", title: "values unlike golden", source: "measured" },
    ],
    rows: decodeLengths.map((length) => ({
      length,
      dense: micros(length, null),
      sparse: micros(length, 1 / 8),
      gain: micros(length, null) / micros(length, 1 / 8),
      different: runs
        .filter((one) => one.length === length)
        .reduce((all, { different }) => all + different, 0),
    })),
  };
}
