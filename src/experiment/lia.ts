// SPDX-License-Identifier: Apache-2.0
// LIA: where its policies change (figure 9, and mixtures of experts), what runs when (figure 7); and
// the list of its experiments.

import { endOf, runTasks } from "../host/timeline.ts";
import { liaMachines, type LiaMachineName as MachineName } from "../host/machines.ts";
import { layerTime, policyOf, policyText } from "../policy/lia/cost.ts";
import { decoderLayer, layerOf, plainShape, type Stage } from "../policy/lia/layer.ts";
import { optimum, switches } from "../policy/lia/optimum.ts";
import { layerTasks } from "../policy/lia/timeline.ts";
import type { Span } from "../report/perfetto.ts";
import { choices, gantt, spansOf, type Cell, type Track } from "./chart-map.ts";
import { bars } from "./chart.ts";
import type { Experiment } from "./experiment.ts";
import { fitted, printed, same, stated } from "./finding.ts";
import { energy, memory, multiGpu } from "./lia-cost.ts";
import { figure10, figure11, otherModels, table6 } from "./lia-end-to-end.ts";
import { machine } from "./lia-run.ts";
import { table3, table4, table5 } from "./lia-tables.ts";
import { between } from "./own-check.ts";

/** Width of OPT-175B. */
const width = 12288;

function best(name: MachineName, stage: Stage, batch: number, length: number): string {
  const layer = decoderLayer({ stage, width, batch, length });
  return policyText(optimum(liaMachines[name], layer, "hidden").best.policy);
}

function switchOf(name: MachineName, stage: Stage, length: number): number {
  const found = switches(liaMachines[name], { stage, width, length }, "hidden", 1, 3000);
  return found[1]?.tokens ?? NaN;
}

/** The policies of figure 9 over batch and length. */
function policyMap(name: MachineName, stage: Stage): readonly Cell[] {
  const batches = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 900, 1200];
  const lengths = [32, 64, 128, 256, 512, 1024, 2048];
  return lengths.flatMap((y) => batches.map((x) => ({ x, y, choice: best(name, stage, x, y) })));
}

/** Three layers under the best policy, SPR-A100 and 256 tokens. */
function bestSpans(stage: Stage, batch: number): readonly Span[] {
  const layer = decoderLayer({ stage, width, batch, length: 256 });
  const policy = best("spr-a100", stage, batch, 256);
  const runs = runTasks(layerTasks(liaMachines["spr-a100"], layer, policyOf(policy), 3));
  return spansOf({ name: `${stage}, B ${batch}, ${policy}`, runs });
}

const figure9: Experiment = {
  id: "lia/figure-9",
  paper: "lia",
  title: "Best policies for OPT-175B",
  run: () => ({
    findings: [
      fitted(
        "decode switch, SPR-A100",
        858,
        switchOf("spr-a100", "decode", 128),
        "sequences",
        "PCIe 4.0 at 23.75 GB/s is set by this number; the prefill switch is what it then predicts",
      ),
      printed(
        "prefill switch B x L, SPR-A100",
        850,
        switchOf("spr-a100", "prefill", 32),
        "tokens",
        "C",
        "predicted with the same constant",
      ),
      same("decode, B = 64", "111111", best("spr-a100", "decode", 64, 256)),
      same("decode, B = 900", "011000", best("spr-a100", "decode", 900, 256)),
      same("prefill, B = 64, L = 256", "000000", best("spr-a100", "prefill", 64, 256)),
      same("prefill, B = 1, L = 256", "111111", best("spr-a100", "prefill", 1, 256)),
      stated(
        "H100 goes to the GPU earlier: switch over A100's",
        "earlier",
        switchOf("spr-h100", "decode", 128) / switchOf("spr-a100", "decode", 128),
        "1",
        [0, 1],
      ),
      same("Grace-Hopper, decode at B = 900", "000000", best("grace-hopper", "decode", 900, 256)),
    ],
    blocks: [
      ...(["spr-a100", "spr-h100"] as const).flatMap((name) =>
        (["prefill", "decode"] as const).map((stage) =>
          choices(
            {
              id: `figure-9-${name}-${stage}`,
              caption: `Best policy of ${stage}, ${name.toUpperCase()}; 1 is the CPU.`,
              xTitle: "batch",
              yTitle: stage === "prefill" ? "prompt" : "tokens in the cache",
            },
            policyMap(name, stage),
          ),
        ),
      ),
      bars(
        {
          id: "figure-9-switch",
          caption: "Batch at which decode leaves the CPU, by system.",
          xTitle: "system",
          yTitle: "batch",
          unit: "sequences",
        },
        (["avx512-a100", "spr-h100", "spr-a100", "gnr-h100", "gnr-a100"] as const).map((x) => ({
          x,
          series: "OPT-175B",
          y: switchOf(x, "decode", 128),
        })),
      ),
    ],
    timeline: (["decode", "prefill"] as const).flatMap((stage) =>
      [64, 900].flatMap((batch) => bestSpans(stage, batch)),
    ),
  }),
};

const mixtures: Experiment = {
  id: "lia/section-7-1",
  paper: "lia",
  title: "Policies of mixtures of experts",
  run: () => {
    const mixture = { ...plainShape(width), experts: { count: 8, perToken: 2 } };
    const at = (batch: number): string => {
      const layer = layerOf(mixture, { stage: "decode", batch, length: 256 });
      return policyText(optimum(liaMachines["spr-a100"], layer, "hidden").best.policy);
    };
    const batches = [64, 256, 512, 800, 900, 960, 1000, 1500, 2000, 3000, 3400, 4000];
    const dense = (batch: number): string => best("spr-a100", "decode", batch, 256);
    return {
      findings: [
        same("8 experts, 2 a token, decode at B = 1500", "011011", at(1500)),
        same("the same width without experts", "011000", dense(1500)),
      ],
      blocks: [
        choices(
          {
            id: "mixture-policies",
            caption: "Best policy of decode at OPT-175B's width, SPR-A100.",
            xTitle: "batch",
            yTitle: "layer",
          },
          batches.flatMap((x) => [
            { x, y: "8 experts, 2 a token", choice: at(x) },
            { x, y: "dense", choice: dense(x) },
          ]),
        ),
      ],
      timeline: [960, 1500].flatMap((batch) => {
        const layer = layerOf(mixture, { stage: "decode", batch, length: 256 });
        const runs = runTasks(layerTasks(liaMachines["spr-a100"], layer, policyOf(at(batch)), 3));
        return spansOf({ name: `8 experts, B ${batch}, ${at(batch)}`, runs });
      }),
    };
  },
};

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
  figure7,
  figure9,
  mixtures,
  figure10,
  figure11,
  table3,
  table4,
  table5,
  table6,
  otherModels,
  memory,
  energy,
  multiGpu,
];
