// SPDX-License-Identifier: Apache-2.0
// A flash device as data: shape and timing in nanoseconds, bus rate exact. The schema is that of
// the `config` of a facts file; every rule that a device can break is checked here, all at once.

import { z } from "zod";

import type { Issue } from "../../base/errors.ts";
import { fewestTicksPerNanosecond, fractionText, parseRate, ticksPerTwoBytes } from "./rate.ts";

/** Planes that one command can address at most. */
export const maxPlanes = 16;

const count = z.int().min(1);
/**
 * Limit of channels, and of dies per channel: more than any device has, and few enough to simulate
 * in memory.
 */
const maxUnits = 256;
/** One second, which is longer than any operation of a flash. */
const nanoseconds = z.number().min(0).max(1e9);
/** With these a million operations one after the other fit a count of 63 bits. */
const maxTicks = 1000;
const byPlanes = z.record(z.string().regex(/^[1-9]\d*$/), nanoseconds);

export const flashDeviceSchema: z.ZodType<FlashDevice> = z.strictObject({
  name: z.string().optional(),
  channels: count.max(maxUnits),
  dies_per_channel: count.max(maxUnits),
  planes_per_die: count.max(maxPlanes),
  page_bytes: count.multipleOf(2).max(1 << 24),
  channel_rate: z.string().optional(),
  ticks_per_ns: count.max(maxTicks),
  bus_ticks_per_2_bytes: count.max(maxTicks * maxTicks),
  tR_ns: nanoseconds,
  t_rb_ns: nanoseconds,
  tPROG_ns: nanoseconds,
  tBERS_ns: nanoseconds.optional(),
  t_cmd_read_ns: byPlanes,
  t_cmd_program_ns: byPlanes,
  t_cmd_erase_ns: byPlanes.optional(),
  arbitration: z.enum(["data_first", "cmd_first"]),
  metadata_bytes_transferred: z.literal(0).optional(),
  ecc: z.literal("none").optional(),
  read_cache: z.literal(false).optional(),
});

/** Which gets a free bus first: a page that waits to leave, or a command for an idle die. */
export type Arbitration = "data_first" | "cmd_first";

/** One device; fields as in a facts file. `*_ns` of commands are by number of planes. */
export interface FlashDevice {
  readonly name?: string | undefined;
  readonly channels: number;
  readonly dies_per_channel: number;
  readonly planes_per_die: number;
  readonly page_bytes: number;
  readonly channel_rate?: string | undefined;
  readonly ticks_per_ns: number;
  readonly bus_ticks_per_2_bytes: number;
  readonly tR_ns: number;
  readonly t_rb_ns: number;
  readonly tPROG_ns: number;
  readonly tBERS_ns?: number | undefined;
  readonly t_cmd_read_ns: Readonly<Record<string, number>>;
  readonly t_cmd_program_ns: Readonly<Record<string, number>>;
  readonly t_cmd_erase_ns?: Readonly<Record<string, number>> | undefined;
  readonly arbitration: Arbitration;
  readonly metadata_bytes_transferred?: 0 | undefined;
  readonly ecc?: "none" | undefined;
  readonly read_cache?: false | undefined;
}

/** Rates and times of a well-formed device that ticks cannot express. */
export function deviceIssues(device: FlashDevice, where: string, usesErase: boolean): Issue[] {
  return [
    ...rateIssues(device, where),
    ...["tR_ns", "t_rb_ns", "tPROG_ns", "tBERS_ns"].flatMap((field) =>
      wholeTicks(device, device[field as "tR_ns"], `${where}.${field}`),
    ),
    ...commandIssues(device, device.t_cmd_read_ns, `${where}.t_cmd_read_ns`),
    ...commandIssues(device, device.t_cmd_program_ns, `${where}.t_cmd_program_ns`),
    ...(device.t_cmd_erase_ns === undefined
      ? []
      : commandIssues(device, device.t_cmd_erase_ns, `${where}.t_cmd_erase_ns`)),
    ...(usesErase ? eraseIssues(device, where) : []),
  ];
}

function rateIssues(device: FlashDevice, where: string): Issue[] {
  if (device.channel_rate === undefined) return [];
  const rate = parseRate(device.channel_rate);
  if (rate === undefined) {
    const message = `"${device.channel_rate}" is not a rate; write a number and GB/s, MB/s or MT/s`;
    return [{ where: `${where}.channel_rate`, message }];
  }
  const ticks = ticksPerTwoBytes(rate, device.ticks_per_ns);
  if (ticks.denominator !== 1n) {
    const message =
      `${device.channel_rate} takes ${fractionText(ticks)} ticks for two bytes at ` +
      `${device.ticks_per_ns} ticks per ns, which must be a whole number; use a multiple of ` +
      `${String(fewestTicksPerNanosecond(rate))} ticks per ns`;
    return [{ where: `${where}.channel_rate`, message }];
  }
  if (ticks.numerator === BigInt(device.bus_ticks_per_2_bytes)) return [];
  const message =
    `is ${device.bus_ticks_per_2_bytes}, but ${device.channel_rate} at ${device.ticks_per_ns} ` +
    `ticks per ns takes ${fractionText(ticks)} ticks for two bytes; the two must agree`;
  return [{ where: `${where}.bus_ticks_per_2_bytes`, message }];
}

function commandIssues(
  device: FlashDevice,
  times: Readonly<Record<string, number>>,
  where: string,
): Issue[] {
  const missing = planeCounts(device).filter((planes) => times[String(planes)] === undefined);
  return [
    ...missing.map((planes) => ({
      where: `${where}.${planes}`,
      message: `is missing; a device of ${device.planes_per_die} planes needs a time for each count`,
    })),
    ...Object.entries(times).flatMap(([planes, time]) =>
      wholeTicks(device, time, `${where}.${planes}`),
    ),
  ];
}

function eraseIssues(device: FlashDevice, where: string): Issue[] {
  return (["tBERS_ns", "t_cmd_erase_ns"] as const)
    .filter((field) => device[field] === undefined)
    .map((field) => ({ where: `${where}.${field}`, message: "is missing; erases need it" }));
}

function wholeTicks(device: FlashDevice, time: number | undefined, where: string): Issue[] {
  if (time === undefined || Number.isSafeInteger(time * device.ticks_per_ns)) return [];
  const message = `${time} ns is no whole number of ticks at ${device.ticks_per_ns} ticks per ns`;
  return [{ where, message }];
}

/** 1 .. planes of a die. */
export function planeCounts(device: FlashDevice): number[] {
  return Array.from({ length: device.planes_per_die }, (_, i) => i + 1);
}

/** Time in which a page's bytes cross its channel, in nanoseconds. */
export function pageTransferNs(device: FlashDevice): number {
  return ((device.page_bytes / 2) * device.bus_ticks_per_2_bytes) / device.ticks_per_ns;
}
