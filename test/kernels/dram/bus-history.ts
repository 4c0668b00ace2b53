// SPDX-License-Identifier: Apache-2.0
// The command history of one channel, and the rule that forbids the next command. Rules are written as "so many cycles
// after the last such command there", without the tables of the model.

import type { DramReplayConfig } from "../../../src/kernels/dram/replay-config.ts";
import type { TimingName } from "../../../src/machine/dram/timing.ts";

export const commandKinds = ["ACT", "PRE", "PREA", "RD", "WR", "REFab", "PREsb", "REFsb"] as const;
/** An RFM has the rules of the refresh of the same banks. */
const managementKinds = ["RFMab", "RFMsb"] as const;
export type CommandKind = (typeof commandKinds)[number] | (typeof managementKinds)[number];

/** The commands to distinguish: banks within a rank, and for PREsb and REFsb a bank number. */
export interface BusCommand {
  readonly kind: CommandKind;
  readonly rank: number;
  readonly group: number;
  readonly bank: number;
}

/** How near two commands are to each other. */
type Nearness = "channel" | "other rank" | "rank" | "group" | "bank";

type Timing = Readonly<Record<TimingName, number>>;

const never = -1e15;
const takesTwo = (kind: CommandKind): boolean => kind === "ACT" || kind === "RD" || kind === "WR";
const asRefresh = (kind: CommandKind): CommandKind =>
  kind === "RFMab" ? "REFab" : kind === "RFMsb" ? "REFsb" : kind;
const closes = (kind: CommandKind): boolean => kind === "PRE" || kind === "PREsb";

/** The rule that delays `next` by so many cycles after `last` at this nearness, or none. */
function rule(
  config: DramReplayConfig,
  near: Nearness,
  last: CommandKind,
  next: CommandKind,
): readonly [name: string, cycles: number] | undefined {
  const t: Timing = config.timing;
  const s = config.semantics;
  if (near === "channel") {
    if (last === next && (last === "RD" || last === "WR")) return ["nBL", Math.max(t.nBL, 2)];
    return takesTwo(last) ? ["command bus", 2] : undefined;
  }
  const found = spacing(t, s, near, asRefresh(last), asRefresh(next));
  if (found === undefined || s.firstCycleIntervals) return found;
  // JEDEC: the interval starts when the first command is over.
  const longer = (takesTwo(last) ? 1 : 0) - (takesTwo(next) ? 1 : 0);
  return [found[0], found[1] + longer];
}

function spacing(
  t: Timing,
  s: DramReplayConfig["semantics"],
  near: Nearness,
  last: CommandKind,
  next: CommandKind,
): readonly [string, number] | undefined {
  const pair = `${last}>${next}`;
  const writeDone = t.nCWL + t.nBL + t.nWR;
  switch (near) {
    case "other rank":
      if (pair === "RD>RD") return ["nCS", t.nBL + t.nCS];
      if (pair === "RD>WR") {
        const latencies = s.swappedRankSwitch ? 0 : t.nCL - t.nCWL;
        return ["nCS", latencies + t.nBL + t.nCS];
      }
      if (pair === "WR>RD") {
        const latencies = s.swappedRankSwitch ? t.nCL - t.nCWL : t.nCWL - t.nCL;
        return ["nCS", latencies + t.nBL + t.nCS];
      }
      if (pair === "WR>WR" && !s.noWriteRankGap) return ["nCS", t.nBL + t.nCS];
      return undefined;
    case "rank":
      if (pair === "RD>RD") return ["nCCDS", t.nCCDS];
      if (pair === "WR>WR") return ["nCCDS_WR", t.nCCDS_WR];
      if (pair === "RD>WR") return ["read to write", t.nCL - t.nCWL + t.nBL + 4];
      if (pair === "WR>RD") return ["nCCDS_WTR", t.nCCDS_WTR];
      if (pair === "ACT>ACT") return ["nRRDS", t.nRRDS];
      if (pair === "ACT>REFsb") return ["nRRDL", t.nRRDL];
      if (pair === "ACT>PREA") return ["nRAS", t.nRAS];
      if (pair === "RD>PREA") return ["nRTP", t.nRTP];
      if (pair === "WR>PREA") return ["nWR", writeDone];
      if (pair === "ACT>REFab") return ["nRC", t.nRC];
      if (closes(last) && next === "REFab") return ["nRP", t.nRP];
      if (last === "PREA" && (next === "ACT" || next === "REFab" || next === "REFsb")) {
        return ["nRP", t.nRP];
      }
      if (last === "REFab") {
        const held = next === "ACT" || next === "PREA" || next === "REFab" || next === "REFsb";
        return held || !s.refreshIgnoresOpenCommands ? ["nRFC1", t.nRFC1] : undefined;
      }
      if (last === "REFsb") {
        if (next === "ACT") return ["nREFSBRD", t.nREFSBRD];
        return next === "PREA" || next === "REFab" || next === "REFsb"
          ? ["nRFCsb", t.nRFCsb]
          : undefined;
      }
      if (!s.noPrechargeGap && last.startsWith("PRE") && next.startsWith("PRE")) {
        return ["nPPD", t.nPPD];
      }
      return undefined;
    case "group":
      if (pair === "RD>RD") return ["nCCDL", t.nCCDL];
      if (pair === "WR>WR") return ["nCCDL_WR", t.nCCDL_WR];
      if (pair === "WR>RD") return ["nCCDL_WTR", t.nCCDL_WTR];
      if (pair === "ACT>ACT") return ["nRRDL", t.nRRDL];
      return undefined;
    case "bank":
      if (last === "ACT" && (next === "ACT" || next === "REFsb")) return ["nRC", t.nRC];
      if (last === "ACT" && (next === "RD" || next === "WR")) return ["nRCD", t.nRCD];
      if (last === "ACT" && closes(next)) return ["nRAS", t.nRAS];
      if (closes(last) && (next === "ACT" || next === "REFsb")) return ["nRP", t.nRP];
      if (last === "RD" && closes(next)) return ["nRTP", t.nRTP];
      if (last === "WR" && closes(next)) return ["nWR", writeDone];
      if (last === "REFsb" && (next === "ACT" || next === "REFsb" || closes(next))) {
        return ["nRFCsb", t.nRFCsb];
      }
      return undefined;
    case "channel":
      return undefined;
  }
}

/** A rule that forbids a command, and the first cycle in which it permits the command. */
export interface Obstacle {
  readonly rule: string;
  readonly until: number;
}

export class BusHistory {
  readonly #config: DramReplayConfig;
  readonly #last = new Map<string, number>();
  readonly #activations: number[][];
  readonly #rules = new Map<string, readonly (readonly [string, string, number])[]>();

  constructor(config: DramReplayConfig) {
    this.#config = config;
    this.#activations = Array.from({ length: config.organization.ranks }, () => []);
  }

  /** The rules that `command` has to wait for, with the cycles until when; none that are past. */
  obstacles(command: BusCommand, cycle: number): Obstacle[] {
    const found: Obstacle[] = [];
    for (const [name, key, wait] of this.#rulesFor(command)) {
      const until = (this.#last.get(key) ?? never) + wait;
      if (until > cycle) found.push({ rule: name, until });
    }
    if (command.kind === "ACT") {
      const fourth = this.#activations[command.rank]?.at(-4) ?? never;
      const until = fourth + this.#config.timing.nFAW;
      if (until > cycle) found.push({ rule: "nFAW", until });
    }
    return found;
  }

  /** The first cycle, at `cycle` or later, in which a command is ready if nothing else issues. */
  readyFrom(command: BusCommand, cycle: number): number {
    return Math.max(cycle, ...this.obstacles(command, cycle).map(({ until }) => until));
  }

  /** The first cycle in which `next` may follow `command` in `cycle`, as far as these two matter. */
  after(command: BusCommand, cycle: number, next: BusCommand): number {
    const keys = new Set(this.#keysOf(command));
    const waits = this.#rulesFor(next).filter(([, key]) => keys.has(key));
    return Math.max(cycle, ...waits.map(([, , wait]) => cycle + wait));
  }

  isReady(command: BusCommand, cycle: number): boolean {
    return this.obstacles(command, cycle).length === 0;
  }

  record(command: BusCommand, cycle: number): void {
    const { kind, rank } = command;
    for (const key of this.#keysOf(command)) this.#last.set(key, cycle);
    if (kind === "ACT") {
      const recent = this.#activations[rank];
      recent?.push(cycle);
      if (recent !== undefined && recent.length > 4) recent.shift();
    }
  }

  /** Keys under which the history stores a command. */
  #keysOf(command: BusCommand): readonly string[] {
    const { kind, rank, group } = command;
    const others = Array.from({ length: this.#config.organization.ranks }, (_, r) => r);
    return [
      kind,
      `${kind} rank ${rank}`,
      ...others.filter((r) => r !== rank).map((r) => `${kind} beside ${r}`),
      ...this.#banksOf(command).map((bank) => `${kind} bank ${bank}`),
      ...(group >= 0 ? [`${kind} group ${rank}.${group}`] : []),
    ];
  }

  /** The lookups for a command: name of the rule, key of the earlier command, cycles to wait. */
  #rulesFor(command: BusCommand): readonly (readonly [string, string, number])[] {
    const { kind, rank, group, bank } = command;
    const id = `${kind} ${rank}.${group}.${bank}`;
    const known = this.#rules.get(id);
    if (known !== undefined) return known;
    const rules: (readonly [string, string, number])[] = [];
    const add = (near: Nearness, last: CommandKind, key: string): void => {
      const found = rule(this.#config, near, last, kind);
      if (found !== undefined) rules.push([found[0], key, found[1]]);
    };
    for (const last of [...commandKinds, ...managementKinds]) {
      add("channel", last, last);
      add("rank", last, `${last} rank ${rank}`);
      add("other rank", last, `${last} beside ${rank}`);
      if (group >= 0) add("group", last, `${last} group ${rank}.${group}`);
      for (const at of this.#banksOf(command)) add("bank", last, `${last} bank ${at}`);
    }
    this.#rules.set(id, rules);
    return rules;
  }

  /** The banks that a command addresses one by one; none for a whole rank. */
  #banksOf({ kind, rank, group, bank }: BusCommand): readonly string[] {
    const like = asRefresh(kind);
    if (like === "PREA" || like === "REFab") return [];
    if (like !== "PREsb" && like !== "REFsb") return [`${rank}.${group}.${bank}`];
    const groups = this.#config.organization.bankGroups;
    return Array.from({ length: groups }, (_, g) => `${rank}.${g}.${bank}`);
  }
}
