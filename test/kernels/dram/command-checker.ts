// SPDX-License-Identifier: Apache-2.0
// Checks the command stream of a run against the rules of a device: timing (from the earlier commands), states of the
// banks, order, refresh, overlapping bursts on the data bus, and whether each request is served exactly once at its
// address.

import type { DramReplayConfig } from "../../../src/kernels/dram/replay-config.ts";
import { BusHistory, commandKinds, type BusCommand, type CommandKind } from "./bus-history.ts";
import { mapAddress, type TraceRequest } from "./address-map.ts";

/** One line of a command file. */
export interface LoggedCommand extends BusCommand {
  readonly cycle: number;
  readonly channel: number;
  readonly row: number;
  readonly column: number;
  readonly request: number;
}

export interface Violation {
  readonly rule: string;
  readonly text: string;
}

export function parseCommand(line: string): LoggedCommand {
  const fields = line.split(",");
  const kind = commandKinds.find((name) => name === fields[2]);
  if (kind === undefined || fields.length !== 9) throw new Error(`no command: ${line}`);
  const number = (at: number): number => Number(fields[at]);
  return {
    cycle: number(0),
    channel: number(1),
    kind,
    rank: number(3),
    group: number(4),
    bank: number(5),
    row: number(6),
    column: number(7),
    request: number(8),
  };
}

/**
 * Every rule that the commands of a run break, in order. With `physical`, bursts on the data bus are checked as well:
 * Ramulator 2.0 permits overlapping bursts of two ranks.
 */
export function checkCommands(
  config: DramReplayConfig,
  lines: readonly string[],
  trace: readonly TraceRequest[],
  physical = true,
): readonly Violation[] {
  const commands = lines.map(parseCommand);
  const channels = Array.from(
    { length: config.organization.channels },
    (_, channel) => new ChannelChecker(config, channel, trace, physical),
  );
  for (const command of commands) channels[command.channel]?.take(command);
  return [...orderViolations(commands), ...channels.flatMap((channel) => channel.violations)];
}

function orderViolations(commands: readonly LoggedCommand[]): Violation[] {
  return commands.flatMap((command, index) => {
    const before = commands[index - 1];
    if (before === undefined) return [];
    const sorted =
      before.cycle < command.cycle ||
      (before.cycle === command.cycle && before.channel < command.channel);
    return sorted ? [] : [violation("order", command, `comes after cycle ${before.cycle}`)];
  });
}

const violation = (rule: string, command: LoggedCommand, why: string): Violation => ({
  rule,
  text: `cycle ${command.cycle}, channel ${command.channel}, ${command.kind}: ${rule}, ${why}`,
});

class ChannelChecker {
  readonly violations: Violation[] = [];
  readonly #config: DramReplayConfig;
  readonly #bus: BusHistory;
  readonly #physical: boolean;
  readonly #rows = new Map<string, number>();
  readonly #requests = new Map<number, TraceRequest>();
  readonly #served = new Set<number>();
  readonly #refreshed: number[];
  /** First cycle in which the data bus is free. */
  #busFree = 0;

  constructor(
    config: DramReplayConfig,
    channel: number,
    trace: readonly TraceRequest[],
    physical: boolean,
  ) {
    this.#config = config;
    this.#bus = new BusHistory(config);
    this.#physical = physical;
    this.#refreshed = Array.from({ length: config.organization.ranks }, () => 0);
    for (const request of trace) {
      if (mapAddress(config, request.address).channel === channel) {
        this.#requests.set(request.id, request);
      }
    }
  }

  take(command: LoggedCommand): void {
    const { cycle, kind } = command;
    for (const { rule, until } of this.#bus.obstacles(command, cycle)) {
      this.#report(rule, command, `not before cycle ${until}`);
    }
    this.#bus.record(command, cycle);
    this.#checkState(command);
    if (kind === "RD" || kind === "WR") this.#checkAccess(command);
    if (kind === "REFab") this.#checkRefreshInterval(command);
    this.#changeState(command);
  }

  #report(rule: string, command: LoggedCommand, why: string): void {
    this.violations.push(violation(rule, command, why));
  }

  /** Open rows among the banks that a command addresses, as "rank.group.bank". */
  #openBanks({ kind, rank, group, bank }: LoggedCommand): readonly string[] {
    return [...this.#rows.keys()].filter((key) => {
      const [r, g, b] = key.split(".").map(Number);
      if (r !== rank) return false;
      if (kind === "PREA" || kind === "REFab") return true;
      return b === bank && (kind === "PREsb" || kind === "REFsb" || g === group);
    });
  }

  #checkState(command: LoggedCommand): void {
    const { kind, rank, group, bank, row } = command;
    const open = this.#openBanks(command);
    if (kind === "ACT" && open.length > 0)
      this.#report("row open", command, "its bank is not closed");
    if ((kind === "REFab" || kind === "REFsb") && open.length > 0) {
      this.#report("refresh of open banks", command, `${open.join(" ")} are open`);
    }
    if (kind !== "RD" && kind !== "WR") return;
    const openRow = this.#rows.get(`${rank}.${group}.${bank}`);
    if (openRow === undefined) this.#report("row closed", command, "its bank is closed");
    else if (openRow !== row) this.#report("wrong row", command, `row ${openRow} is open`);
  }

  #changeState(command: LoggedCommand): void {
    const { kind, rank, group, bank, row } = command;
    if (kind === "ACT") this.#rows.set(`${rank}.${group}.${bank}`, row);
    if (kind.startsWith("PRE")) for (const key of this.#openBanks(command)) this.#rows.delete(key);
  }

  #checkAccess(command: LoggedCommand): void {
    const { cycle, kind, request: id } = command;
    const { nCL, nCWL, nBL } = this.#config.timing;
    const start = cycle + (kind === "RD" ? nCL : nCWL);
    if (this.#physical && start < this.#busFree) {
      this.#report("data bus", command, `its burst starts in ${start}, ${this.#busFree} is free`);
    }
    this.#busFree = Math.max(this.#busFree, start + nBL);
    const request = this.#requests.get(id);
    if (request === undefined) {
      this.#report("unknown request", command, `${id} is none of this channel`);
      return;
    }
    if (this.#served.has(id)) this.#report("served twice", command, `request ${id}`);
    this.#served.add(id);
    if (request.op !== (kind === "RD" ? "R" : "W")) {
      this.#report("wrong operation", command, `request ${id} is ${request.op}`);
    }
    if (request.arrival >= cycle) {
      this.#report("before arrival", command, `request ${id} arrives at ${request.arrival}`);
    }
    const { place } = mapAddress(this.#config, request.address);
    const keys = ["rank", "group", "bank", "row", "column"] as const;
    if (keys.some((key) => place[key] !== command[key])) {
      this.#report("wrong place", command, `request ${id} asks for ${JSON.stringify(place)}`);
    }
  }

  /** JESD79-5 permits a rank to postpone four refreshes: two refreshes are at most five intervals apart. */
  #checkRefreshInterval(command: LoggedCommand): void {
    const last = this.#refreshed[command.rank] ?? 0;
    this.#refreshed[command.rank] = command.cycle;
    const longest = 5 * this.#config.timing.nREFI;
    if (command.cycle - last > longest) {
      this.#report("refresh overdue", command, `the last one was in cycle ${last}`);
    }
  }
}

/** Command kinds that a stream contains, with how often. */
export function countKinds(lines: readonly string[]): Readonly<Record<CommandKind, number>> {
  const counts = Object.fromEntries(commandKinds.map((kind) => [kind, 0])) as Record<
    CommandKind,
    number
  >;
  for (const line of lines) counts[parseCommand(line).kind] += 1;
  return counts;
}
