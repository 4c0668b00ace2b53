// SPDX-License-Identifier: Apache-2.0
// LIA: what CXL memory costs in time (figure 8), energy (figure 12), and several GPUs (figure 14).

import { effective, gpus, links, type Processor } from "../host/devices.ts";
import { liaHosts } from "../host/machines.ts";
import { allowsCxl, parameterRate } from "../policy/lia/memory.ts";
import { layerTime } from "../policy/lia/cost.ts";
import { layerOf } from "../policy/lia/layer.ts";
import { runLia } from "../policy/lia/run.ts";
import { allCpu, runGroup, systemEnergy, type GpuGroup } from "../policy/lia/systems.ts";
import { bytes, bytesPerSecond, seconds } from "../units.ts";
import { bars } from "./chart.ts";
import type { Experiment } from "./experiment.ts";
import { printed, same, stated } from "./finding.ts";
import { flexGen, ipex, job, lia, machine } from "./lia-run.ts";
import { jobSpans, layerSpans } from "./lia-timeline.ts";

export const memory: Experiment = {
  id: "lia/figure-8",
  paper: "lia",
  title: "CXL memory behind the GPU and behind the CPU",
  run: () => {
    const rates = machine("spr-a100");
    const expander = bytesPerSecond(effective(links.cxl.rate));
    const many = job("opt-30b", 900, 32, 32);
    const { decode } = lia("spr-a100", many);
    const time = (expanders: number): number => {
      const pcie = parameterRate(rates.pcie, expander, expanders);
      return runLia({ ...rates, pcie }, many, { resident: 0, overlap: true }).total;
    };
    const ddr = runLia(rates, many, { resident: 0, overlap: true }).total;
    const slow = { ...rates, cpuBandwidth: bytesPerSecond(2 * expander) };
    const loss = (sublayer: number, batch: number): number => {
      const layer = layerOf(many.shape, { stage: "decode", batch, length: 256 });
      const one = layer.sublayers.slice(sublayer, sublayer + 1);
      const alone = { ...layer, sublayers: one };
      return 1 - layerTime(rates, alone, allCpu).cpu / layerTime(slow, alone, allCpu).cpu;
    };
    return {
      findings: [
        same(
          "the policy at B = 900 leaves no parameters to the CPU",
          "yes",
          allowsCxl(decode.policy) ? "yes" : "no",
        ),
        printed(
          "difference of the latency with parameters in two expanders from DDR",
          "below 1",
          100 * Math.abs(time(2) / ddr - 1),
          "%",
          "C",
          "17 GB/s an expander, against the calibrated PCIe rate",
        ),
        stated("the same with one expander, over DDR", "slower", time(1) / ddr, "1", [1, Infinity]),
        printed(
          "loss of the CPU's QK^T (sublayer 2)",
          "10 to 82",
          100 * loss(1, 64),
          "%",
          "S",
          "two expanders' bandwidth against that of DDR; small caches stay in the CPU's",
        ),
        printed(
          "loss of the CPU's QKV at B = 64",
          "11 to 70",
          100 * loss(0, 64),
          "%",
          "S",
          "parameters alone stream at B = 64: the loss is that of the bandwidths, whatever the CPU",
        ),
        stated(
          "loss of the CPU's QKV at B = 1024 over B = 64",
          "less",
          loss(0, 1024) / loss(0, 64),
          "1",
          [0, 1],
        ),
      ],
      blocks: [
        bars(
          {
            id: "figure-8",
            caption: "Share of the DDR rate that the CPU loses with operands in two expanders.",
            xTitle: "batch",
            yTitle: "loss",
            unit: "%",
          },
          [1, 16, 64, 256, 1024].flatMap((batch) => [
            { x: String(batch), series: "QKV (parameters)", y: 100 * loss(0, batch) },
            { x: String(batch), series: "QK^T (cache)", y: 100 * loss(1, batch) },
          ]),
        ),
      ],
      timeline: [0, 1, 2].flatMap((expanders) => {
        const pcie = expanders === 0 ? rates.pcie : parameterRate(rates.pcie, expander, expanders);
        const where = expanders === 0 ? "DDR" : `CXL, ${expanders} expanders`;
        const behind = { ...rates, pcie };
        const run = runLia(behind, many, { resident: 0, overlap: true });
        return layerSpans(`parameters in ${where}`, behind, many, run);
      }),
    };
  },
};

export const energy: Experiment = {
  id: "lia/figure-12",
  paper: "lia",
  title: "Energy a token, SPR-A100",
  run: () => {
    const cases = [
      ["OPT-30B, B 1", job("opt-30b", 1, 32, 32)],
      ["OPT-30B, B 64", job("opt-30b", 64, 32, 32)],
      ["OPT-30B, B 64, long", job("opt-30b", 64, 2016, 32)],
      ["OPT-30B, B 900", job("opt-30b", 900, 32, 32)],
      ["OPT-175B, B 1", job("opt-175b", 1, 32, 32)],
      ["OPT-175B, B 64", job("opt-175b", 64, 32, 32)],
      ["OPT-175B, B 900", job("opt-175b", 900, 32, 32)],
    ] as const;
    const host = liaHosts["spr-a100"];
    const rows = cases.map(([x, j]) => {
      const joules = (f: typeof lia): number => systemEnergy(host, f("spr-a100", j), j);
      return { x, lia: joules(lia), ipex: joules(ipex) / joules(lia), other: joules(flexGen) };
    });
    const gain = (key: "ipex" | "flexGen"): readonly number[] =>
      rows.map((r) => (key === "ipex" ? r.ipex : r.other / r.lia));
    const note = "design powers and an assumed idle share: the paper measured whole systems";
    return {
      findings: [
        printed("least gain over IPEX", "1.1", Math.min(...gain("ipex")), "x", "S", note),
        printed("greatest gain over IPEX", "5.8", Math.max(...gain("ipex")), "x", "S", note),
        printed("least gain over FlexGen", "1.6", Math.min(...gain("flexGen")), "x", "S", note),
        printed("greatest gain over FlexGen", "10.3", Math.max(...gain("flexGen")), "x", "S", note),
      ],
      blocks: [
        bars(
          {
            id: "figure-12",
            caption: "Energy a token over LIA's.",
            xTitle: "model and batch",
            yTitle: "energy",
            unit: "x",
          },
          rows.flatMap((r) => [
            { x: r.x, series: "LIA", y: 1 },
            { x: r.x, series: "IPEX", y: r.ipex },
            { x: r.x, series: "FlexGen", y: r.other / r.lia },
          ]),
        ),
      ],
      timeline: cases.flatMap(([name, j]) => jobSpans(name, "spr-a100", j, ["LIA"])),
    };
  },
};

/** The 80 GB card has 2039 GB/s where the 40 GB one has 1555: the same share of it is reached. */
const a100: Processor = {
  ...gpus["a100-40"],
  title: "A100 80 GB",
  memory: bytes(80 * 2 ** 30),
  bandwidth: {
    peak: { value: 2039e9, class: "published", source: "data sheet" },
    effective: {
      value: (effective(gpus["a100-40"].bandwidth) * 2039) / 1555,
      class: "assumed",
      source: "the 40 GB card's share of its peak",
    },
  },
};
/** NVLink of a DGX A100; the time of a reduction is assumed. */
const dgx: GpuGroup = { gpu: a100, count: 8, link: 300e9, reduction: seconds(20e-6) };

export const multiGpu: Experiment = {
  id: "lia/figure-14",
  paper: "lia",
  title: "GNR-A100 against eight A100 GPUs, OPT-175B",
  run: () => {
    const per = (batch: number): number => {
      const j = job("opt-175b", batch, 256, 32);
      const time = runGroup(dgx, j);
      return time === null ? 0 : (j.batch * j.output) / time / dgx.count;
    };
    const own = (batch: number): number =>
      lia("gnr-a100", job("opt-175b", batch, 256, 32)).throughput;
    const years = 3 * 365 * 24 * 3600;
    /** Dollars a million tokens: price over three years, electricity at 0.1 $/kWh (footnote 7). */
    const cost = (price: number, watts: number, rate: number): number =>
      (1e6 * (price / years + (watts / 3.6e6) * 0.1)) / rate;
    return {
      findings: [
        printed(
          "throughput a GPU at B = 1, LIA over eight GPUs",
          "1.4 to 1.8",
          own(1) / per(1),
          "x",
          "S",
          "a roofline of the weights over eight GPUs' memories is several times faster than the " +
            "simulated serving system that the paper compares with",
        ),
        printed(
          "throughput a GPU lost at B = 64 against eight GPUs",
          "30 to 33",
          100 * (1 - own(64) / per(64)),
          "%",
          "S",
          "the same roofline, nearer to the measurement where work is batched",
        ),
        same("eight GPUs at B = 900", "out of memory", per(900) === 0 ? "out of memory" : "fits"),
        stated("LIA at B = 900 over B = 64", "higher", own(900) / own(64), "x", [1, Infinity]),
      ],
      blocks: [
        bars(
          {
            id: "figure-14a",
            caption: "Throughput a GPU.",
            xTitle: "batch",
            yTitle: "throughput",
            unit: "token/s",
            zero: "out of memory",
          },
          [1, 64, 900].flatMap((batch) => [
            { x: String(batch), series: "LIA, GNR-A100", y: own(batch) },
            { x: String(batch), series: "eight A100", y: per(batch) },
          ]),
        ),
        bars(
          {
            id: "figure-14b",
            caption: "Cost of a million tokens.",
            xTitle: "batch",
            yTitle: "cost",
            unit: "$",
          },
          [1, 64].flatMap((batch) => [
            { x: String(batch), series: "LIA, GNR-A100", y: cost(22_000, 750, own(batch)) },
            { x: String(batch), series: "eight A100", y: cost(200_000, 6500, 8 * per(batch)) },
          ]),
        ),
      ],
      timeline: [1, 64].flatMap((batch) =>
        jobSpans(`GNR-A100, B ${batch}`, "gnr-a100", job("opt-175b", batch, 256, 32), ["LIA"]),
      ),
    };
  },
};
