// SPDX-License-Identifier: Apache-2.0
// A channel that walks through every cycle and looks at every request in each.

import type { DramReplayConfig } from "../../../src/kernels/dram/replay-config.ts";
import type { Place, TraceRequest } from "./address-map.ts";
import { BusHistory, type BusCommand } from "./bus-history.ts";
import { covers, TickMaintenance, type Operation } from "./tick-maintenance.ts";
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
  readonly #maintenance: TickMaintenance;
  #pending: { readonly id: number; readonly departure: number }[] = [];
  readonly #accesses = new Map<string, number>();
  /** Activations of banks that no refresh and no RFM has covered. */
  readonly #activations = new Map<string, number>();
  #writing = false;

  constructor(config: DramReplayConfig, channel: number, outcomes: Map<number, Outcome>) {
    this.#config = config;
    this.#channel = channel;
    this.#outcomes = outcomes;
    this.#bus = new BusHistory(config);
    this.#maintenance = new TickMaintenance(config);
    this.statistics = new TickStatistics(config);
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
    if ([...this.#writes, ...(inOrder ? this.#active : [])].some(ofAddress)) {
      this.#pending.push({ id: request.id, departure: clock + 1 });
      this.statistics.forwarded += 1;
      return true;
    }
    if (this.#reads.length >= this.#config.queues.read) return false;
    this.#reads.push(waiting);
    return true;
  }

  tick(t: number): void {
    this.statistics.cycle(this.#openRow.size, this.#reads, this.#writes, this.#active);
    this.#complete(t);
    this.#maintenance.tick(t);
    const pick = this.#pick(t);
    if (pick === undefined) return;
    if (!this.#drops(pick.command)) this.#issue(pick, t);
  }

  /** A precharge never closes a row that an active request still needs. */
  #drops(command: BusCommand): boolean {
    if (!command.kind.startsWith("PRE")) return false;
    return this.#active.some((active) => covers(command, active.place));
  }

  #complete(t: number): void {
    const done = (id: number): void => {
      const outcome = this.#outcomes.get(id);
      if (outcome === undefined) return;
      outcome.complete = t;
      this.statistics.reads.push(t - outcome.accept);
    };
    if (this.#config.semantics.oneCompletionPerCycle) {
      const head = this.#pending[0];
      if (head === undefined || head.departure > t) return;
      done(head.id);
      this.#pending.shift();
      return;
    }
    for (const p of this.#pending.filter(({ departure }) => departure <= t)) done(p.id);
    this.#pending = this.#pending.filter(({ departure }) => departure > t);
  }

  #next(waiting: Waiting): BusCommand {
    const { rank, group, bank, row } = waiting.place;
    const open = this.#openRow.get(`${rank}.${group}.${bank}`);
    const access = waiting.request.op === "R" ? "RD" : "WR";
    const kind = open === undefined ? "ACT" : open === row ? access : "PRE";
    return { kind, rank, group, bank };
  }

  #nextOf({ kind, rank, group, bank }: Operation): BusCommand {
    if (kind === "close") return { kind: "PRE", rank, group, bank };
    const open = this.#openBanks({ rank, group, bank }).length > 0;
    const command = {
      refresh: open ? "PREA" : "REFab",
      manage: open ? "PREA" : "RFMab",
      "refresh same": open ? "PREsb" : "REFsb",
      "manage same": open ? "PREsb" : "RFMsb",
    } as const;
    return { kind: command[kind], rank, group, bank };
  }

  /** Banks with an open row; any group or bank where it is -1. */
  #openBanks(of: Omit<BusCommand, "kind">): readonly string[] {
    return [...this.#openRow.keys()].filter((key) => {
      const [rank = -1, group = -1, bank = -1] = key.split(".").map(Number);
      return covers(of, { rank, group, bank });
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
    const head = this.#maintenance.head();
    const any = this.#best(this.#active, t);
    if (head !== undefined) return any ?? this.#ready(head, t);
    const urgent = this.#best(this.#urgent(), t);
    if (urgent !== undefined) return urgent;
    const refresh = this.#first(this.#maintenance.refreshes(), t);
    if (refresh !== undefined) return refresh;
    const due = this.#due(t);
    const goes = (waiting: Waiting): boolean => !this.#delays(this.#next(waiting), due, t);
    const active = this.#best(this.#active.filter(goes), t);
    if (active !== undefined) return active;
    this.#writing = this.#nextMode();
    const queue = this.#free(this.#writing ? this.#writes : this.#reads);
    const waiting = this.#best(queue.filter(goes), t);
    // A pick that is dropped loses the cycle for other requests, not for a close.
    if (waiting !== undefined && !this.#drops(waiting.command)) return waiting;
    const closes = this.#maintenance.closes();
    return this.#first(
      closes.filter((close) => !this.#delays(this.#nextOf(close), due, t)),
      t,
    );
  }

  #ready(operation: Operation, t: number): Pick | undefined {
    const command = this.#nextOf(operation);
    return this.#bus.isReady(command, t) ? { command, operation } : undefined;
  }

  /** The first operation whose next command can issue. */
  #first(operations: readonly Operation[], t: number): Pick | undefined {
    return operations
      .filter(({ over }) => over === undefined)
      .map((operation) => this.#ready(operation, t))
      .find((pick) => pick !== undefined && !this.#drops(pick.command));
  }

  /** Active requests of banks that a refresh waits for. */
  #urgent(): readonly Waiting[] {
    const refreshes = this.#maintenance.refreshes();
    return this.#active.filter(({ place }) => refreshes.some((one) => covers(one, place)));
  }

  /** Commands that no other may delay, each with the cycle in which it is ready. */
  #due(t: number): readonly Due[] {
    const refreshes = this.#maintenance
      .refreshes()
      .filter(({ over }) => over === undefined)
      .map((refresh) => this.#nextOf(refresh))
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

  /** Requests whose next command may issue if its timing permits. */
  #free(queue: readonly Waiting[]): readonly Waiting[] {
    const loses = this.#config.semantics.blockedPickLosesCycle;
    return this.#ordered(queue).filter(
      (waiting) =>
        !this.#maintenance.holds(waiting.place) && (loses || !this.#drops(this.#next(waiting))),
    );
  }

  /** Without the writes that wait for an older read of their address. */
  #ordered(queue: readonly Waiting[]): readonly Waiting[] {
    if (this.#config.semantics.reordersSameAddress) return queue;
    const reads = [...this.#reads, ...this.#active].filter(({ request }) => request.op === "R");
    const addresses = new Set(reads.map(({ request }) => request.address));
    return queue.filter(({ request }) => request.op === "R" || !addresses.has(request.address));
  }

  #nextMode(): boolean {
    const { nominal } = this.#config.queues;
    const high = Math.fround(Math.fround(this.#config.writeHighWatermark) * nominal);
    const low = Math.fround(Math.fround(this.#config.writeLowWatermark) * nominal);
    const canGo = (queue: readonly Waiting[]): boolean =>
      this.#ordered(queue).some(({ place }) => !this.#maintenance.holds(place));
    const [reads, writes] = [canGo(this.#reads), canGo(this.#writes)];
    if (this.#maintenance.holders().length > 0 && !reads && !writes) return this.#writing;
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
    this.#maintenance.push({ kind: "close", rank, group, bank });
  }

  /** Counts activations for refresh management; at the threshold the bank gets an RFM. */
  #count(command: BusCommand): void {
    const rule = this.#config.refreshManagement;
    const { kind, rank, group, bank } = command;
    if (rule === undefined) return;
    if (kind === "ACT") {
      const key = `${rank}.${group}.${bank}`;
      const count = (this.#activations.get(key) ?? 0) + 1;
      this.#activations.set(key, count);
      if (count !== rule.initial) return;
      const same = this.#config.refresh === "SameBank";
      this.#maintenance.push({
        kind: same ? "manage same" : "manage",
        rank,
        group: -1,
        bank: same ? bank : -1,
      });
    } else if (kind.startsWith("RE") || kind.startsWith("RF")) {
      const covered = kind.startsWith("RF") ? rule.initial : rule.perRefresh;
      for (const [key, count] of this.#activations) {
        const [of = -1, g = -1, b = -1] = key.split(".").map(Number);
        if (!covers(command, { rank: of, group: g, bank: b })) continue;
        this.#activations.set(key, Math.max(0, count - covered));
      }
    }
  }

  #issue({ command, waiting, operation }: Pick, t: number): void {
    const { kind, rank, group, bank } = command;
    this.#tellPolicy(command);
    this.#count(command);
    this.#bus.record(command, t);
    this.statistics.command(kind, waiting && { id: waiting.request.id, place: waiting.place });
    this.#write(command, waiting, t);
    const key = `${rank}.${group}.${bank}`;
    if (kind === "PRE") this.#openRow.delete(key);
    if (group < 0) for (const k of this.#openBanks(command)) this.#openRow.delete(k);
    if (operation !== undefined && kind !== "PREA" && kind !== "PREsb") {
      this.#maintenance.sent(operation, kind, t);
    }
    this.#maintenance.forgetCloses((bankKey) => this.#openRow.has(bankKey));
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

  #leave(waiting: Waiting): void {
    const without = (queue: Waiting[]): Waiting[] => queue.filter((other) => other !== waiting);
    this.#reads = without(this.#reads);
    this.#writes = without(this.#writes);
    this.#active = without(this.#active);
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
  readonly operation?: Operation;
}

interface Due {
  readonly command: BusCommand;
  readonly when: number;
}
