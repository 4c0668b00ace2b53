// SPDX-License-Identifier: Apache-2.0
// A memory that walks through every cycle and looks at every request in each: slow, and as near to
// the prose of the rules as can be. The event-driven model has to do the same.

import type { ChannelCounts } from "../../../src/kernels/dram/replay.ts";
import type { DramReplayConfig } from "../../../src/kernels/dram/replay-config.ts";
import { mapAddress, type TraceRequest } from "./address-map.ts";
import { TickChannel, type Outcome } from "./tick-channel.ts";

/** Lines as in the files, without their headers. */
export interface TickResult {
  readonly commands: readonly string[];
  readonly completions: readonly string[];
  readonly totalCycles: number;
  readonly channels: readonly ChannelCounts[];
}

/** Runs a trace cycle by cycle until every request is complete. */
export function tickModel(
  config: DramReplayConfig,
  trace: readonly TraceRequest[],
  limit = 300_000,
): TickResult {
  const outcomes = new Map<number, Outcome>();
  const channels = Array.from(
    { length: config.organization.channels },
    (_, c) => new TickChannel(config, c, outcomes),
  );
  const mapped = trace.map((request) => ({ request, ...mapAddress(config, request.address) }));
  const fifos =
    config.injection === "global_fifo"
      ? [mapped]
      : channels.map((_, c) => mapped.filter(({ channel }) => channel === c));
  const most = config.acceptsPerCycle === 0 ? Infinity : config.acceptsPerCycle;
  let completed = 0;
  let clock = 0;
  while (completed < trace.length) {
    if (clock > limit) throw new Error("the tick model does not come to an end");
    for (const fifo of fifos) {
      for (let accepted = 0; accepted < most; accepted += 1) {
        const head = fifo[0];
        if (head === undefined || head.request.arrival > clock) break;
        if (channels[head.channel]?.offer(head.request, head.place, clock) !== true) break;
        outcomes.set(head.request.id, { accept: clock, issue: -1, complete: -1 });
        fifo.shift();
      }
    }
    clock += 1;
    for (const channel of channels) channel.tick(clock);
    completed = [...outcomes.values()].filter(({ complete }) => complete >= 0).length;
  }
  const commands = channels
    .flatMap((channel, c) => channel.lines.map((line) => ({ ...line, c })))
    .sort((a, b) => a.cycle - b.cycle || a.c - b.c)
    .map(({ text }) => text);
  const completions = trace.map(({ id }) => {
    const { accept, issue, complete } = outcomes.get(id) ?? { accept: -1, issue: -1, complete: -1 };
    return [id, accept, issue, complete].join(",");
  });
  const reports = channels.map(({ statistics }) => statistics.report());
  return { commands, completions, totalCycles: clock, channels: reports };
}
