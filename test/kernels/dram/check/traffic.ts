// SPDX-License-Identifier: Apache-2.0
// Legal command traces from the table of a standard: random commands, each in the first cycle that every row allows
// after every earlier command. It compares all pairs of commands and shares no code with the checker.

import { randomStream } from "../../../../src/base/random.ts";
import type { Command, Sum } from "../../../../src/machine/dram/standards/table.ts";
import type { CheckedMemory } from "../../../../src/kernels/dram/check/memory.ts";
import type { TraceCommand } from "../../../../src/kernels/dram/check/violation.ts";

interface Place {
  readonly pseudoChannel: number;
  readonly rank: number;
  readonly bankGroup: number;
  readonly bank: number;
}
type Issued = TraceCommand & { readonly facts: Command; readonly counted: number };

/** Number of earlier commands that a new one is compared with: far more than fit into the longest wait. */
const memoryOfTraffic = 400;

export function sum(terms: Sum, memory: CheckedMemory): number {
  let total = 0;
  for (const term of terms) {
    if (typeof term === "number") total += term;
    else if (term.startsWith("-")) total -= memory.timing[term.slice(1)] ?? NaN;
    else total += memory.timing[term] ?? NaN;
  }
  return total;
}

const fields = ["pseudoChannel", "rank", "bankGroup", "bank"] as const;
/** Fields that name a node of a level. */
const depth = {
  channel: 0,
  "pseudo channel": 1,
  rank: 2,
  "stack id": 2,
  "bank group": 3,
  bank: 4,
} as const;

const meet = (a: number, b: number): boolean => a === b || a === -1 || b === -1;

/** Whether two places have a node of a level in common; `others`: only its parent, and the nodes differ. */
function near(a: Place, b: Place, level: keyof typeof depth, others: boolean): boolean {
  const names = fields.slice(0, depth[level]);
  const last = names.at(-1);
  if (!others || last === undefined) return names.every((name) => meet(a[name], b[name]));
  return names.slice(0, -1).every((name) => meet(a[name], b[name])) && a[last] !== b[last];
}

export class Traffic {
  readonly #memory: CheckedMemory;
  readonly #random: (below: number) => number;
  readonly #issued: Issued[] = [];
  readonly #rows = new Map<string, number>();
  readonly #round = new Map<string, Set<string>>();
  readonly #clockUntil = new Map<number, number>();

  constructor(memory: CheckedMemory, seed: number) {
    this.#memory = memory;
    const stream = randomStream(seed, memory.standard.name);
    let index = 0;
    this.#random = (below) => {
      index += 1;
      return stream.bits(index) % below;
    };
  }

  get commands(): readonly TraceCommand[] {
    return this.#issued;
  }

  /** Issues legal commands until there are `count`. */
  run(count: number): readonly TraceCommand[] {
    const { commands } = this.#memory.standard;
    const names = Object.keys(commands).filter(
      (name) => commands[name]?.synchronises === undefined,
    );
    // Accesses and activations are the most frequent.
    const weighted = names.flatMap((name) => {
      const facts = commands[name];
      const times = facts?.access !== undefined ? 4 : facts?.leaves === "open" ? 8 : 1;
      return Array<string>(facts?.leaves === "activating" ? 8 : times).fill(name);
    });
    while (this.#issued.length < count) {
      const name = weighted[this.#random(weighted.length)] ?? "";
      this.#try(name);
    }
    return this.commands;
  }

  #try(name: string): void {
    const facts = this.#memory.standard.commands[name];
    const { split } = this.#memory.standard;
    if (facts === undefined || name === split?.second) return;
    const place = this.#place(facts);
    const banks = this.#banks(place);
    const own = this.#rows.get(banks[0] ?? "");
    if (facts.needs === "closed" && banks.some((bank) => this.#rows.has(bank))) return;
    if (facts.needs === "open" && own === undefined) return;
    const row = facts.needs === "open" ? (own ?? 0) : this.#random(4);
    if (facts.refreshes !== undefined && !this.#takesTurn(name, facts, place)) return;
    if (facts.access !== undefined) this.#synchronise(facts.access, name, place, row);
    this.#issue(name, facts, place, row);
    if (name === split?.first) {
      const second = this.#memory.standard.commands[split.second];
      if (second !== undefined) this.#issue(split.second, second, place, row);
    }
  }

  /** A refresh of a part of the banks, if its banks are next. */
  #takesTurn(name: string, facts: Command, place: Place): boolean {
    const { counts } = this.#memory;
    const ranks = this.#issuedRanks(place);
    if (facts.refreshes === "all banks") {
      for (const rank of ranks) this.#round.delete(rank);
      return true;
    }
    const all = facts.refreshes === "one bank" ? counts["bank group"] * counts.bank : counts.bank;
    const [rank = ""] = ranks;
    const round = this.#round.get(rank) ?? new Set<string>();
    const key = `${name} ${place.bankGroup} ${place.bank}`;
    if (round.has(key)) return false;
    round.add(key);
    this.#round.set(rank, round.size === all ? new Set() : round);
    return true;
  }

  #issuedRanks(place: Place): readonly string[] {
    return [...new Set(this.#banks(place).map((bank) => bank.split(" ").slice(0, 2).join(" ")))];
  }

  /** The command that starts the data clock of a rank, where the clock does not run by the time of an access. */
  #synchronise(access: "read" | "write", name: string, place: Place, row: number): void {
    const { dataClock, commands } = this.#memory.standard;
    const found = Object.entries(commands).find(([, facts]) => facts.synchronises === access);
    if (dataClock === undefined || found === undefined) return;
    const facts = commands[name];
    if (facts === undefined) return;
    const soon = this.#earliest(name, facts, place);
    const until = this.#clockUntil.get(place.rank) ?? 0;
    if (soon < until) return;
    const at = Math.max(soon - 1, until, (this.#issued.at(-1)?.cycle ?? 0) + 1);
    this.#push(found[0], found[1], place, row, at);
  }

  #issue(name: string, facts: Command, place: Place, row: number): void {
    this.#push(name, facts, place, row, this.#earliest(name, facts, place));
    const banks = this.#banks(place);
    if (facts.leaves === "closed") for (const bank of banks) this.#rows.delete(bank);
    else if (facts.leaves !== undefined) this.#rows.set(banks[0] ?? "", row);
    const { dataClock, dataBus } = this.#memory.standard;
    const last = this.#issued.at(-1);
    if (dataClock === undefined || facts.access === undefined || last === undefined) return;
    const until = last.cycle + sum([...dataBus[facts.access], ...dataClock.after], this.#memory);
    this.#clockUntil.set(place.rank, Math.max(until, this.#clockUntil.get(place.rank) ?? 0));
  }

  #push(name: string, facts: Command, place: Place, row: number, cycle: number): void {
    const counted = facts.counted === "last" ? cycle + facts.cycles - 1 : cycle;
    const line = this.#issued.length + 2;
    const more = { channel: 0, column: 0, request: -1, facts, counted };
    this.#issued.push({ line, cycle, name, ...place, row, ...more });
  }

  #earliest(name: string, facts: Command, place: Place): number {
    const added = facts.counted === "last" ? facts.cycles - 1 : 0;
    const recent = this.#issued.slice(-memoryOfTraffic);
    let cycle = (recent.at(-1)?.cycle ?? 0) + 1;
    for (const earlier of recent) {
      if ((earlier.facts.bus ?? 0) !== (facts.bus ?? 0)) continue;
      cycle = Math.max(cycle, earlier.cycle + earlier.facts.cycles);
    }
    for (const row of this.#memory.standard.constraints) {
      if (!row.to.includes(name)) continue;
      const before = recent.filter(
        (earlier) =>
          row.from.includes(earlier.name) && near(earlier, place, row.level, row.others === true),
      );
      const first = before.at(-(row.window ?? 1));
      if (first !== undefined)
        cycle = Math.max(cycle, first.counted + sum(row.wait, this.#memory) - added);
    }
    cycle = Math.max(cycle, this.#afterBursts(facts, place, recent) - added);
    const { cyclesPerClock } = this.#memory.standard;
    if (cyclesPerClock === 2 && facts.bothEdges !== true && cycle % 2 === 0) cycle += 1;
    return cycle;
  }

  /** The first counted cycle in which the burst of a command follows all others. */
  #afterBursts(facts: Command, place: Place, recent: readonly Issued[]): number {
    if (facts.access === undefined) return 0;
    const { dataBus } = this.#memory.standard;
    const latency = (access: "read" | "write"): number => sum(dataBus[access], this.#memory);
    let free = 0;
    for (const earlier of recent) {
      const { access } = earlier.facts;
      if (access === undefined || !near(earlier, place, dataBus.level, false)) continue;
      const gap = earlier.rank === place.rank ? 0 : sum(dataBus.gap ?? [], this.#memory);
      free = Math.max(
        free,
        earlier.counted + latency(access) + sum(dataBus.burst, this.#memory) + gap,
      );
    }
    return free - latency(facts.access);
  }

  #place(facts: Command): Place {
    const { counts, standard } = this.#memory;
    const ranks = counts.rank * counts["stack id"];
    const isWhole = facts.reach === "rank";
    const hasStacks = standard.levels.includes("stack id");
    return {
      pseudoChannel: this.#random(counts["pseudo channel"]),
      rank: isWhole && hasStacks ? -1 : this.#random(ranks),
      bankGroup: facts.reach === "bank" ? this.#random(counts["bank group"]) : -1,
      bank: isWhole ? -1 : this.#random(counts.bank),
    };
  }

  #banks(place: Place): readonly string[] {
    const { counts } = this.#memory;
    const all = {
      pseudoChannel: counts["pseudo channel"],
      rank: counts.rank * counts["stack id"],
      bankGroup: counts["bank group"],
      bank: counts.bank,
    };
    return fields.reduce<readonly string[]>(
      (found, name) => {
        const own =
          place[name] >= 0 ? [place[name]] : Array.from({ length: all[name] }, (_, i) => i);
        return found.flatMap((text) => own.map((i) => (text === "" ? `${i}` : `${text} ${i}`)));
      },
      [""],
    );
  }
}
