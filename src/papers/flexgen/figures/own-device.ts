// SPDX-License-Identifier: Apache-2.0
// FlexGen's policy search on a machine with the user's own GPU, CPU or disk. The released fit has rates that no device
// file has (of small products, of stores): they scale with those of the T4.

import { defined } from "../../../base/defined.ts";
import { effective, gpus, links } from "../../../machine/host/devices.ts";
import { fittedT4, table4DiskRead } from "../../experiment/machines.ts";
import type { Devices } from "../../../machine/host/near-device-file.ts";
import type { FlexGenMachine } from "../../experiment/machines.ts";
import { flexGenModel } from "../constants/published.ts";
import { loadSolver, searchPolicy, type LpSolver } from "../policy/search.ts";
import { bytes, bytesPerSecond, flopsPerSecond, scale } from "../../../base/units.ts";
import type { DeviceUse, Numbers } from "../../experiment/own-device-rows.ts";

export function machineWith({ gpu, cpu, csd }: Devices): FlexGenMachine {
  const t4 = fittedT4(table4DiskRead);
  const compute =
    gpu === undefined ? 1 : effective(gpu.processor.compute) / effective(gpus.t4.compute);
  const memory =
    gpu === undefined ? 1 : effective(gpu.processor.bandwidth) / effective(gpus.t4.bandwidth);
  const link =
    gpu?.link === undefined || gpu.link === null
      ? 1
      : effective(gpu.link.rate) / effective(links.pcie3.rate);
  const disks = csd?.count ?? 1;
  const stores = csd?.write === undefined || csd.write === null ? null : csd.write * disks;
  return {
    ...t4,
    ...defined({ gpuMemory: gpu?.processor.memory }),
    cpuToGpu: scale(t4.cpuToGpu, link),
    gpuToCpuCache: scale(t4.gpuToCpuCache, link),
    gpuToCpuHidden: scale(t4.gpuToCpuHidden, link),
    matmulPrefill: scale(t4.matmulPrefill, compute),
    batchedPrefill: scale(t4.batchedPrefill, compute),
    matmulDecode: scale(t4.matmulDecode, memory),
    batchedDecode: scale(t4.batchedDecode, memory),
    ...(cpu === undefined
      ? {}
      : {
          cpuMemory: cpu.processor.memory,
          // Attention reads two bytes for a product and a sum: an operation a byte.
          cpu: flopsPerSecond(effective(cpu.processor.bandwidth)),
        }),
    ...(csd === undefined
      ? {}
      : {
          diskMemory: bytes(csd.memory * disks),
          diskToCpu: bytesPerSecond(disks * Math.min(csd.bandwidth, csd.link)),
        }),
    ...(stores === null
      ? {}
      : {
          cpuToDiskCachePrefill: bytesPerSecond(stores),
          cpuToDiskHiddenPrefill: bytesPerSecond(stores),
          cpuToDiskDecode: bytesPerSecond(stores),
        }),
  };
}

const gpuBatches = [1, 4, 16, 32, 48, 64];
const batchCounts = [1, 2, 4, 8, 12];

function numbersOf(solver: LpSolver, machine: FlexGenMachine): Numbers {
  return (["opt-30b", "opt-175b"] as const).flatMap((name): Numbers => {
    const problem = {
      ...({ variant: "runtime", machine, model: flexGenModel(name) } as const),
      prompt: 512,
      output: 32,
      relax: 1,
      noHiddenOnDisk: true,
    };
    const { best } = searchPolicy(solver, problem, gpuBatches, batchCounts);
    const title = `${name.toUpperCase()}, prompt 512, best block of the search`;
    if (best === null) {
      return [
        [title, "token/s", "does not fit"],
        [`${title}: GPU batch x batches`, "", "none"],
        [`${title}: weights on GPU, CPU, disk`, "%", "none"],
      ];
    }
    const { wg, wc, wn } = best.placement;
    const percent = [wg, wc, wn].map((share) => String(Math.round(100 * share)));
    return [
      [title, "token/s", problem.output / best.objective],
      [`${title}: GPU batch x batches`, "", `${best.gpuBatch} x ${best.batches}`],
      [`${title}: weights on GPU, CPU, disk`, "%", percent.join(", ")],
    ];
  });
}

export const flexGenDevice: DeviceUse = {
  paper: "flexgen",
  reads: {
    gpu: "its memory; products by its compute, products and attention of decode by its memory's rate, transfers by its link, each as a share of the T4's. Launches are in no cost model: what lies on the GPU whole is an upper bound.",
    cpu: "its memory; attention on it at an operation a byte.",
    csd: "as a disk: capacity, reads at the lesser of flash and link, stores where the file has them.",
  },
  numbers: async (devices) => numbersOf(await loadSolver(), machineWith(devices)),
};
