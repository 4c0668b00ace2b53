// SPDX-License-Identifier: Apache-2.0
// The data bus: bursts do not overlap, and bursts of two ranks have a gap between them. Bursts are in order of their
// first cycle; a burst waits here until no later command can have an earlier one.

import { sumOf } from "../../../machine/dram/standards/table.ts";
import { banksBelow, type CheckedMemory } from "./memory.ts";
import type { Placed, Report, TraceCommand } from "./violation.ts";

interface Burst {
  readonly from: number;
  readonly to: number;
  readonly rank: number;
  readonly command: TraceCommand;
}

interface Bus {
  last: Burst | undefined;
  readonly pending: Burst[];
}

export class DataBus {
  readonly #memory: CheckedMemory;
  readonly #report: Report;
  readonly #buses = new Map<number, Bus>();
  readonly #latency: Readonly<Record<"read" | "write", number>>;
  readonly #burst: number;
  readonly #gap: number;
  readonly #perBus: number;
  readonly #perRank: number;

  constructor(memory: CheckedMemory, report: Report) {
    const { dataBus } = memory.standard;
    const { timing } = memory;
    this.#memory = memory;
    this.#report = report;
    this.#latency = { read: sumOf(dataBus.read, timing), write: sumOf(dataBus.write, timing) };
    this.#burst = sumOf(dataBus.burst, timing);
    this.#gap = dataBus.gap === undefined ? 0 : sumOf(dataBus.gap, timing);
    this.#perBus = banksBelow(memory, dataBus.level);
    this.#perRank = banksBelow(memory, "rank");
  }

  take({ command, banks, counted }: Placed): void {
    const access = this.#memory.standard.commands[command.name]?.access;
    const bank = banks[0];
    if (access === undefined || bank === undefined) return;
    const index = Math.floor(bank / this.#perBus);
    const bus = this.#buses.get(index) ?? { last: undefined, pending: [] };
    this.#buses.set(index, bus);
    const from = counted + this.#latency[access];
    const rank = Math.floor(bank / this.#perRank);
    const at = bus.pending.findLastIndex((burst) => burst.from <= from) + 1;
    bus.pending.splice(at, 0, { from, to: from + this.#burst, rank, command });
    // No later command has a burst before this cycle.
    const settled = counted + Math.min(this.#latency.read, this.#latency.write);
    this.#settle(bus, settled);
  }

  end(): void {
    for (const bus of this.#buses.values()) this.#settle(bus, Infinity);
  }

  #settle(bus: Bus, before: number): void {
    for (let next = bus.pending[0]; next !== undefined && next.from < before;) {
      bus.pending.shift();
      if (bus.last !== undefined) this.#compare(bus.last, next);
      bus.last = next;
      next = bus.pending[0];
    }
  }

  #compare(first: Burst, second: Burst): void {
    const gap = second.from - first.to;
    const needed = first.rank === second.rank ? 0 : this.#gap;
    if (gap >= needed) return;
    const [earlier, command] =
      second.command.line > first.command.line ? [first, second] : [second, first];
    const bursts =
      `data of ${first.command.name} in cycles ${first.from} to ${first.to - 1}, ` +
      `of ${second.command.name} in cycles ${second.from} to ${second.to - 1}`;
    this.#report({
      ...(gap < 0
        ? { rule: "burst overlap", basis: "sure", message: bursts }
        : { rule: "rank switch gap", basis: "system", message: `${bursts}; the gap is ${needed}` }),
      command: command.command,
      earlier: earlier.command,
      slack: gap < 0 ? gap : gap - needed,
    });
  }
}
