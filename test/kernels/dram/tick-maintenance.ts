// SPDX-License-Identifier: Apache-2.0
// The maintenance operations of a channel that simulates every cycle: refreshes, RFMs and closes by the row policy, in the
// order of their arrival, and the banks that they block.

import type { DramReplayConfig } from "../../../src/kernels/dram/replay-config.ts";
import type { Place } from "./address-map.ts";
import type { BusCommand, CommandKind } from "./bus-history.ts";

/** Group and bank are -1 where all are meant. */
export interface Operation {
  readonly kind: "refresh" | "refresh same" | "manage" | "manage same" | "close";
  readonly rank: number;
  readonly group: number;
  readonly bank: number;
  /** The cycle in which its refresh ends; undefined until the refresh issues. */
  over?: number;
}

type BankPlace = Omit<Place, "row" | "column">;

/** Whether a command or an operation concerns the bank of a place. */
export function covers(one: Omit<BusCommand, "kind">, place: BankPlace): boolean {
  const matches = (a: number, b: number): boolean => a === -1 || a === b;
  return (
    one.rank === place.rank && matches(one.group, place.group) && matches(one.bank, place.bank)
  );
}

export class TickMaintenance {
  readonly #config: DramReplayConfig;
  readonly #holdsChannel: boolean;
  #operations: Operation[] = [];

  constructor(config: DramReplayConfig) {
    this.#config = config;
    this.#holdsChannel = config.semantics.refreshHoldsAllBanks;
  }

  push(operation: Operation): void {
    this.#operations.push(operation);
  }

  /** Refreshes that fall due in a cycle, and the end of those that are over. */
  tick(t: number): void {
    this.#operations = this.#operations.filter(({ over = Infinity }) => over > t);
    if (this.#config.refresh === "None") return;
    const { ranks, banksPerGroup } = this.#config.organization;
    const same = this.#config.refresh === "SameBank";
    // REFsb refreshes half of the rows of one bank of each group; banks are refreshed in order.
    const parts = same ? 2 * banksPerGroup : 1;
    const interval = Math.floor(this.#config.timing.nREFI / parts);
    for (let rank = 0; rank < ranks; rank += 1) {
      const together = this.#config.semantics.refreshAllRanksAtOnce;
      const offset = together ? 0 : Math.floor((rank * interval) / ranks);
      const count = (t - offset) / interval;
      if (count < 1 || !Number.isInteger(count)) continue;
      this.push(
        same
          ? { kind: "refresh same", rank, group: -1, bank: (count - 1) % banksPerGroup }
          : { kind: "refresh", rank, group: -1, bank: -1 },
      );
    }
  }

  /** The operation that all others wait for, if operations block the channel. */
  head(): Operation | undefined {
    return this.#holdsChannel ? this.#operations[0] : undefined;
  }

  /** Refreshes that wait for no other refresh of their rank. */
  refreshes(): readonly Operation[] {
    if (this.#holdsChannel) return [];
    const all = this.#operations.filter(({ kind }) => kind !== "close");
    return all.filter((one) => one === all.find(({ rank }) => rank === one.rank));
  }

  /** Closes that no refresh includes. */
  closes(): readonly Operation[] {
    return this.#allCloses().filter(
      (close) => !this.refreshes().some((refresh) => covers(refresh, close)),
    );
  }

  /** Operations whose banks start no further request. */
  holders(): readonly Operation[] {
    return [...this.refreshes(), ...this.#managements(), ...this.#allCloses()];
  }

  /** RFMs that have not issued: they block their banks also while they wait for other operations. */
  #managements(): readonly Operation[] {
    if (this.#holdsChannel) return [];
    return this.#operations.filter(
      ({ kind, over }) => (kind === "manage" || kind === "manage same") && over === undefined,
    );
  }

  holds(place: BankPlace): boolean {
    return this.holders().some((one) => covers(one, place));
  }

  /** The operation has issued its last command; a refresh blocks its banks until they can be opened. */
  sent(operation: Operation, kind: CommandKind, t: number): void {
    if (this.#holdsChannel || operation.kind === "close") {
      this.#operations = this.#operations.filter((other) => other !== operation);
      return;
    }
    const { nRFC1, nRFCsb } = this.#config.timing;
    const early = this.#config.semantics.firstCycleIntervals ? 0 : 1;
    operation.over = t + (kind === "REFab" || kind === "RFMab" ? nRFC1 : nRFCsb) - early;
  }

  /** A bank that is closed needs no close, and one that is to be closed no second one. */
  forgetCloses(isOpen: (key: string) => boolean): void {
    if (this.#holdsChannel) return;
    const seen = new Set<string>();
    this.#operations = this.#operations.filter(({ kind, rank, group, bank }) => {
      if (kind !== "close") return true;
      const key = `${rank}.${group}.${bank}`;
      const first = isOpen(key) && !seen.has(key);
      seen.add(key);
      return first;
    });
  }

  #allCloses(): readonly Operation[] {
    return this.#holdsChannel ? [] : this.#operations.filter(({ kind }) => kind === "close");
  }
}
