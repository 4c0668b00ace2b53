// SPDX-License-Identifier: Apache-2.0
// LIA: the slowdown of CXL memory (figure 8): none for the GPU; for the CPU the ratio of the
// bandwidths if a product waits for its operands.

import { present } from "../../../base/present.ts";
import { effective, links } from "../../../machine/host/devices.ts";
import { layerTime } from "../model/cost.ts";
import { type LiaMachine } from "../../experiment/machines.ts";
import { layerOf, type Stage } from "../model/layer.ts";
import { allowsCxl, parameterRate } from "../model/memory.ts";
import { runLia } from "../policy/run.ts";
import { allCpu } from "../policy/systems.ts";
import { bytesPerSecond, flopsPerSecond } from "../../../base/units.ts";
import { lines } from "../../experiment/chart.ts";
import type { Experiment } from "../../experiment/experiment.ts";
import {
  explained,
  compareNumber,
  compareName,
  compareStatement,
  type Finding,
} from "../../experiment/finding.ts";
import { job } from "./lab.ts";
import { lia, machine } from "./run.ts";
import { streamedRates } from "./streamed.ts";
import { layerSpans } from "./timeline.ts";

const rates = machine("spr-a100");
const expander = effective(links.cxl.rate);
const { shape } = job("opt-175b", 1, 1, 2);

/** One of figure 8's sweeps: over lengths at B = 64, or over batches at L = 256. */
interface Point {
  readonly stage: Stage;
  readonly batch: number;
  readonly length: number;
}

const batches = [1, 4, 16, 64, 256, 900];
const lengths = [32, 64, 128, 256, 512, 1024, 2016];
const sweep = (stage: Stage): readonly Point[] => [
  ...lengths.map((length) => ({ stage, batch: 64, length })),
  ...batches.map((batch) => ({ stage, batch, length: 256 })),
];
/** Sublayer 1 reads parameters in both stages; sublayer 2 reads the cache in decode. */
const ofParameters = [...sweep("prefill"), ...sweep("decode")];
const ofCache = sweep("decode");

/** Other readings of the CPU: its caches, its rate in products, its memory's bandwidth. */
interface CpuReading {
  /** Rate of one expander in bytes per second. */
  readonly expander?: number;
  readonly cached?: number;
  readonly cpuRate?: number;
  readonly bandwidth?: number;
}

/** Per cent of the DDR rate that a sublayer loses if its operands are in two expanders. */
function loss(sublayer: number, point: Point, reading: CpuReading = {}): number {
  const layer = layerOf(shape, point);
  const one = layer.sublayers.slice(sublayer, sublayer + 1);
  const fits = (one[0]?.y ?? 0) <= (reading.cached ?? 0);
  const at = (bandwidth: number): LiaMachine => ({
    ...rates,
    cpuBandwidth: bytesPerSecond(fits ? Infinity : bandwidth),
    cpuRate: flopsPerSecond(reading.cpuRate ?? rates.cpuRate),
  });
  const time = (bandwidth: number): number =>
    layerTime(at(bandwidth), { ...layer, sublayers: one }, allCpu).cpu;
  return (
    100 *
    (1 - time(reading.bandwidth ?? rates.cpuBandwidth) / time(2 * (reading.expander ?? expander)))
  );
}

const xeonCache = 105 * 2 ** 20;
const readings = (): readonly (readonly [what: string, reading: CpuReading])[] => [
  ["products at half of the CPU's rate", { cpuRate: 0.5 * rates.cpuRate }],
  ["products at the CPU's peak of 90.1 TFLOPS", { cpuRate: 90.1e12 }],
  ["operands of up to 105 MiB are in the last-level cache of the Xeon", { cached: xeonCache }],
  ["DDR at 260 GB/s instead of 199 GB/s", { bandwidth: 260e9 }],
  [
    "rates of DDR and CXL memory from the simulated memories (section 4.2)",
    { bandwidth: streamedRates().ddr * 1e9, expander: streamedRates().expander * 1e9 },
  ],
];

/** The least or the greatest loss over the sweeps against the printed end. */
function end(
  what: string,
  published: number,
  sublayer: number,
  points: readonly Point[],
  pick: (...values: readonly number[]) => number,
): Finding {
  const of = (reading?: CpuReading): number =>
    pick(...points.map((p) => loss(sublayer, p, reading)));
  const note =
    "batches and prompts of the figure are not published; the model uses batches of 1 to 900 and prompts of 32 to 2,016 tokens";
  const finding = compareNumber(what, { published, ours: of(), unit: "%", kind: "S", note });
  if (finding.verdict !== "differs") return finding;
  return explained(
    finding,
    readings()
      .map(([reading, values]) => ({ what: reading, value: of(values) }))
      .filter(({ value }) => value !== finding.ours),
  );
}

export const memory: Experiment = {
  id: "lia/figure-8",
  paper: "lia",
  title: "CXL memory behind the GPU and behind the CPU",
  run: () => {
    const many = job("opt-30b", 900, 32, 32);
    const { decode } = lia("spr-a100", many);
    const time = (expanders: number): number => {
      const pcie = parameterRate(rates.pcie, bytesPerSecond(expander), expanders);
      return runLia({ ...rates, pcie }, many, { resident: 0, overlap: true }).total;
    };
    const ddr = runLia(rates, many, { resident: 0, overlap: true }).total;
    const batched = (batch: number): number => loss(0, { stage: "decode", batch, length: 256 });
    return {
      findings: [
        compareName(
          "the policy at B = 900 leaves no parameters to the CPU",
          "yes",
          allowsCxl(decode.policy) ? "yes" : "no",
        ),
        compareNumber("difference of the latency with parameters in two expanders from DDR", {
          published: "below 1",
          ours: 100 * Math.abs(time(2) / ddr - 1),
          unit: "%",
          kind: "C",
          note: "17 GB/s per expander, compared with the calibrated rate of PCIe",
        }),
        compareStatement("the same with one expander, over DDR", {
          statement: "slower",
          ours: time(1) / ddr,
          unit: "1",
          range: [1, Infinity],
        }),
        end("least loss of the CPU's QKV (sublayer 1)", 11, 0, ofParameters, Math.min),
        end("greatest loss of the CPU's QKV (sublayer 1)", 70, 0, ofParameters, Math.max),
        end("least loss of the CPU's QK^T (sublayer 2)", 10, 1, ofCache, Math.min),
        end("greatest loss of the CPU's QK^T (sublayer 2)", 82, 1, ofCache, Math.max),
        compareStatement("loss of the CPU's QKV at B = 1024 over B = 64", {
          statement: "less",
          ours: batched(1024) / batched(64),
          unit: "1",
          range: [0, 1],
        }),
      ],
      blocks: [
        lines(
          {
            id: "figure-8",
            caption:
              "Share of the DDR rate that the CPU loses with operands in two expanders of 17 GB/s, OPT-175B, L = 256.",
            xTitle: "batch",
            yTitle: "loss",
            unit: "%",
            logX: true,
          },
          batches.flatMap((x) => {
            const at = (stage: Stage): Point => ({ stage, batch: x, length: 256 });
            return [
              { x, series: "prefill, QKV", y: loss(0, at("prefill")) },
              { x, series: "decode, QKV", y: loss(0, at("decode")) },
              { x, series: "decode, QK^T", y: loss(1, at("decode")) },
            ];
          }),
        ),
      ],
      timeline: [0, 1, 2].flatMap((expanders) => {
        const pcie =
          expanders === 0
            ? rates.pcie
            : parameterRate(rates.pcie, bytesPerSecond(expander), expanders);
        const where = present(["DDR", "CXL, one expander", "CXL, two expanders"][expanders]);
        const behind = { ...rates, pcie };
        const run = runLia(behind, many, { resident: 0, overlap: true });
        return layerSpans(`parameters in ${where}`, behind, many, run);
      }),
    };
  },
};
