// SPDX-License-Identifier: Apache-2.0
// The rules of one channel, command by command.

import { Activations } from "./activations.ts";
import { Banks } from "./banks.ts";
import { Clocks } from "./clocks.ts";
import { DataBus } from "./data-bus.ts";
import { Intervals, type Margin } from "./intervals.ts";
import { banksBelow, type CheckedMemory } from "./memory.ts";
import { Refreshes } from "./refresh.ts";
import type { Report, TraceCommand } from "./violation.ts";

export class Channel {
  readonly #memory: CheckedMemory;
  readonly #counted: ReadonlyMap<string, number>;
  readonly #report: Report;
  readonly #intervals: Intervals;
  readonly #banks: Banks;
  readonly #dataBus: DataBus;
  readonly #refreshes: Refreshes;
  readonly #clocks: Clocks;
  readonly #activations: Activations;
  /** The last command of each bus, and the cycle from which the bus is free. */
  readonly #buses = new Map<number, { readonly command: TraceCommand; readonly free: number }>();
  #last: TraceCommand | undefined;

  constructor(memory: CheckedMemory, counted: ReadonlyMap<string, number>, report: Report) {
    this.#memory = memory;
    this.#counted = counted;
    this.#report = report;
    this.#intervals = new Intervals(memory, report);
    this.#banks = new Banks(memory, report);
    this.#dataBus = new DataBus(memory, report);
    this.#refreshes = new Refreshes(memory, report);
    this.#clocks = new Clocks(memory, report);
    this.#activations = new Activations(memory, report);
  }

  get margins(): readonly Margin[] {
    return this.#intervals.margins;
  }

  take(command: TraceCommand): void {
    const banks = banksOf(this.#memory, command);
    const counted = command.cycle + (this.#counted.get(command.name) ?? 0);
    const placed = { command, banks, counted };
    this.#commandBus(command);
    this.#clocks.take(command);
    this.#intervals.take(placed);
    this.#banks.take(placed);
    this.#refreshes.take(placed);
    this.#activations.take(placed);
    this.#dataBus.take(placed);
    this.#last = command;
  }

  end(cycle: number): void {
    this.#dataBus.end();
    this.#refreshes.end(cycle);
    if (this.#last !== undefined) this.#banks.end(this.#last);
  }

  #commandBus(command: TraceCommand): void {
    const index = this.#memory.standard.commands[command.name]?.bus ?? 0;
    const bus = this.#buses.get(index);
    if (bus !== undefined && command.cycle < bus.free) {
      this.#report({
        rule: "command bus",
        basis: "sure",
        command,
        earlier: bus.command,
        slack: command.cycle - bus.free,
        message: `${bus.command.name} in cycle ${bus.command.cycle} occupies the bus until ${bus.free}`,
      });
    }
    const free = command.cycle + (this.#memory.busCycles[command.name] ?? 1);
    this.#buses.set(index, { command, free: Math.max(bus?.free ?? 0, free) });
  }
}

/** The banks that a command addresses, by their index in the channel. */
function banksOf(memory: CheckedMemory, command: TraceCommand): readonly number[] {
  const { counts } = memory;
  const ranks = counts.rank * counts["stack id"];
  const perGroup = counts.bank;
  const perRank = banksBelow(memory, "rank");
  const nodes = (field: number, count: number): readonly number[] =>
    field >= 0 ? [field] : Array.from({ length: count }, (_, i) => i);
  return nodes(command.pseudoChannel, counts["pseudo channel"]).flatMap((pseudo) =>
    nodes(command.rank, ranks).flatMap((rank) =>
      nodes(command.bankGroup, counts["bank group"]).flatMap((group) =>
        nodes(command.bank, counts.bank).map(
          (bank) => (pseudo * ranks + rank) * perRank + group * perGroup + bank,
        ),
      ),
    ),
  );
}
