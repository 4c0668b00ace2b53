// SPDX-License-Identifier: Apache-2.0
// Systems for dense models on one host, each as a server that the same scheduler feeds: time of a pass by
// its tokens, time of attention by cached tokens, capacity for caches. In every system with a GPU, the
// layers that fit in GPU memory are resident, and the other layers are loaded over the link, as in the
// papers.

import { liaHosts, type LiaMachine } from "../experiment/machines.ts";
import { elementsRead, hostMemoryRate, hostPathRate, pagesRead } from "../instinfer/model/steps.ts";
import { deviceRate } from "../instinfer/model/steps.ts";
import { publishedCapacities, sparseFootprint } from "../instinfer/model/memory.ts";
import { calibrated } from "../instinfer/model/systems.ts";
import { layerTime } from "../lia/model/cost.ts";
import { layerOf, weightBytes } from "../lia/model/layer.ts";
import { fastestBy } from "../lia/policy/optimum.ts";
import { overlappedTime } from "../lia/model/cost.ts";
import { gpuMemoryBudget } from "../lia/policy/gpu-memory.ts";
import { residentLayers } from "../lia/policy/run.ts";
import { allCpu, allGpu, attentionOnCpu } from "../lia/policy/systems.ts";
import { liaModel } from "../lia/model/shape.ts";
import type { ServedModel } from "../llmshare/model/iteration.ts";
import { bytes, seconds } from "../../base/units.ts";
import { machine } from "../lia/figures/run.ts";
import { driveCapacity, hilosDrives, hilosTimes } from "./hilos.ts";

/** The one host whose price LIA prints. */
export const hostName = "gnr-a100";
export const host: (typeof liaHosts)[typeof hostName] = liaHosts[hostName];
/** CPU and GPU at the products of LIA's section 4.2, the link at the rate that every figure has. */
export const rates: LiaMachine = machine(hostName);
/** Storage devices of InstInfer, as many as HILOS has. */
const devices = hilosDrives;

/** A system in the form of the scheduler. */
export interface YardstickSystem {
  readonly name: string;
  readonly from: string;
  readonly model: ServedModel;
  /** Hardware other than CPU and GPU; its price is not printed. */
  readonly extra: string;
  readonly gpu: boolean;
}

/** Differences between systems on the same layers. */
interface Parts {
  readonly name: string;
  readonly from: string;
  readonly extra?: string;
  /** Seconds of a pass through all layers, without attention to cached tokens. */
  readonly linear: (tokens: number) => number;
  /** Seconds a cached token costs each new one. */
  readonly attention: number;
  /** Seconds per prompt token in addition to attention. */
  readonly write?: number;
  readonly room: number;
}

export function denseSystems(name: string): readonly YardstickSystem[] {
  const { shape, layers } = liaModel(name, "the yardstick");
  const weights = layers * weightBytes(shape);
  const cache = 4 * shape.cacheWidth * layers;
  // Caches of all layers are on the host or the devices, and each token's time includes their
  // attention below.
  const job = { shape, layers, batch: 1, input: 8192, output: 1 };
  const room = gpuMemoryBudget(host.gpu.memory, job, attentionOnCpu).layers;
  const resident = Math.min(layers, residentLayers(room, weightBytes(shape)));
  const passOf = (tokens: number): ReturnType<typeof layerOf> =>
    layerOf(shape, { stage: "decode", batch: tokens, length: 0 });
  /** Layers in GPU memory compute there, while the others are transferred over the link. */
  const streamed = (tokens: number): number => {
    const { gpu, transfer } = layerTime(rates, passOf(tokens), allGpu);
    return (layers - resident) * Math.max(gpu, transfer) + resident * gpu;
  };
  const cooperative = (tokens: number): number => {
    const layer = passOf(tokens);
    const { time } = fastestBy((policy) => overlappedTime(rates, layer, policy)).best;
    return (layers - resident) * time + resident * layerTime(rates, layer, allGpu).gpu;
  };
  const ram = host.cpu.memory - weights;
  const flash = devices * publishedCapacities.flash;
  const gpuFlops = rates.gpuRate;
  const served = ({
    name: title,
    from,
    extra = "",
    linear,
    attention,
    write = 0,
    room,
  }: Parts): YardstickSystem => {
    const gpu = title !== "IPEX";
    const rate = gpu ? gpuFlops : rates.cpuRate;
    return {
      name: title,
      from,
      extra,
      gpu,
      model: {
        room: bytes(room),
        cacheBytes: bytes(cache),
        layers,
        linear: (tokens) => seconds(linear(tokens)),
        promptAttention: (tokens) =>
          seconds((2 * layers * tokens ** 2 * shape.width) / rate + tokens * write),
        attentionPerToken: seconds(attention),
      },
    };
  };
  const inHost = { room: ram, attention: cache / rates.cpuBandwidth };
  const heads = shape.width / 128;
  /** Whole heads on a device: the one with most decides. */
  const near = (cache * (Math.ceil(heads / devices) / heads)) / deviceRate;
  const drives = `${devices} storage devices`;
  return [
    served({ name: "LIA", from: "LIA", linear: cooperative, ...inHost }),
    served({
      name: "IPEX",
      from: "LIA",
      ...inHost,
      linear: (tokens) => layers * layerTime(rates, passOf(tokens), allCpu).cpu,
    }),
    served({ name: "FlexGen", from: "FlexGen", linear: streamed, ...inHost }),
    served({
      name: "DeepSpeed",
      from: "InstInfer",
      linear: streamed,
      room: ram,
      attention: cache / hostMemoryRate,
    }),
    served({
      name: "FlexGen, caches on disk",
      from: "InstInfer",
      extra: drives,
      linear: streamed,
      room: flash,
      attention: cache / hostPathRate,
    }),
    served({
      name: "FlexGen-SparQ",
      from: "InstInfer",
      extra: drives,
      linear: streamed,
      room: flash / sparseFootprint,
      attention: (cache * elementsRead(calibrated)) / hostPathRate,
    }),
    served({
      name: "InstI-Dense",
      from: "InstInfer",
      extra: drives,
      linear: streamed,
      room: flash,
      attention: near,
    }),
    served({
      name: "InstI-SparF",
      from: "InstInfer",
      extra: drives,
      linear: streamed,
      room: flash / sparseFootprint,
      attention: near * pagesRead(calibrated),
      write: ((sparseFootprint - 1) * cache) / rates.pcie,
    }),
    served({
      name: "HILOS",
      from: "HILOS",
      extra: "16 SmartSSDs",
      linear: streamed,
      room: hilosDrives * driveCapacity,
      attention: hilosTimes(rates, shape, layers).together,
    }),
    served({
      name: "HILOS without X-cache",
      from: "HILOS",
      extra: "16 SmartSSDs",
      linear: streamed,
      room: hilosDrives * driveCapacity,
      attention: hilosTimes(rates, shape, layers).storage,
    }),
  ];
}
