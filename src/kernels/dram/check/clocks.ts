// SPDX-License-Identifier: Apache-2.0
// Clocks: which cycles of a clock a command may start in, and a clock of the data that runs after an access only.

import { sumOf, type Command, type DataClock } from "../../../machine/dram/standards/table.ts";
import type { CheckedMemory } from "./memory.ts";
import type { Report, TraceCommand } from "./violation.ts";

export class Clocks {
  readonly #memory: CheckedMemory;
  readonly #report: Report;
  /** The cycle in which the data clock of a rank stops. */
  readonly #until = new Map<number, number>();
  #latest = 0;
  #previous: TraceCommand | undefined;

  constructor(memory: CheckedMemory, report: Report) {
    this.#memory = memory;
    this.#report = report;
  }

  take(command: TraceCommand): void {
    const { standard } = this.#memory;
    const facts = standard.commands[command.name];
    if (facts === undefined) return;
    if (standard.cyclesPerClock === 2 && facts.bothEdges !== true && command.cycle % 2 === 0) {
      const message = `${command.name} starts with a falling edge of CK`;
      this.#report({ rule: "rising edge", basis: "sure", command, message });
    }
    if (standard.dataClock !== undefined) this.#dataClock(standard.dataClock, command, facts);
    this.#previous = command;
  }

  #dataClock(clock: DataClock, command: TraceCommand, facts: Command): void {
    const previous = this.#previous;
    const synchronised = previous && this.#memory.standard.commands[previous.name]?.synchronises;
    if (previous !== undefined && synchronised !== undefined) {
      const follows =
        command.cycle === previous.cycle + 1 &&
        facts.access === synchronised &&
        command.rank === previous.rank;
      if (!follows) {
        this.#report({
          rule: "CAS then access",
          basis: "sure",
          command,
          earlier: previous,
          message: `the ${synchronised} of ${previous.name} does not follow in the next cycle`,
        });
      }
    }
    const until = this.#until.get(command.rank) ?? 0;
    if (facts.synchronises !== undefined && command.cycle < until) {
      this.#report({
        rule: `${clock.name} sync while running`,
        basis: "probable",
        command,
        slack: command.cycle - until,
        message: `${clock.name} of the rank runs until cycle ${until}`,
      });
    }
    if (facts.access === undefined) return;
    const starts = synchronised !== undefined && previous?.cycle === command.cycle - 1;
    if (!this.#memory.clockAlwaysOn && !starts) this.#running(clock, command, until);
    const { dataBus } = this.#memory.standard;
    const latency = facts.access === "read" ? dataBus.read : dataBus.write;
    const stop = command.cycle + sumOf([...latency, ...clock.after], this.#memory.timing);
    this.#until.set(command.rank, Math.max(until, stop));
    this.#latest = Math.max(this.#latest, stop);
  }

  /** Reports an access without a synchronisation while its data clock is stopped. */
  #running(clock: DataClock, command: TraceCommand, until: number): void {
    if (command.cycle < until) return;
    const isElsewhere = command.cycle < this.#latest;
    this.#report({
      rule: isElsewhere ? `${clock.name} sync of this rank` : `${clock.name} sync`,
      basis: isElsewhere ? "probable" : "sure",
      command,
      slack: until - command.cycle - 1,
      message:
        `${clock.name} of the rank ${until === 0 ? "never started" : `stopped in cycle ${until}`}` +
        (isElsewhere ? "; that of another rank runs" : ""),
    });
  }
}
