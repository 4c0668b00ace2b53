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
import { shape, within, type Experiment } from "./experiment.ts";
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
        shape(
          "the policy at B = 900 leaves no parameters to the CPU",
          "yes",
          allowsCxl(decode.policy) ? 1 : 0,
          "1",
          [1, 1],
        ),
        within(
          "latency with parameters in two expanders over DDR (within 1 %)",
          1,
          time(2) / ddr,
          "1",
          "C",
          0.01,
          "17 GB/s an expander, against the calibrated PCIe rate",
        ),
        shape("the same with one expander", "slower", time(1) / ddr, "1", [1.01, 2]),
        shape(
          "loss of the CPU's QK^T (sublayer 2)",
          "10 to 82 %",
          100 * loss(1, 64),
          "%",
          [10, 90],
          "two expanders' bandwidth against that of DDR; small caches stay in the CPU's",
        ),
        shape("loss of the CPU's QKV at B = 64", "11 to 70 %", 100 * loss(0, 64), "%", [11, 75]),
        shape("loss of the CPU's QKV at B = 1024", "less", 100 * loss(0, 1024), "%", [0, 40]),
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
        shape("least gain over IPEX", 1.1, Math.min(...gain("ipex")), "x", [1, 2], note),
        shape("greatest gain over IPEX", 5.8, Math.max(...gain("ipex")), "x", [2.5, 12], note),
        shape("least gain over FlexGen", 1.6, Math.min(...gain("flexGen")), "x", [1, 2.5], note),
        shape("greatest gain over FlexGen", 10.3, Math.max(...gain("flexGen")), "x", [3, 20], note),
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
        shape(
          "throughput a GPU at B = 1, LIA over eight GPUs",
          "1.4 to 1.8",
          own(1) / per(1),
          "x",
          [1.4, 1.8],
          "a roofline of the weights over eight GPUs' memories is several times faster than the " +
            "simulated serving system that the paper compares with",
        ),
        shape(
          "the same at B = 64",
          "0.67 to 0.70",
          own(64) / per(64),
          "x",
          [0.3, 0.9],
          "the same roofline, nearer to the measurement where work is batched",
        ),
        shape("eight GPUs at B = 900 (0: out of memory)", "OOM", per(900), "token/s", [0, 0]),
        shape("LIA at B = 900 over B = 64", "higher", own(900) / own(64), "x", [1, Infinity]),
        within("price of the system over eight GPUs'", 0.1, 22 / 200, "1", "A", 0.11),
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
