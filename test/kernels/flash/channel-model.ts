// SPDX-License-Identifier: Apache-2.0
// Requests worked by the plain rules of a flash channel, every channel by itself.

import type { Arbitration, FlashDevice } from "../../../src/machine/flash/device.ts";
import { ChannelModel, never } from "./channel-rules.ts";
import type { FlashFeatures, FlashRequest, PageTimes } from "./flash-work.ts";

export interface FlashRun {
  /** Of every request. */
  readonly times: readonly PageTimes[];
  /** Of every channel. */
  readonly busCommand: readonly number[];
  readonly busData: readonly number[];
}

/** Works requests, which are in order of submission. */
export function flashRun(
  device: FlashDevice,
  arbitration: Arbitration,
  requests: readonly FlashRequest[],
  features: FlashFeatures = {},
): FlashRun {
  const times = new Map<number, PageTimes>();
  const [busCommand, busData]: [number[], number[]] = [[], []];
  for (let c = 0; c < device.channels; c += 1) {
    const channel = new ChannelModel(device, arbitration, requests, features);
    const runUntil = (end: number): void => {
      for (let now = channel.nextEvent(); now <= end && now < never; now = channel.nextEvent()) {
        channel.step(now);
      }
    };
    for (let i = 0; i < requests.length;) {
      const { submit = 0, batch } = requests[i] ?? {};
      const mine: number[] = [];
      for (; i < requests.length && requests[i]?.batch === batch; i += 1) {
        if (requests[i]?.channel === c) mine.push(i);
      }
      runUntil(submit);
      if (mine.length > 0) channel.submit(submit, mine);
    }
    runUntil(never);
    for (const [index, time] of channel.times) times.set(index, time);
    busCommand.push(channel.use.commands);
    busData.push(channel.use.data);
  }
  const all = Array.from(requests.keys(), (i) => {
    const time = times.get(i);
    if (time === undefined) throw new Error(`request ${String(i)} never ended`);
    return time;
  });
  return { times: all, busCommand, busData };
}
