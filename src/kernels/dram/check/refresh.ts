// SPDX-License-Identifier: Apache-2.0
// Refreshes of a rank (of a stack identifier in HBM): how many it owes, and the order of its banks.

import { present } from "../../../base/present.ts";
import { banksBelow, type CheckedMemory } from "./memory.ts";
import type { Placed, Report, TraceCommand } from "./violation.ts";

interface Rank {
  /** Refreshes of all rows so far. */
  done: number;
  /** Every refresh of the rank so far was of a part of its banks. */
  isPartial: boolean;
  isReported: boolean;
  /** Banks, or bank numbers, that were refreshed in this round. */
  readonly round: Set<number>;
}

export class Refreshes {
  readonly #memory: CheckedMemory;
  readonly #report: Report;
  readonly #interval: number;
  readonly #perRank: number;
  readonly #ranks: readonly Rank[];
  #last: TraceCommand | undefined;

  constructor(memory: CheckedMemory, report: Report) {
    this.#memory = memory;
    this.#report = report;
    this.#interval = memory.timing[memory.standard.refresh.interval] ?? Infinity;
    this.#perRank = banksBelow(memory, "rank");
    this.#ranks = Array.from({ length: banksBelow(memory, "channel") / this.#perRank }, () => ({
      done: 0,
      isPartial: true,
      isReported: false,
      round: new Set<number>(),
    }));
  }

  take({ command, banks }: Placed): void {
    this.#last = command;
    const kind = this.#memory.standard.commands[command.name]?.refreshes;
    if (kind === undefined) return;
    const { bank: banksOfGroup } = this.#memory.counts;
    for (const index of new Set(banks.map((bank) => Math.floor(bank / this.#perRank)))) {
      const rank = this.#ranks[index];
      if (rank === undefined) continue;
      this.#owes(rank, index, command.cycle, command);
      switch (kind) {
        case "all banks":
          rank.done += 1;
          rank.isPartial = false;
          rank.round.clear();
          break;
        case "one bank":
          rank.done += 1 / this.#perRank;
          this.#round(rank, present(banks[0]), this.#perRank, command);
          break;
        case "half a bank of each group":
          rank.done += 1 / (2 * banksOfGroup);
          this.#round(rank, command.bank, banksOfGroup, command);
          break;
      }
    }
  }

  end(cycle: number): void {
    const last = this.#last;
    if (last === undefined) return;
    for (const [index, rank] of this.#ranks.entries()) this.#owes(rank, index, cycle, last);
  }

  #owes(rank: Rank, index: number, cycle: number, command: TraceCommand): void {
    const { refresh } = this.#memory.standard;
    const owed = cycle / this.#interval - rank.done;
    if (rank.isReported || !this.#memory.refreshes || owed <= refresh.postponed + 1) return;
    rank.isReported = true;
    const isPartial = rank.isPartial && rank.done > 0;
    this.#report({
      rule: "refresh debt",
      basis: isPartial ? "probable" : refresh.basis,
      command,
      message:
        `rank ${index} owes ${owed.toFixed(1)} refreshes in cycle ${cycle}; ` +
        `it may postpone ${refresh.postponed}`,
    });
  }

  #round(rank: Rank, bank: number, banks: number, command: TraceCommand): void {
    if (rank.round.has(bank)) {
      this.#report({
        rule: `${command.name} order`,
        basis: "sure",
        command,
        message: "the bank was refreshed before all other banks of its rank had a turn",
      });
      rank.round.clear();
    }
    rank.round.add(bank);
    if (rank.round.size === banks) rank.round.clear();
  }
}
