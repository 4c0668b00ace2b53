// SPDX-License-Identifier: Apache-2.0
// The flash calls of the addon and the device in the form they take. See native/flash_replay.h.

import { loadAddon } from "../native/addon.ts";
import { planeCounts, type Arbitration, type FlashDevice } from "./device.ts";

/** A device as the addon takes it; times in ticks. */
export interface NativeDevice {
  readonly channels: number;
  readonly dies: number;
  readonly planes: number;
  readonly commandFirst: boolean;
  readonly times: Float64Array;
}

/** What becomes of pages: ticks by page (`dataOut` NaN where no data leaves), bus use by channel. */
export interface PageTimes {
  readonly command: Float64Array;
  readonly dataOut: Float64Array;
  readonly done: Float64Array;
  readonly planes: Uint8Array;
  readonly busCommand: Float64Array;
  readonly busData: Float64Array;
}

/** `where` holds channel, die, plane, block, page and bytes of each page. */
export interface ReplaySpec extends NativeDevice {
  readonly submit: Float64Array;
  readonly batch: Uint32Array;
  readonly operation: Uint8Array;
  readonly where: Uint32Array;
}

/** Chain c is the steps firstStep[c] .. firstStep[c+1], step s the pages firstPage[s] .. */
export interface ChainsSpec extends NativeDevice {
  readonly firstStep: Uint32Array;
  readonly firstPage: Uint32Array;
  readonly where: Uint32Array;
  readonly inFlight: number;
}

/** Page times and, by chain, when it began and ended. */
export interface ChainTimes extends PageTimes {
  readonly started: Float64Array;
  readonly finished: Float64Array;
}

/** Page reads that may fail; the policy is that of reads.ts in ticks. */
export interface ReadsSpec extends NativeDevice {
  readonly where: Uint32Array;
  readonly rawRate: number;
  readonly retryGain: number;
  readonly codewordBytes: number;
  readonly correctableBits: number;
  readonly mostRetries: number;
  readonly seed: number;
  readonly retrySetup: number;
  readonly deadTimeout: number;
  readonly deadChannels: Uint32Array;
}

/** Answers by page; `status` is an index into readStatuses. */
export interface ReadAnswers {
  readonly status: Uint32Array;
  readonly attempts: Uint32Array;
  readonly correctedBits: Uint32Array;
  readonly done: Float64Array;
  readonly busCommand: Float64Array;
  readonly busData: Float64Array;
}

/** A script for the translation of keys and values; see native/flash_kv.cc. */
export interface KvSpec {
  readonly channels: number;
  readonly dies: number;
  readonly planes: number;
  readonly blocks: number;
  readonly pagesPerBlock: number;
  readonly width: number;
  readonly pageBytes: number;
  readonly script: Uint32Array;
}

/** What a script did. */
export interface KvOutcome {
  readonly work: Uint32Array;
  readonly workAfter: Uint32Array;
  readonly located: Uint32Array;
  readonly full: number;
  readonly hostWrites: number;
  readonly moves: number;
  readonly erases: number;
  readonly mostErases: number;
  readonly leastErases: number;
}

export interface FlashBinding {
  readonly flashReplay: (spec: ReplaySpec) => PageTimes;
  readonly flashChains: (spec: ChainsSpec) => ChainTimes;
  readonly flashReads: (spec: ReadsSpec) => ReadAnswers;
  readonly flashKv: (spec: KvSpec) => KvOutcome;
}

/** Numbers a page has in `where`. */
export const placeFields = 6;

/** Loads the addon. @throws NeardataError `not-built`. */
export function loadFlash(): FlashBinding {
  return loadAddon() as FlashBinding;
}

/** A device, with an arbitration that may differ from its own, for the addon. */
export function nativeDevice(device: FlashDevice, arbitration: Arbitration): NativeDevice {
  const ticks = (nanoseconds: number | undefined): number =>
    (nanoseconds ?? 0) * device.ticks_per_ns;
  const commands = (times: Readonly<Record<string, number>> | undefined): number[] =>
    planeCounts(device).map((planes) => ticks(times?.[String(planes)]));
  return {
    channels: device.channels,
    dies: device.dies_per_channel,
    planes: device.planes_per_die,
    commandFirst: arbitration === "cmd_first",
    times: Float64Array.from([
      device.bus_ticks_per_2_bytes,
      ticks(device.tR_ns) + ticks(device.t_rb_ns),
      ticks(device.tPROG_ns),
      ticks(device.tBERS_ns),
      ...commands(device.t_cmd_read_ns),
      ...commands(device.t_cmd_program_ns),
      ...commands(device.t_cmd_erase_ns),
    ]),
  };
}
