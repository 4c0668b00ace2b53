// SPDX-License-Identifier: Apache-2.0
// The flash calls of the addon, and the device in their format. sim/api/flash/flash_calls.h describes the
// calls.

import { loadAddon } from "./addon.ts";
import type { Binding, Native, Words } from "./layout.ts";
import { wordsOf } from "./record.ts";
import { planeCounts, type Arbitration, type FlashDevice } from "../machine/flash/device.ts";

/** A device in the addon's format; times in ticks. */
export type NativeDevice = Pick<
  Native<"FlashReplay">,
  "channels" | "dies" | "planes" | "commandFirst" | "times"
>;
export type ChainTimes = Native<"ChainTimes">;
export type FlashBinding = Pick<Binding, Extract<keyof Binding, `flash${string}`>>;

/** Whole pages in the addon's format. */
export function wholePages(
  device: FlashDevice,
  pages: readonly Omit<Native<"FlashPage">, "bytes">[],
): Words<"FlashPage"> {
  return wordsOf(
    "FlashPage",
    pages.map(({ channel, die, plane, block, page }) => ({
      channel,
      die,
      plane,
      block,
      page,
      bytes: device.page_bytes,
    })),
  );
}

/** Loads the addon. @throws NeardataError `not-built`. */
export function loadFlash(): FlashBinding {
  return loadAddon();
}

/** A device for the addon, with the given arbitration instead of the device's. */
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
