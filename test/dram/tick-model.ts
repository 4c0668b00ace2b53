// SPDX-License-Identifier: Apache-2.0
// A memory that walks through every cycle and looks at every request in each: slow, and as near to
// the prose of the rules as can be. The event-driven model has to do the same.

import type { ChannelReport } from "../../src/dram/binding.ts";
import type { DramReplayConfig } from "../../src/dram/replay-config.ts";
import { mapAddress, type Place, type TraceRequest } from "./address-map.ts";
import { BusHistory, type BusCommand } from "./bus-history.ts";
import { TickStatistics } from "./tick-statistics.ts";

/** Lines as in the files, without their headers. */
export interface TickResult {
  readonly commands: readonly string[];
  readonly completions: readonly string[];
  readonly totalCycles: number;
  readonly channels: readonly ChannelReport[];
}

interface Waiting {
  readonly request: TraceRequest;
  readonly place: Place;
  readonly arrive: number;
}

interface Outcome {
  accept: number;
  issue: number;
  complete: number;
}

interface Chore {
  readonly kind: "refresh" | "close";
  readonly rank: number;
  readonly group: number;
  readonly bank: number;
}

class TickChannel {
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
    if (this.#writes.some((w) => w.request.address === request.address)) {
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
    this.#refresh(t);
    const pick = this.#pick(t);
    if (pick === undefined) return;
    if (pick.command.kind === "PRE" || pick.command.kind === "PREA") {
      if (this.#active.some((a) => touches(pick.command, a.place))) return;
    }
    this.#issue(pick, t);
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
    const { nREFI } = this.#config.timing;
    const { ranks } = this.#config.organization;
    for (let rank = 0; rank < ranks; rank += 1) {
      const together = this.#config.semantics.refreshAllRanksAtOnce;
      const offset = together ? 0 : Math.floor((rank * nREFI) / ranks);
      if (t - offset > 0 && (t - offset) % nREFI === 0) {
        this.#chores.push({ kind: "refresh", rank, group: -1, bank: -1 });
      }
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
    const open = [...this.#openRow.keys()].some((key) => key.startsWith(`${rank}.`));
    return { kind: open ? "PREA" : "REFab", rank, group: -1, bank: -1 };
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
    const active = this.#best(this.#active, t);
    if (active !== undefined) return active;
    const [chore] = this.#chores;
    if (chore !== undefined) {
      const command = this.#nextOfChore(chore);
      return this.#bus.isReady(command, t) ? { command, chore } : undefined;
    }
    const { nominal } = this.#config.queues;
    const high = Math.fround(Math.fround(this.#config.writeHighWatermark) * nominal);
    const low = Math.fround(Math.fround(this.#config.writeLowWatermark) * nominal);
    if (this.#writing) {
      if (this.#writes.length < low && this.#reads.length > 0) this.#writing = false;
    } else if (this.#writes.length > high || this.#reads.length === 0) {
      this.#writing = true;
    }
    return this.#best(this.#writing ? this.#writes : this.#reads, t);
  }

  #tellPolicy({ kind, rank, group, bank }: BusCommand): void {
    if (this.#config.rowPolicy !== "ClosedRowPolicy") return;
    const key = `${rank}.${group}.${bank}`;
    if (kind === "PRE") this.#accesses.delete(key);
    if (kind === "PREA" || kind === "REFab") {
      for (const k of this.#accesses.keys()) {
        if (k.startsWith(`${rank}.`)) this.#accesses.delete(k);
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
    if (kind === "PREA") {
      for (const k of this.#openRow.keys()) if (k.startsWith(`${rank}.`)) this.#openRow.delete(k);
    }
    if (chore !== undefined && kind !== "PREA") this.#chores.shift();
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

function touches(command: BusCommand, place: Place): boolean {
  const matches = (a: number, b: number): boolean => a === -1 || a === b;
  return (
    command.rank === place.rank &&
    matches(command.group, place.group) &&
    matches(command.bank, place.bank)
  );
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
