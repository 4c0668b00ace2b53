// SPDX-License-Identifier: Apache-2.0
// LIA: timelines (figure 7), and the list of its experiments.

import { endOf, runTasks } from "../../../base/timeline.ts";
import { layerTime, policyOf } from "../model/cost.ts";
import { decoderLayer, type Stage } from "../model/layer.ts";
import { layerTasks } from "../model/timeline.ts";
import { gantt, spansOf, type Track } from "../../experiment/chart-map.ts";
import type { Experiment } from "../../experiment/experiment.ts";
import { energy, multiGpu } from "./cost.ts";
import { memory } from "./cxl.ts";
import { figure10, figure11 } from "./end-to-end.ts";
import { figure13, table6 } from "./granite.ts";
import { otherModels, otherSystems } from "./other.ts";
import { figure9, mixtures } from "./policies.ts";
import { machine } from "./run.ts";
import { severalGpus } from "./several-gpus.ts";
import { streamed } from "./streamed.ts";
import { table3, table4, table5 } from "./tables.ts";
import { figure5 } from "./throughput.ts";
import { figure1, figure3, figure4 } from "./transfers.ts";
import { between } from "../../experiment/internal-check.ts";

const figure7: Experiment = {
  id: "lia/figure-7",
  paper: "lia",
  title: "A decoder layer with overlapping, OPT-30B",
  run: () => {
    const layers = 6;
    const rates = machine("spr-a100");
    const track = (stage: Stage, batch: number, policy: string): Track & { formula: number } => {
      const layer = decoderLayer({ stage, width: 7168, batch, length: 256 });
      const bits = policyOf(policy);
      const { cpu, gpu, transfer } = layerTime(rates, layer, bits);
      return {
        name: `${stage} ${policy}`,
        runs: runTasks(layerTasks(rates, layer, bits, layers)),
        formula: layers * (cpu + Math.max(gpu, transfer)),
      };
    };
    const decode = track("decode", 900, "011000");
    const prefill = track("prefill", 64, "000000");
    return {
      findings: [],
      checks: [decode, prefill].map(({ name, runs, formula }) =>
        between(
          `${name}: timeline of ${layers} layers over CPU + max(GPU, link)`,
          endOf(runs) / formula,
          "1",
          [0.5, 1.35],
          "tables 4 and 5 fit the sum; here loads also run under the CPU's sublayers",
        ),
      ),
      blocks: [
        gantt(
          {
            id: "figure-7",
            caption:
              "S1 to S6 are sublayers, transfers are operands, activations and new caches; decode B = 900, prefill B = 64.",
          },
          [decode, prefill],
          ({ id }) => /S\d/.exec(id)?.[0] ?? "transfer",
        ),
      ],
      timeline: [decode, prefill].flatMap(spansOf),
    };
  },
};

export const liaExperiments: readonly Experiment[] = [
  figure1,
  figure3,
  figure4,
  streamed,
  figure5,
  figure7,
  memory,
  figure9,
  mixtures,
  figure10,
  figure11,
  table3,
  table4,
  table5,
  energy,
  table6,
  figure13,
  otherModels,
  multiGpu,
  otherSystems,
  severalGpus,
];
