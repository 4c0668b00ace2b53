// SPDX-License-Identifier: Apache-2.0
// TriMoE, sections 1 to 4: the distribution and the predictability of experts' loads (figure 3), the
// performance of devices over tokens (figure 5), and the numbers of the text on which the design is
// based.

import { curveTime } from "../../../machine/host/curve.ts";
import { gpus } from "../../../machine/host/devices.ts";
import { expertBytes, modelShape } from "../../../workload/shapes.ts";
import { paperMachine } from "../model/machine.ts";
import { linkRound, publishedMigration } from "../policy/migration.ts";
import { initialPlacement, residentLimit } from "../policy/placement.ts";
import { accuracyOf, driftOfAccuracy, accuracyTrace } from "../model/accuracy.ts";
import { publishedAlpha } from "../../../lm/moe/predictor.ts";
import { publishedAccuracy } from "./setting.ts";
import { hottest, loadShares, scheduledClasses } from "../model/shares.ts";
import { coldLimit } from "../../../lm/moe/expert-classes.ts";
import { driftingLoads, geometric, publishedDrift, zipf, type Drift } from "../model/trace.ts";
import { transferTime } from "../../../base/units.ts";
import { present } from "../../../base/present.ts";
import { lines, type Datum } from "../../experiment/chart.ts";
import type { Experiment } from "../../experiment/experiment.ts";
import {
  explained,
  fitted,
  notComparable,
  compareNumber,
  type Finding,
  type Explanation,
} from "../../experiment/finding.ts";
import { models, resultOf, traceNote } from "./layer.ts";

const deepSeek = { experts: 160, perToken: 6, batch: 512 };
const qwen = { experts: 128, perToken: 8, batch: 512 };

const lawNote =
  "classes of the scheduler: an expert with up to six tokens is cold (a DIMM is fastest), the hottest 3 % are hot";

function classesTried(kind: "cold" | "warm"): readonly Explanation[] {
  const under = (drift: Partial<Drift>, routing = deepSeek): number =>
    100 * scheduledClasses(driftingLoads(routing, { ...publishedDrift, ...drift }, 40, 1))[kind];
  return [
    { what: "Qwen3-235B", value: under({}, qwen) },
    { what: "batch 256", value: under({}, { ...deepSeek, batch: 256 }) },
    { what: "experts more skewed (lam 10.5)", value: under({ law: geometric(10.5) }) },
    { what: "popularity by Zipf, s = 1.6", value: under({ law: zipf(1.6) }) },
  ];
}

export const figure3: Experiment = {
  id: "trimoe/figure-3",
  paper: "trimoe",
  title: "Expert heterogeneity, and how well it can be predicted",
  run: () => {
    const trace = accuracyTrace(driftOfAccuracy(publishedDrift, publishedAccuracy));
    const shares = loadShares(trace);
    const classes = scheduledClasses(trace);
    const accuracy = [0.1, 0.2, 0.3, 0.4, 0.6, 0.8, 1].map((x): Datum => ({
      x,
      series: "DeepSeek-V2",
      y: accuracyOf(trace, x),
    }));
    const atChosen = present(accuracy.find((d) => d.x === publishedAlpha)?.y);
    return {
      findings: [
        fitted(
          "share of tokens of the coldest 70 % of experts",
          "8",
          100 * shares.rest70,
          "%",
          "this number sets the skew of the generator (lam 8.5)",
        ),
        compareNumber("share of tokens of the next 27 %", {
          published: "at most 70",
          ours: 100 * shares.next27,
          unit: "%",
          kind: "C",
        }),
        explained(
          compareNumber("cold experts, of all", {
            published: "above 70",
            ours: 100 * classes.cold,
            unit: "%",
            kind: "S",
            note: lawNote,
          }),
          classesTried("cold"),
        ),
        explained(
          compareNumber("warm experts, of all", {
            published: "20 to 40",
            ours: 100 * classes.warm,
            unit: "%",
            kind: "S",
            note: lawNote,
          }),
          classesTried("warm"),
        ),
        fitted(
          "accuracy of the EMA at alpha 0.3",
          "78",
          100 * atChosen,
          "%",
          "this number sets the scale of the noise of the generator",
        ),
      ],
      blocks: [
        lines(
          {
            id: "accuracy",
            caption: "Accuracy of the predictor against alpha.",
            xTitle: "alpha",
            yTitle: "accuracy",
            unit: "1",
          },
          accuracy,
        ),
      ],
      timeline: [],
    };
  },
};

const tera = 1e12;
const gpuPeak = 819.6 * tera;

/** Rates of the assumed curves for an expert in the device's memory, in TFLOPS. */
function ratesOver(tokens: readonly number[]): readonly Datum[] {
  const machine = paperMachine();
  const rate = (load: number, time: number): number => (load * machine.curveBytes) / time / tera;
  return tokens.flatMap((x) => [
    { x, series: "GPU, resident", y: rate(x, curveTime(machine.gpu, x)) },
    {
      x,
      series: "GPU, over PCIe",
      y: rate(
        x,
        Math.max(curveTime(machine.gpu, x), transferTime(machine.curveBytes, machine.pcie)),
      ),
    },
    { x, series: "CPU", y: rate(x, curveTime(machine.cpu, x)) },
    {
      x,
      series: "NDP unit",
      y: rate(
        x,
        Math.max(
          (x * machine.curveBytes) / machine.ndpRate,
          transferTime(machine.curveBytes, machine.ndpBandwidth),
        ),
      ),
    },
  ]);
}

const curveNote = "the fixed part of f_gpu was chosen near this number, but does not reach it";

export const figure5: Experiment = {
  id: "trimoe/figure-5",
  paper: "trimoe",
  title: "What GPU, CPU and an NDP unit reach over the tokens of an expert",
  run: () => {
    const { gpu, curveBytes } = paperMachine();
    const data = ratesOver([1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024]);
    const at = (series: string, x: number): number =>
      present(data.find((d) => d.series === series && d.x === x)?.y);
    const ofPeak = (x: number): number => (100 * curveBytes * x) / curveTime(gpu, x) / gpuPeak;
    return {
      findings: [
        explained(
          fitted("the GPU's share of its peak with 256 tokens", "30", ofPeak(256), "%", curveNote),
          [{ what: "320 tokens", value: ofPeak(320) }],
        ),
        fitted(
          "AMX with 128 tokens",
          "10 to 40",
          at("CPU", 128),
          "TFLOPS",
          "the ends of this range set the fixed part and the rate of f_cpu",
        ),
      ],
      blocks: [
        lines(
          {
            id: "figure-5",
            caption:
              "Rate against tokens of an expert, from the assumed curves; the paper draws measured ones and prints no point of them.",
            xTitle: "tokens",
            yTitle: "rate",
            unit: "TFLOPS",
            logX: true,
            logY: true,
          },
          data,
        ),
      ],
      timeline: [],
    };
  },
};

interface WarmOnNdp {
  readonly model?: string;
  readonly batch?: number;
  readonly drift?: Partial<Drift>;
  /** Whether cold experts are those of up to six tokens; the coldest 70 % otherwise. */
  readonly byTokens?: boolean;
}

/**
 * Time of the busiest DIMM with every expert that is not hot over that with cold experts alone, which are
 * the coldest 70 % as section 3.1 has them.
 */
function warmOnNdp({
  model = "qwen3-235b-a22b",
  batch = 512,
  drift = {},
  byTokens = false,
}: WarmOnNdp = {}): number {
  const { experts } = modelShape(model, "section 3.1");
  const routing = { experts: experts?.routed ?? 0, perToken: experts?.perToken ?? 0, batch };
  const { dimms } = paperMachine();
  const steps = driftingLoads(routing, { ...publishedDrift, ...drift }, 40, 1);
  const busiest = (loads: readonly number[], most: number): number => {
    const coldLoads = loads.map((load) => (load <= most ? load : 0));
    const busy = new Array<number>(dimms).fill(0);
    initialPlacement(coldLoads, dimms, most).forEach(({ home }, e) => {
      // One token is bound by the memory, 1.67 tokens' worth of arithmetic.
      const load = present(coldLoads[e]);
      if (home !== null)
        busy[home] = present(busy[home]) + (load === 0 ? 0 : Math.max(load, 5 / 3));
    });
    return Math.max(...busy);
  };
  const sum = steps.reduce((total, step) => {
    const loads = [...step];
    const cold = byTokens ? coldLimit : hottest(loads, 0.3) - 1;
    return total + busiest(loads, hottest(loads) - 1) / busiest(loads, cold);
  }, 0);
  return sum / steps.length;
}

function memoryFindings(): readonly Finding[] {
  const shapes = models.map((name) => modelShape(name, "section 2.2"));
  const inHost = shapes.map(
    (shape) => 100 * (1 - residentLimit(shape) / (shape.experts?.routed ?? 1)),
  );
  const weights = 236e9 * 2;
  const needed = (share: number): number => Math.ceil(weights / (share * gpus["h100-80"].memory));
  return [
    explained(
      compareNumber("expert weights in host memory, least of the models", {
        published: "above 90",
        ours: Math.min(...inHost),
        unit: "%",
        kind: "S",
        note: "GPU memory stores a larger share of GLM-4.5-Air; the text is about models in general",
      }),
      shapes.map((shape, i) => ({ what: shape.title, value: present(inHost[i]) })),
    ),
    explained(
      compareNumber("H100s that hold DeepSeek-V2 at 90 % of their memory", {
        published: "at least 7",
        ours: needed(0.9),
        unit: "1",
        kind: "S",
      }),
      [{ what: "all of the memory", value: needed(1) }],
    ),
  ];
}

/** Statements of the text that do not follow from its inputs. */
function incomparable(): readonly Finding[] {
  const size = expertBytes(modelShape("deepseek-v2", "section 4.1"));
  const { dimmHostBandwidth, hostBandwidth } = paperMachine();
  const byCpu = transferTime(size, dimmHostBandwidth) + transferTime(size, hostBandwidth);
  const round = linkRound(publishedMigration, size, 16);
  return [
    notComparable(
      "moves over DIMM-Link over those by the CPU, of four experts, by bandwidths",
      "62",
      (round.experts * byCpu) / round.time,
      "x",
      "the cost of a move by the CPU, other than its bandwidths, is not published",
    ),
    notComparable(
      "AMX of a Xeon 8470: 52 cores x 1024 x 2.0 GHz",
      "90.1",
      (52 * 1024 * 2.0e9) / tera,
      "TFLOPS",
      "the published rate is that of LIA's Xeon (40 cores at 2.2 GHz); our number uses cores and clock of the data sheet of the Xeon 8470",
    ),
  ];
}

export const section3: Experiment = {
  id: "trimoe/section-3",
  paper: "trimoe",
  title: "What the text says of warm experts, of memory and of moves",
  run: () => {
    const model = "qwen3-235b-a22b";
    const share = (options: Parameters<typeof resultOf>[4] = {}): number =>
      100 * resultOf("GPU-NDP", model, 512, false, options).use.gpu;
    return {
      findings: [
        compareNumber("section 3.1: GPU-NDP's GPU computes, Qwen3-235B at batch 512", {
          published: "below 8.6",
          ours: share(),
          unit: "%",
          kind: "S",
        }),
        explained(
          compareNumber(
            "section 3.1: time of the NDP units with warm experts over cold ones alone, Qwen3-235B at batch 512",
            { published: "7", ours: warmOnNdp(), unit: "x", kind: "S", note: traceNote },
          ),
          [
            {
              what: "cold experts have up to six tokens, as in the scheduler",
              value: warmOnNdp({ byTokens: true }),
            },
            { what: "batch 256", value: warmOnNdp({ batch: 256 }) },
            { what: "DeepSeek-V2", value: warmOnNdp({ model: "deepseek-v2" }) },
            {
              what: "popularity by Zipf, s = 1.6",
              value: warmOnNdp({ drift: { law: zipf(1.6) } }),
            },
          ],
        ),
        ...memoryFindings(),
        ...incomparable(),
      ],
      blocks: [],
      timeline: [],
    };
  },
};
