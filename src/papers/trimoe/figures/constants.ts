// SPDX-License-Identifier: Apache-2.0
// The sensitivity of TriMoE's gain to the two time curves that the paper measured and does not print,
// to the law and drift of the synthetic traces, and to the assumptions about its scheduler.

import { present } from "../../../base/present.ts";
import { modelShape } from "../../../workload/shapes.ts";
import { assumedCurves, type AssumedCurves } from "../model/machine.ts";
import { publishedMigration } from "../policy/migration.ts";
import { residentLimit } from "../policy/placement.ts";
import { publishedAlpha } from "../../../lm/moe/predictor.ts";
import { coldLimit, hotShare } from "../../../lm/moe/expert-classes.ts";
import { geometric, publishedDrift } from "../model/trace.ts";
import { bytesPerSecond, seconds } from "../../../base/units.ts";
import type { Experiment } from "../../experiment/experiment.ts";
import { gainOver, strictBaselines } from "./end-to-end.ts";
import { study, type LayerStudy } from "./run.ts";
import { publishedAccuracy, setting } from "./setting.ts";
import {
  assumedQuarter,
  constantsExperiment,
  quarter,
  type Constant,
} from "../../experiment/headline.ts";

const model = "deepseek-v2";
/** Half of a figure's: the chart makes some fifty runs. */
const steps = 24;

function gain(change: Partial<LayerStudy>): number {
  const what = { ...setting, model, batch: 512, relayout: true, steps, ...change };
  const results = study(what, [...strictBaselines, "TriMoE"]);
  return gainOver(new Map([...results].map(([name, { time }]) => [name, time])), strictBaselines);
}

/** The limit that balances the layer. */
function balancedLimit(): number {
  const results = study({ ...setting, model, batch: 512, relayout: true, steps }, ["TriMoE"]);
  return present(results.get("TriMoE")?.cold);
}

const skew = 8.5;
/** GPU memory, a share of which is for experts. */
const gpuMemory = 80 * 2 ** 30;

function curve(
  name: string,
  key: keyof AssumedCurves,
  [unit, size]: readonly [string, number],
  range: readonly [number, number],
  source: string,
): Constant {
  return {
    name,
    unit,
    value: assumedCurves[key] / size,
    range,
    source,
    run: (x) => gain({ machine: { curves: { [key]: x * size } } }),
  };
}

const constantsOf = (balanced: number): readonly Constant[] => [
  curve("f_gpu, fixed part", "gpuFixed", ["us", 1e-6], quarter(32.2), assumedQuarter),
  curve(
    "f_gpu, rate",
    "gpuRate",
    ["TFLOPS", 1e12],
    [500, 819.6],
    "LIA measured 500 on an H100 (section 4.1); the peak of table 1 (the data sheet has 756.5)",
  ),
  curve("f_cpu, fixed part", "cpuFixed", ["us", 1e-6], quarter(27.9), assumedQuarter),
  curve(
    "f_cpu, rate",
    "cpuRate",
    ["TFLOPS", 1e12],
    [20, 72],
    "LIA measured 20 on SPR (section 4.1); 72 is assumed: four fifths of table 1's peak",
  ),
  curve(
    "f_cpu, weights arrive in",
    "cpuFloor",
    ["us", 1e-6],
    [122.9, 189.7],
    "307.2 GB/s of table 1; 199 GB/s of products in LIA section 4.2",
  ),
  {
    name: "PCIe",
    unit: "GB/s",
    value: 64,
    range: [47.5, 64],
    source: "nominal; LIA's share of it",
    run: (x) => gain({ machine: { rates: { pcie: bytesPerSecond(x * 1e9) } } }),
  },
  {
    name: "what a DIMM gives the host",
    unit: "GB/s",
    value: 38.4,
    range: [19.2, 38.4],
    source: "two DIMMs share a channel: all of it, or half",
    run: (x) => gain({ machine: { rates: { dimmHostBandwidth: bytesPerSecond(x * 1e9) } } }),
  },
  {
    name: "skew of the trace (lam)",
    unit: "1",
    value: skew,
    range: [7, 10],
    source: "assumed; 8.5 leaves the coldest 70 % of experts the printed 8 % of tokens",
    run: (x) => gain({ drift: { law: geometric(x) } }),
  },
  {
    name: "accuracy of the predictor",
    unit: "1",
    value: publishedAccuracy,
    range: [publishedAccuracy, 0.83],
    source: "printed as 78 % and as above 78 %; the upper end is assumed",
    run: (x) => gain({ accuracy: x }),
  },
  {
    name: "drift: correlation of steps",
    unit: "1",
    value: publishedDrift.rho,
    range: [0.9, 0.99],
    source: "assumed",
    run: (x) => gain({ drift: { rho: x } }),
  },
  {
    name: "drift: innovation",
    unit: "1",
    value: publishedDrift.sigmaLevel,
    range: [0.1, 0.3],
    source: "assumed: half either way",
    run: (x) => gain({ drift: { sigmaLevel: x } }),
  },
  {
    name: "drift: white part",
    unit: "1",
    value: publishedDrift.sigmaObs,
    range: [0.28, 0.84],
    source: "assumed: half either way",
    run: (x) => gain({ drift: { sigmaObs: x } }),
  },
  {
    name: "window of migrations",
    unit: "ms",
    value: 1e3 * publishedMigration.window,
    range: quarter(0.68),
    source: assumedQuarter,
    run: (x) => gain({ migration: { window: seconds(x / 1e3) } }),
  },
  {
    name: "links an expert moves over",
    unit: "1",
    value: publishedMigration.linksPerExpert,
    range: [1, 3],
    source: "one, or one a matrix as 0.63 ms needs (section 5.5)",
    run: (x) => gain({ migration: { linksPerExpert: x } }),
  },
  {
    name: "hot experts",
    unit: "1",
    value: hotShare,
    range: [0.02, 0.1],
    source: "assumed; figure 3 leaves 3 % beside cold and warm ones",
    run: (x) => gain({ hotShare: x }),
  },
  {
    name: "most tokens of a cold expert",
    unit: "1",
    value: balanced,
    range: [coldLimit, 20],
    source:
      "chosen by balance; 6.67 is where a DIMM and one channel are as fast, the upper end is assumed",
    run: (x) => gain({ cold: x }),
  },
  {
    name: "share of GPU memory for weights",
    unit: "1",
    value: 0.9,
    range: [0.8, 0.95],
    source: "vLLM's default; the ends are assumed",
    run: (x) => {
      const resident = residentLimit(modelShape(model, "the chart"), gpuMemory, x);
      return gain({ migration: { resident } });
    },
  },
  {
    name: "alpha of the average",
    unit: "1",
    value: publishedAlpha,
    range: [0.1, 1],
    source: "printed; 1 is the last load alone",
    run: (x) => gain({ alpha: x }),
  },
];

export const triMoeConstants: Experiment = constantsExperiment("trimoe", () => [
  {
    id: "constants-gain",
    what: `gain of a layer over the best baseline, DeepSeek-V2 at batch 512, ${steps} steps`,
    unit: "x",
    published: 2.83,
    ours: gain({}),
    constants: constantsOf(balancedLimit()),
  },
]);
