// SPDX-License-Identifier: Apache-2.0
// A channel that walks through every cycle and looks at every request in each.

import type { DramReplayConfig } from "../../src/dram/replay-config.ts";
import type { Place, TraceRequest } from "./address-map.ts";
import { BusHistory, type BusCommand } from "./bus-history.ts";
import { TickStatistics } from "./tick-statistics.ts";

interface Waiting {
  readonly request: TraceRequest;
  readonly place: Place;
  readonly arrive: number;
}

export interface Outcome {
  accept: number;
  issue: number;
  complete: number;
}

interface Chore {
  readonly kind: "refresh" | "refresh same" | "close";
  readonly rank: number;
  readonly group: number;
  readonly bank: number;
  /** The cycle in which its refresh is over, when that is under way. */
  over?: number;
}

export class TickChannel {
  readonly lines: { readonly cycle: number; readonly text: string }[] = [];
  readonly #config: DramReplayConfig;
  readonly #channel: number;
  readonly #outcomes: Map<number, Outcome>;
  readonly #bus: BusHistory;
  readonly statistics: TickStatistics;
  readonly #openRow = new Map<string, number>();
  #reads: Waiting[] = [];
  #writes: Waiting[] = [];
  #active: Waiting[] = [];
  #chores: Chore[] = [];
  #pending: { readonly id: number; readonly departure: number }[] = [];
  readonly #accesses = new Map<string, number>();
  #writing = false;

  constructor(config: DramReplayConfig, channel: number, outcomes: Map<number, Outcome>) {
    this.#config = config;
    this.#channel = channel;
    this.#outcomes = outcomes;
    this.#bus = new BusHistory(config);
    this.statistics = new TickStatistics(config.organization);
  }

  offer(request: TraceRequest, place: Place, clock: number): boolean {
    const waiting = { request, place, arrive: clock };
    if (request.op === "W") {
      if (this.#writes.length >= this.#config.queues.write) return false;
      this.#writes.push(waiting);
      return true;
    }
    const inOrder = !this.#config.semantics.reordersSameAddress;
    const ofAddress = (w: Waiting): boolean =>
      w.request.op === "W" && w.request.address === request.address;
    if (this.#writes.some(ofAddress) || (inOrder && this.#active.some(ofAddress))) {
      this.#pending.push({ id: request.id, departure: clock + 1 });
      this.statistics.forwarded += 1;
      return true;
    }
    if (this.#reads.length >= this.#config.queues.read) return false;
    this.#reads.push(waiting);
    return true;
  }

  tick(t: number): void {
    this.statistics.cycle(this.#reads, this.#writes, this.#active);
    this.#complete(t);
    this.#chores = this.#chores.filter(({ over = Infinity }) => over > t);
    this.#refresh(t);
    const pick = this.#pick(t);
    if (pick === undefined) return;
    if (!this.#drops(pick.command)) this.#issue(pick, t);
  }

  /** A precharge never takes a row that an active request still needs. */
  #drops(command: BusCommand): boolean {
    if (!command.kind.startsWith("PRE")) return false;
    return this.#active.some((active) => touches(command, active.place));
  }

  #complete(t: number): void {
    const done = (id: number): void => {
      const outcome = this.#outcomes.get(id);
      if (outcome === undefined) return;
      outcome.complete = t;
      this.statistics.reads.push(t - outcome.accept);
    };
    if (this.#config.semantics.oneCompletionACycle) {
      const head = this.#pending[0];
      if (head === undefined || head.departure > t) return;
      done(head.id);
      this.#pending.shift();
      return;
    }
    for (const p of this.#pending.filter(({ departure }) => departure <= t)) done(p.id);
    this.#pending = this.#pending.filter(({ departure }) => departure > t);
  }

  #refresh(t: number): void {
    if (this.#config.refresh === "None") return;
    const { ranks, banksPerGroup } = this.#config.organization;
    const same = this.#config.refresh === "SameBank";
    // Half of the rows at a time, one bank of each group after the other.
    const parts = same ? 2 * banksPerGroup : 1;
    const interval = Math.floor(this.#config.timing.nREFI / parts);
    for (let rank = 0; rank < ranks; rank += 1) {
      const together = this.#config.semantics.refreshAllRanksAtOnce;
      const offset = together ? 0 : Math.floor((rank * interval) / ranks);
      const count = (t - offset) / interval;
      if (count < 1 || !Number.isInteger(count)) continue;
      this.#chores.push(
        same
          ? { kind: "refresh same", rank, group: -1, bank: (count - 1) % banksPerGroup }
          : { kind: "refresh", rank, group: -1, bank: -1 },
      );
    }
  }

  #next(waiting: Waiting): BusCommand {
    const { rank, group, bank, row } = waiting.place;
    const open = this.#openRow.get(`${rank}.${group}.${bank}`);
    const access = waiting.request.op === "R" ? "RD" : "WR";
    const kind = open === undefined ? "ACT" : open === row ? access : "PRE";
    return { kind, rank, group, bank };
  }

  #nextOfChore({ kind, rank, group, bank }: Chore): BusCommand {
    if (kind === "close") return { kind: "PRE", rank, group, bank };
    const open = this.#openBanks({ rank, group, bank }).length > 0;
    if (kind === "refresh") return { kind: open ? "PREA" : "REFab", rank, group, bank };
    return { kind: open ? "PREsb" : "REFsb", rank, group, bank };
  }

  /** Banks with an open row; any group or bank where it is -1. */
  #openBanks({ rank, group, bank }: Omit<BusCommand, "kind">): readonly string[] {
    return [...this.#openRow.keys()].filter((key) => {
      const [r, g, b] = key.split(".").map(Number);
      return r === rank && (group < 0 || g === group) && (bank < 0 || b === bank);
    });
  }

  #best(queue: readonly Waiting[], t: number): Pick | undefined {
    let best: Pick | undefined;
    let bestReady = false;
    for (const waiting of queue) {
      const command = this.#next(waiting);
      const ready = this.#bus.isReady(command, t);
      const better =
        best?.waiting === undefined ||
        (ready && !bestReady) ||
        (ready === bestReady && waiting.arrive < best.waiting.arrive);
      if (!better) continue;
      best = { command, waiting };
      bestReady = ready;
    }
    return bestReady ? best : undefined;
  }

  #pick(t: number): Pick | undefined {
    if (this.#config.semantics.refreshHoldsAllBanks) {
      const active = this.#best(this.#active, t);
      if (active !== undefined) return active;
      const [chore] = this.#chores;
      if (chore !== undefined) return this.#readyChore(chore, t);
    }
    const urgent = this.#best(this.#urgent(), t);
    if (urgent !== undefined) return urgent;
    const first = this.#firstOfRanks().find((chore) => this.#chorePick(chore, t) !== undefined);
    if (first !== undefined) return this.#chorePick(first, t);
    const due = this.#due(t);
    const goes = (waiting: Waiting): boolean => !this.#delays(this.#next(waiting), due, t);
    const active = this.#best(this.#active.filter(goes), t);
    if (active !== undefined) return active;
    this.#writing = this.#nextMode();
    const queue = this.#free(this.#writing ? this.#writes : this.#reads);
    const waiting = this.#best(queue.filter(goes), t);
    if (waiting !== undefined) return waiting;
    const mayClose = (chore: Chore): boolean =>
      this.#chorePick(chore, t) !== undefined && !this.#delays(this.#nextOfChore(chore), due, t);
    const close = this.#closes().find(mayClose);
    return close && this.#chorePick(close, t);
  }

  /** Active requests of banks that a refresh waits for. */
  #urgent(): readonly Waiting[] {
    return this.#active.filter(({ place }) =>
      this.#firstOfRanks().some((chore) => covers(chore, place)),
    );
  }

  /** Commands that none may put off, each with the cycle in which it is ready. */
  #due(t: number): readonly Due[] {
    const refreshes = this.#firstOfRanks()
      .filter(({ over }) => over === undefined)
      .map((chore) => this.#nextOfChore(chore))
      .filter((command) => !this.#drops(command));
    const accesses = this.#urgent().map((waiting) => this.#next(waiting));
    return [...refreshes, ...accesses].map((command) => ({
      command,
      when: this.#bus.readyFrom(command, t),
    }));
  }

  #delays(command: BusCommand, due: readonly Due[], t: number): boolean {
    return due.some((one) => this.#bus.after(command, t, one.command) > one.when);
  }

  #readyChore(chore: Chore, t: number): Pick | undefined {
    const command = this.#nextOfChore(chore);
    return this.#bus.isReady(command, t) ? { command, chore } : undefined;
  }

  /** The next command of a maintenance operation, where it can go. */
  #chorePick(chore: Chore, t: number): Pick | undefined {
    if (chore.over !== undefined) return undefined;
    const pick = this.#readyChore(chore, t);
    return pick === undefined || this.#drops(pick.command) ? undefined : pick;
  }

  /** Refreshes that wait for no other refresh of their rank. */
  #firstOfRanks(): readonly Chore[] {
    if (this.#config.semantics.refreshHoldsAllBanks) return [];
    const refreshes = this.#chores.filter(({ kind }) => kind !== "close");
    return refreshes.filter((chore) => chore === refreshes.find(({ rank }) => rank === chore.rank));
  }

  /** Closes that no refresh does by the way. */
  #closes(): readonly Chore[] {
    if (this.#config.semantics.refreshHoldsAllBanks) return [];
    return this.#chores.filter(
      (chore) =>
        chore.kind === "close" && !this.#firstOfRanks().some((refresh) => covers(refresh, chore)),
    );
  }

  /** Requests whose next command may issue as far as anything but timing says. */
  #free(queue: readonly Waiting[]): readonly Waiting[] {
    const { refreshHoldsAllBanks, blockedPickLosesCycle } = this.#config.semantics;
    const holders = refreshHoldsAllBanks
      ? []
      : [...this.#firstOfRanks(), ...this.#chores.filter(({ kind }) => kind === "close")];
    return this.#ordered(queue).filter(
      (waiting) =>
        !holders.some((chore) => covers(chore, waiting.place)) &&
        (blockedPickLosesCycle || !this.#drops(this.#next(waiting))),
    );
  }

  /** Without the writes that wait for an older read of their address. */
  #ordered(queue: readonly Waiting[]): readonly Waiting[] {
    if (this.#config.semantics.reordersSameAddress) return queue;
    const read = new Set(
      [...this.#reads, ...this.#active]
        .filter(({ request }) => request.op === "R")
        .map(({ request }) => request.address),
    );
    return queue.filter(({ request }) => request.op === "R" || !read.has(request.address));
  }

  #nextMode(): boolean {
    const { nominal } = this.#config.queues;
    const high = Math.fround(Math.fround(this.#config.writeHighWatermark) * nominal);
    const low = Math.fround(Math.fround(this.#config.writeLowWatermark) * nominal);
    const holders = this.#config.semantics.refreshHoldsAllBanks
      ? []
      : [...this.#firstOfRanks(), ...this.#chores.filter(({ kind }) => kind === "close")];
    const canGo = (queue: readonly Waiting[]): boolean =>
      this.#ordered(queue).some(({ place }) => !holders.some((chore) => covers(chore, place)));
    const [reads, writes] = [canGo(this.#reads), canGo(this.#writes)];
    if (holders.length > 0 && !reads && !writes) return this.#writing;
    if (this.#writing) return !((this.#writes.length < low || !writes) && reads);
    return (this.#writes.length > high && writes) || !reads;
  }

  #tellPolicy({ kind, rank, group, bank }: BusCommand): void {
    if (this.#config.rowPolicy !== "ClosedRowPolicy") return;
    const key = `${rank}.${group}.${bank}`;
    if (kind === "PRE") this.#accesses.delete(key);
    if (group < 0) {
      for (const k of this.#accesses.keys()) {
        if (k.startsWith(`${rank}.`) && (bank < 0 || k.endsWith(`.${bank}`))) {
          this.#accesses.delete(k);
        }
      }
    }
    if (kind !== "RD" && kind !== "WR") return;
    const count = (this.#accesses.get(key) ?? 0) + 1;
    this.#accesses.set(key, count);
    if (count < this.#config.closedRowCap) return;
    this.#accesses.delete(key);
    this.#chores.push({ kind: "close", rank, group, bank });
  }

  #issue({ command, waiting, chore }: Pick, t: number): void {
    const { kind, rank, group, bank } = command;
    this.#tellPolicy(command);
    this.#bus.record(command, t);
    this.statistics.command(kind, waiting && { id: waiting.request.id, place: waiting.place });
    this.#write(command, waiting, t);
    const key = `${rank}.${group}.${bank}`;
    if (kind === "PRE") this.#openRow.delete(key);
    if (group < 0) for (const k of this.#openBanks(command)) this.#openRow.delete(k);
    if (chore !== undefined && kind !== "PREA" && kind !== "PREsb") this.#done(chore, kind, t);
    if (!this.#config.semantics.refreshHoldsAllBanks) this.#forgetClosed();
    if (waiting === undefined) return;
    if (kind === "ACT") {
      this.#openRow.set(key, waiting.place.row);
      if (this.#active.length < this.#config.queues.active) {
        this.#leave(waiting);
        this.#active.push(waiting);
      }
    }
    if (kind !== "RD" && kind !== "WR") return;
    this.#leave(waiting);
    const outcome = this.#outcomes.get(waiting.request.id);
    if (outcome !== undefined) outcome.issue = t;
    if (kind === "WR" && outcome !== undefined) {
      outcome.complete = t;
      this.statistics.writes.push(t - outcome.accept);
    }
    const { nCL, nBL } = this.#config.timing;
    if (kind === "RD") this.#pending.push({ id: waiting.request.id, departure: t + nCL + nBL });
  }

  /** A refresh keeps its banks until they can be opened. */
  #done(chore: Chore, kind: BusCommand["kind"], t: number): void {
    const { refreshHoldsAllBanks, firstCycleIntervals } = this.#config.semantics;
    if (refreshHoldsAllBanks || chore.kind === "close") {
      this.#chores = this.#chores.filter((other) => other !== chore);
      return;
    }
    const { nRFC1, nRFCsb } = this.#config.timing;
    chore.over = t + (kind === "REFab" ? nRFC1 : nRFCsb) - (firstCycleIntervals ? 0 : 1);
  }

  /** A bank that is closed needs no close, and one that is to be closed no second one. */
  #forgetClosed(): void {
    const seen = new Set<string>();
    this.#chores = this.#chores.filter(({ kind, rank, group, bank }) => {
      if (kind !== "close") return true;
      const key = `${rank}.${group}.${bank}`;
      const first = this.#openRow.has(key) && !seen.has(key);
      seen.add(key);
      return first;
    });
  }

  #leave(waiting: Waiting): void {
    const others = (w: Waiting): boolean => w !== waiting;
    this.#reads = this.#reads.filter(others);
    this.#writes = this.#writes.filter(others);
    this.#active = this.#active.filter(others);
  }

  #write({ kind, rank, group, bank }: BusCommand, waiting: Waiting | undefined, t: number): void {
    const isAccess = kind === "RD" || kind === "WR";
    const row = isAccess || kind === "ACT" ? waiting?.place.row : -1;
    const column = isAccess ? waiting?.place.column : -1;
    const fields = [t, this.#channel, kind, rank, group, bank, row, column];
    this.lines.push({ cycle: t, text: [...fields, waiting?.request.id ?? -1].join(",") });
  }
}

interface Pick {
  readonly command: BusCommand;
  readonly waiting?: Waiting;
  readonly chore?: Chore;
}

/** Whether a maintenance operation concerns the bank of a place. */
const covers = (chore: Chore, place: Omit<Place, "row" | "column">): boolean =>
  touches(chore, place);

interface Due {
  readonly command: BusCommand;
  readonly when: number;
}

function touches(command: Omit<BusCommand, "kind">, place: Omit<Place, "row" | "column">): boolean {
  const matches = (a: number, b: number): boolean => a === -1 || a === b;
  return (
    command.rank === place.rank &&
    matches(command.group, place.group) &&
    matches(command.bank, place.bank)
  );
}
