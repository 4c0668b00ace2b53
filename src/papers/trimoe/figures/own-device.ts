// SPDX-License-Identifier: Apache-2.0
// TriMoE and its baselines on a machine with a GPU, a CPU or NDP units of the user's own: times of an
// expert as measured where the file has them, else the slower of its reads and its arithmetic.

import { defined } from "../../../base/defined.ts";
import { present } from "../../../base/present.ts";
import { curveTime, type TimeCurve } from "../../../machine/host/curve.ts";
import { effective, type ExpertCurve, type Processor } from "../../../machine/host/devices.ts";
import type { Devices } from "../../../machine/host/near-device-file.ts";
import type { TriMoeMachine } from "../model/cost.ts";
import { paperMachine, type MachineOptions, type TriMoeRates } from "../model/machine.ts";
import type { Figure } from "../../../report/page.ts";
import { bytes, bytesPerSecond, flopsPerSecond, seconds } from "../../../base/units.ts";
import { lines, type Datum } from "../../experiment/chart.ts";
import { gainOver, strictBaselines } from "./end-to-end.ts";
import { compared } from "./layer.ts";
import { study } from "./run.ts";
import type { DeviceUse, Numbers } from "../../experiment/own-device-rows.ts";

const size = 37_748_736;
const tokens = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024];
const channels = 8;
/** Rate of a unit without a compute limit, which is memory-bound. */
const unbounded = 1e21;

function curveOf({ expert, compute, bandwidth }: Processor): ExpertCurve {
  if (expert !== null) return expert;
  const time = (n: number): number =>
    Math.max((n * size) / effective(compute), size / effective(bandwidth));
  return { size: bytes(size), times: tokens.map((n) => [n, seconds(time(n))]) };
}

/**
 * Without measured times. Arithmetic and reads are separate, so the compute time of the CPU is also
 * known.
 */
function cpuOf({ expert, compute, bandwidth }: Processor): Pick<MachineOptions, "cpu" | "curves"> {
  if (expert !== null) return { cpu: expert };
  const cpuFloor = size / effective(bandwidth);
  return { curves: { cpuFixed: 0, cpuRate: effective(compute), cpuFloor } };
}

export function optionsWith(devices: Devices): MachineOptions {
  const { gpu, cpu, ndp } = devices;
  return {
    ...defined({
      gpu: gpu && curveOf(gpu.processor),
      gpuMemory: gpu?.processor.memory,
      dimms: ndp?.count ?? undefined,
    }),
    ...(cpu && cpuOf(cpu.processor)),
    rates: ratesWith(devices),
  };
}

/** A rate of the host's reads that the NDP units state has precedence over the CPU's. */
function ratesWith({ gpu, cpu, ndp }: Devices): Partial<TriMoeRates> {
  const link = gpu?.link;
  const host = cpu?.processor.bandwidth.peak.value;
  const perChannel = host === undefined ? undefined : bytesPerSecond(host / channels);
  return defined({
    pcie: link ? bytesPerSecond(effective(link.rate)) : undefined,
    hostBandwidth: host === undefined ? undefined : bytesPerSecond(host),
    dimmHostBandwidth: ndp?.hostBandwidth ?? perChannel,
    ndpBandwidth: ndp?.bandwidth,
    ndpRate: ndp && (ndp.compute ?? flopsPerSecond(unbounded)),
  });
}

function numbersOf(devices: Devices): Numbers {
  const linkRate = devices.ndp?.link;
  const results = study(
    {
      model: "qwen3-235b-a22b",
      batch: 512,
      relayout: true,
      machine: optionsWith(devices),
      ...defined({ migration: linkRate ? { linkRate } : undefined }),
    },
    compared,
  );
  const times = new Map([...results].map(([name, { time }]) => [name, time]));
  const machine = paperMachine(optionsWith(devices));
  const { gpu = NaN, cpu = NaN, ndp = NaN } = results.get("TriMoE")?.use ?? {};
  return [
    ...[...times].map(([name, time]) => [`${name}, a layer's experts`, "ms", 1e3 * time] as const),
    [
      "TriMoE over the best of Klotski, KTransformers, MoNDE",
      "x",
      gainOver(times, strictBaselines),
    ],
    ["TriMoE's GPU computes", "%", 100 * gpu],
    ["TriMoE's CPU computes", "%", 100 * cpu],
    ["TriMoE's NDP units compute", "%", 100 * ndp],
    ["experts that change place in a step", "1", present(results.get("TriMoE")?.moves)],
    ["GPU: tokens for half of an expert's greatest rate", "1", kneeOf(machine, machine.gpu)],
    ["CPU: tokens for half of an expert's greatest rate", "1", kneeOf(machine, machine.cpu)],
  ];
}

/** Figure 5 for these devices: the rate of an expert of Qwen3-235B over its tokens. */
function figuresOf(devices: Devices): readonly Figure[] {
  const most = Math.max(...tokens);
  const [paper, triMoeMachine] = [paperMachine(), paperMachine(optionsWith(devices))];
  const rate = ({ curveBytes }: TriMoeMachine, curve: TimeCurve, n: number): number =>
    (n * curveBytes) / curveTime(curve, n) / 1e12;
  const kinds = (["gpu", "cpu"] as const).filter((kind) => devices[kind] !== undefined);
  return kinds.map((kind) => {
    const share = (machine: TriMoeMachine, series: string): readonly Datum[] =>
      tokens.map((x) => ({
        x,
        series,
        y: rate(machine, machine[kind], x) / rate(machine, machine[kind], most),
      }));
    const greatest = rate(triMoeMachine, triMoeMachine[kind], most);
    return lines(
      {
        id: `own-device-${kind}`,
        caption: `Figure 5's shape: rate of an expert over its rate with ${most} tokens, yours (${Number(greatest.toPrecision(3))} TFLOPS there) and the curve assumed for the paper's ${kind.toUpperCase()}.`,
        xTitle: "tokens",
        yTitle: "rate over that of many tokens",
        unit: "1",
        logX: true,
      },
      [...share(triMoeMachine, "yours"), ...share(paper, "the paper's, assumed")],
    );
  });
}

/** Fewest tokens of the grid at which an expert runs at half of its rate with many. */
function kneeOf({ curveBytes }: TriMoeMachine, curve: TimeCurve): number {
  const rate = (n: number): number => (n * curveBytes) / curveTime(curve, n);
  return present(tokens.find((n) => rate(n) >= rate(Math.max(...tokens)) / 2));
}

export const triMoeDevice: DeviceUse = {
  paper: "trimoe",
  reads: {
    gpu: "time of an expert (measured, or by its rates), its memory for hot experts, its link.",
    cpu: "time of an expert, and its memory's peak rate as that of all channels.",
    ndp: "compute and bandwidth of a unit, how many, what a DIMM gives the host, its links for moves.",
  },
  numbers: (devices) => Promise.resolve(numbersOf(devices)),
  figures: figuresOf,
};
