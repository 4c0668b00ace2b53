// SPDX-License-Identifier: Apache-2.0
// Other readings and assumptions for InstInfer's figures, each in a separate run: possible explanations of
// the difference between ours and the printed numbers.

import { defined } from "../../../base/defined.ts";
import { sparseFootprint } from "../model/memory.ts";
import { cacheOf } from "../model/steps.ts";
import { runSystem, type InstInferSetting, type InstInferSystem } from "../model/systems.ts";
import {
  bytesPerSecond,
  scale,
  seconds,
  type BytesPerSecond,
  type Seconds,
} from "../../../base/units.ts";
import type { Explanation } from "../../experiment/finding.ts";

/** Batch 64, at which figures 14 and 15 print shares. */
const printedBatch = 64;

/** A part of a setting that another reading has in its place. */
interface Reading {
  readonly what: string;
  readonly change: (setting: InstInferSetting, batch: number) => Partial<InstInferSetting>;
}

const withBatch: Reading = {
  what: "time outside of the cache in proportion to the batch, with the value at batch 64",
  change: ({ other }, batch) => ({ other: scale(other, batch / printedBatch) }),
};
/** Share of the dense steps in FlexGen's row of figure 14. */
const flexGenShare = 0.989;
const shortOther: Reading = {
  what: "time outside of the cache that follows from FlexGen's share of 98.9 %",
  change: (setting) => ({ other: leftBeside(setting, "FlexGen", flexGenShare) }),
};
const shared: Reading = {
  what: "two devices also halve the time outside of the cache",
  change: ({ other, devices }) => ({ other: scale(other, devices === 2 ? 1 / 2 : 1) }),
};
const allPages: Reading = {
  what: "half of the sparsity reduces the number of pages (eta 0.5), according to the text",
  change: ({ sparsity }) => ({ sparsity: { ...sparsity, eta: 0.5 } }),
};
const fewerPages: Reading = {
  what: "eta 0.77, the other end of the range that follows from the two gains",
  change: ({ sparsity }) => ({ sparsity: { ...sparsity, eta: 0.77 } }),
};
const onlyElements: Reading = {
  what: "pages have only selected elements (eta 1)",
  change: ({ sparsity }) => ({ sparsity: { ...sparsity, eta: 1 } }),
};
const noOther: Reading = {
  what: "no time outside the cache",
  change: () => ({ other: seconds(0) }),
};
const twicePath: Reading = {
  what: "FlexGen's path through the host has twice the rate with two disks",
  change: ({ hostPath, devices }) => ({ hostPath: scale(hostPath, devices) }),
};

/**
 * FlexGen's caches are files: if they fit in the part of the host's 96 GB that is left for its page
 * cache, no step waits for the disk. The paper does not print the capacity. @param copies of a byte
 * of the cache
 */
function pageCache(room: number, copies: number): Reading {
  return {
    what: `FlexGen's caches are in the page cache of the host if they fit ${room / 1e9} of its 96 GB (assumed)`,
    change: ({ model, prompt, output = prompt, hostPath, hostMemory }, batch) => {
      const last = prompt + output;
      const fit = room / (copies * cacheOf(model, batch, 1));
      const upTo = Math.min(last, Math.max(prompt, fit));
      // Steps read their cache once: bytes of all steps are the sum of their lengths.
      const cached = (upTo ** 2 - prompt ** 2) / (last ** 2 - prompt ** 2);
      const perByte = cached / hostMemory + (1 - cached) / hostPath;
      return { hostPath: bytesPerSecond(1 / perByte) };
    },
  };
}

/** Bytes of the page cache that are tried. */
const pageCacheRooms = [40e9, 60e9];

/** The time of a step outside the cache, if the cache has this `share` of it. */
function leftBeside(setting: InstInferSetting, system: InstInferSystem, share: number): Seconds {
  const { step } = runSystem(system, { ...setting, devices: 1 }, printedBatch);
  return scale(step?.cache ?? seconds(NaN), 1 / share - 1);
}

function rateUnder(
  { change }: Reading,
  setting: InstInferSetting,
  system: InstInferSystem,
  batch: number,
): number {
  return runSystem(system, { ...setting, ...change(setting, batch) }, batch).throughput;
}

/** One system at one batch. */
type Run = readonly [system: InstInferSystem, batch: number];

/** Two runs' ratio of throughput under each reading. */
function ratiosUnder(
  readings: readonly Reading[],
  setting: InstInferSetting,
  above: Run,
  below: Run,
): readonly Explanation[] {
  return readings.map((reading) => ({
    what: reading.what,
    value: rateUnder(reading, setting, ...above) / rateUnder(reading, setting, ...below),
  }));
}

/**
 * Swapped-in pages of 4 KiB, eight at a time (Linux's vm.page-cluster of 3), one read after another.
 * @param latency of a read of the disk
 */
function swapRate(latency: number): BytesPerSecond {
  return bytesPerSecond((8 * 4096) / latency);
}

/** DeepSpeed's drop at the first batch whose cache does not fit in host memory. */
export function swapExplanations(setting: InstInferSetting): readonly Explanation[] {
  const fast = runSystem("DeepSpeed", setting, 16).throughput;
  const drop = (hostPath: BytesPerSecond): number =>
    fast / runSystem("DeepSpeed", { ...setting, hostPath }, 32).throughput;
  return [
    {
      what: "each read of a page needs a write of another page (FlexGen's path at half of its rate)",
      value: drop(scale(setting.hostPath, 1 / 2)),
    },
    {
      what: "the kernel swaps eight pages of 4 KiB a read of 80 us, one read after another (assumed)",
      value: drop(swapRate(80e-6)),
    },
    ...[100, 120].map((us) => ({
      what: `the kernel swaps eight pages of 4 KiB a read of ${us} us, one read after another (assumed)`,
      value: drop(swapRate(us * 1e-6)),
    })),
  ];
}

/** InstI's gain over DeepSpeed in host memory, in percent. */
export function hostMemoryExplanations(setting: InstInferSetting): readonly Explanation[] {
  const gain = (hostMemory: BytesPerSecond, other?: Seconds): number => {
    const changed = { ...setting, hostMemory, ...defined({ other }) };
    const throughput = runSystem("InstI-Dense", changed, 256).throughput;
    return 100 * (throughput / runSystem("DeepSpeed", changed, 16).throughput - 1);
  };
  return [
    { what: "10.1 GB/s of host memory", value: gain(bytesPerSecond(10.1e9)) },
    { what: "the text's 32 GB/s of PCIe", value: gain(bytesPerSecond(32e9)) },
    { what: noOther.what, value: gain(setting.hostMemory, seconds(0)) },
  ];
}

/** SparF's gain over dense attention on the devices. */
export function sparsityExplanations(setting: InstInferSetting): readonly Explanation[] {
  const readings = [fewerPages, onlyElements, noOther];
  return ratiosUnder(readings, setting, ["InstI-SparF", 256], ["InstI-Dense", 256]);
}

/** The same for pages that are read, where eta is not a parameter. */
export function readExplanations(setting: InstInferSetting): readonly Explanation[] {
  const readings = [shortOther, withBatch, noOther];
  return ratiosUnder(readings, setting, ["InstI-SparF", 256], ["InstI-Dense", 256]);
}

/** One device at batch 64 over FlexGen. */
export function oneDeviceExplanations(
  setting: InstInferSetting,
  sparse: boolean,
): readonly Explanation[] {
  const instInfer: InstInferSystem = sparse ? "InstI-SparF" : "InstI-Dense";
  return ratiosUnder([shortOther, noOther], setting, [instInfer, 64], ["FlexGen", 64]);
}

/** Figure 13: two devices at 256 over FlexGen at 32. */
export function twoDeviceExplanations(
  setting: InstInferSetting,
  sparse: boolean,
): readonly Explanation[] {
  const instInfer: InstInferSystem = sparse ? "InstI-SparF" : "InstI-Dense";
  const other: InstInferSystem = sparse ? "FlexGen-SparQ" : "FlexGen";
  const copies = sparse ? sparseFootprint : 1;
  const readings = [
    twicePath,
    ...pageCacheRooms.map((room) => pageCache(room, copies)),
    withBatch,
    ...(sparse ? [allPages] : []),
    noOther,
  ];
  return ratiosUnder(readings, setting, [instInfer, 256], [other, 32]);
}

/** Shares of the cache in figures 14 and 15, in percent. */
export function shareExplanations(
  setting: InstInferSetting,
  system: InstInferSystem,
): readonly Explanation[] {
  const sparse = system === "InstI-SparF" || system === "FlexGen-SparQ";
  const readings = [
    shortOther,
    ...(setting.devices === 2 ? [shared] : []),
    ...(system === "InstI-SparF" ? [allPages] : []),
    // It lowers the share, and ours is too low already: the page says so beside figure 15.
    ...(system.startsWith("FlexGen")
      ? pageCacheRooms.map((room) => pageCache(room, sparse ? sparseFootprint : 1))
      : []),
  ];
  const halved: Reading = {
    what: "sparse steps need half of the time of dense steps outside of the cache",
    change: ({ other }) => ({ other: scale(other, 1 / 2) }),
  };
  return [...readings, ...(sparse ? [halved] : [])].map(({ what, change }) => {
    const changed = { ...setting, ...change(setting, printedBatch) };
    const { step } = runSystem(system, changed, printedBatch);
    return { what, value: step === null ? NaN : (100 * step.cache) / step.total };
  });
}
