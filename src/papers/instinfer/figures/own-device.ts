// SPDX-License-Identifier: Apache-2.0
// InstInfer and its four rivals on a machine with a GPU, a host or storage devices of the user's own.

import { effective, gpus } from "../../../machine/host/devices.ts";
import type { CsdDevice, Devices } from "../../../machine/host/near-device-file.ts";
import { endOf, runTasks } from "../../../base/timeline.ts";
import { publishedCapacities } from "../model/memory.ts";
import { elementsRead, pagesRead, type LayerTimer } from "../model/steps.ts";
import { decodeTasks, deviceLink, prefillTasks } from "../model/pipeline.ts";
import {
  instInferSystems,
  publishedSetting,
  runSystem,
  type InstInferSetting,
} from "../model/systems.ts";
import { bytes, bytesPerSecond, flopsPerSecond, seconds } from "../../../base/units.ts";
import type { DeviceUse, Numbers } from "../../experiment/own-device-rows.ts";

/** Share of the host's 96 GB for caches in the paper's machine. */
const cacheShare = publishedCapacities.host / 96e9;

/** The pages at the device's rate, or its arithmetic: two operations per value of K and of V. */
function timerOf({ bandwidth, compute }: CsdDevice): LayerTimer {
  return ({ sequences, tokens, heads, headDim, sparsity }) => {
    const dense = 4 * sequences * tokens * heads * headDim;
    const read = (dense * (sparsity === null ? 1 : pagesRead(sparsity))) / bandwidth;
    const work = dense * (sparsity === null ? 1 : elementsRead(sparsity));
    return seconds(Math.max(read, compute === null ? 0 : work / compute));
  };
}

export function settingWith({ gpu, cpu, csd }: Devices): InstInferSetting {
  const { capacities, timer, devices } = publishedSetting;
  return {
    ...publishedSetting,
    devices: csd?.count ?? devices,
    timer: csd === undefined ? timer : timerOf(csd),
    capacities: {
      gpu: gpu?.processor.memory ?? capacities.gpu,
      host: cpu === undefined ? capacities.host : bytes(cacheShare * cpu.processor.memory),
      flash: csd?.memory ?? capacities.flash,
    },
  };
}

function numbersOf(devices: Devices): Numbers {
  const setting = settingWith(devices);
  const processor = devices.gpu?.processor ?? gpus.a6000;
  const rates = {
    compute: flopsPerSecond(effective(processor.compute)),
    bandwidth: bytesPerSecond(effective(processor.bandwidth)),
    link: devices.csd?.link ?? deviceLink,
  };
  const { model, sparsity, timer } = setting;
  const shared = { devices: setting.devices, rates };
  const prefill = prefillTasks(model, {
    batch: 32,
    prompt: 1024,
    sparse: true,
    layerwise: true,
    ...shared,
  });
  const decode = decodeTasks(model, {
    batch: 256,
    tokens: 1536,
    sparsity,
    miniBatches: 2,
    layers: 2,
    timer,
    ...shared,
  });
  return [
    ...[64, 256].flatMap((batch) =>
      instInferSystems.map((name) => {
        const { throughput } = runSystem(name, setting, batch);
        const value = throughput === 0 ? "out of memory" : throughput;
        return [`${name}, OPT-13B, batch ${batch}`, "token/s", value] as const;
      }),
    ),
    ["prefill of 32 prompts of 1024 tokens", "s", endOf(runTasks(prefill))],
    ["two layers of SparF's decode, batch 256, in two halves", "ms", 1e3 * endOf(runTasks(decode))],
  ];
}

export const instInferDevice: DeviceUse = {
  paper: "instinfer",
  reads: {
    gpu: "its memory (FlexGen's prompts); prefill and decode's products by its rates. The 1.72 s of a step outside the cache stay.",
    cpu: `its memory, of which caches have the paper's ${Math.round(100 * cacheShare)} %.`,
    csd: "its flash's rate, its arithmetic, capacity, link and count. FlexGen's path through the host stays.",
  },
  numbers: (devices) => Promise.resolve(numbersOf(devices)),
};
