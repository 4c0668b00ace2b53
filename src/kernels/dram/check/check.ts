// SPDX-License-Identifier: Apache-2.0
// A command trace against the rules of a memory standard, line by line.

import type { TextLine } from "../../../base/files/lines.ts";
import { Channel } from "./channel.ts";
import type { Margin } from "./intervals.ts";
import { countedFrom, type CheckedMemory } from "./memory.ts";
import { Requests, type Request } from "./requests.ts";
import { CommandLines } from "./trace.ts";
import type { TraceCommand, Violation } from "./violation.ts";

export interface CheckResult {
  readonly commands: number;
  /** By cycle, then by line. */
  readonly violations: readonly Violation[];
  /** The smallest margin of the trace to each constraint, over all channels. */
  readonly margins: readonly Margin[];
}

/**
 * Checks the lines of a trace; `file` names it in messages.
 * @throws NeardataError `bad-input` for a line that is not a command of the memory.
 */
export async function checkTrace(
  memory: CheckedMemory,
  file: string,
  lines: AsyncIterable<TextLine> | Iterable<TextLine>,
  requests?: ReadonlyMap<number, Request>,
): Promise<CheckResult> {
  const reader = new CommandLines(memory, file);
  const checker = new Checker(memory, requests);
  for await (const line of lines) {
    const command = reader.take(line);
    if (command !== undefined) checker.take(command);
  }
  reader.end();
  return checker.end();
}

/** Checks commands that are in memory. */
export function checkCommands(
  memory: CheckedMemory,
  commands: Iterable<TraceCommand>,
  requests?: ReadonlyMap<number, Request>,
): CheckResult {
  const checker = new Checker(memory, requests);
  for (const command of commands) checker.take(command);
  return checker.end();
}

class Checker {
  readonly #memory: CheckedMemory;
  readonly #counted: ReadonlyMap<string, number>;
  readonly #channels = new Map<number, Channel>();
  readonly #violations: Violation[] = [];
  readonly #requests: Requests | undefined;
  #commands = 0;
  #last: TraceCommand | undefined;
  #latest = 0;

  constructor(memory: CheckedMemory, requests: ReadonlyMap<number, Request> | undefined) {
    this.#memory = memory;
    if (requests !== undefined && memory.addresses !== undefined) {
      this.#requests = new Requests(memory, memory.addresses, requests, (violation) => {
        this.#violations.push(violation);
      });
    }
    this.#counted = countedFrom(memory);
  }

  take(command: TraceCommand): void {
    const last = this.#last;
    this.#commands += 1;
    if (last !== undefined && command.cycle < this.#latest) {
      this.#violations.push({
        rule: "order",
        basis: "sure",
        command,
        earlier: last,
        message: `the command follows cycle ${this.#latest}`,
      });
    }
    if (last === undefined || command.cycle >= this.#latest) this.#last = command;
    this.#latest = Math.max(this.#latest, command.cycle);
    this.#channel(command.channel).take(command);
    this.#requests?.take(command);
  }

  end(): CheckResult {
    const end = this.#memory.end ?? this.#latest;
    const channels = [...this.#channels.values()];
    for (const channel of channels) channel.end(end);
    const violations = this.#violations.sort(
      (a, b) => a.command.cycle - b.command.cycle || a.command.line - b.command.line,
    );
    return {
      commands: this.#commands,
      violations,
      margins: sumMargins(channels.map(({ margins }) => margins)),
    };
  }

  #channel(index: number): Channel {
    const known = this.#channels.get(index);
    if (known !== undefined) return known;
    const channel = new Channel(this.#memory, this.#counted, (violation) => {
      this.#violations.push(violation);
    });
    this.#channels.set(index, channel);
    return channel;
  }
}

/** The margins of several channels, which have the same constraints in the same order. */
function sumMargins(channels: readonly (readonly Margin[])[]): readonly Margin[] {
  const [first = []] = channels;
  return first.map((margin, i) => {
    const all = channels.flatMap((margins) => margins[i] ?? []);
    const nearest = all.reduce((a, b) => (b.least < a.least ? b : a), margin);
    return { ...nearest, pairs: all.reduce((sum, { pairs }) => sum + pairs, 0) };
  });
}
