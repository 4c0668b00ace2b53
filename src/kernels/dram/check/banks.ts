// SPDX-License-Identifier: Apache-2.0
// States of banks, and activations in two commands.

import { defined } from "../../../base/defined.ts";
import { present } from "../../../base/present.ts";
import { sumOf, type Command, type Split } from "../../../machine/dram/standards/table.ts";
import type { CheckedMemory } from "./memory.ts";
import type { Placed, Report, TraceCommand } from "./violation.ts";

/** A row that is open, or that its bank is activating; a bank without one is closed. */
interface Row {
  readonly state: "activating" | "open";
  readonly row: number;
}

export class Banks {
  readonly #memory: CheckedMemory;
  readonly #report: Report;
  readonly #rows = new Map<number, Row>();
  readonly #split: Split | undefined;
  /** The first half of an activation, without the second so far. */
  #half: { readonly bank: number; readonly command: TraceCommand } | undefined;

  constructor(memory: CheckedMemory, report: Report) {
    this.#memory = memory;
    this.#report = report;
    this.#split = memory.standard.split;
  }

  take(placed: Placed): void {
    const { command, banks } = placed;
    const facts = this.#memory.standard.commands[command.name];
    const bank = banks[0];
    if (facts === undefined || bank === undefined) return;
    if (facts.needs === "closed") this.#needsClosed(command, banks);
    if (facts.needs === "open") this.#needsRow(command, bank);
    this.#halves(command, facts, banks);
    if (facts.leaves === "closed") for (const one of banks) this.#rows.delete(one);
    else if (facts.leaves !== undefined) {
      this.#rows.set(bank, { state: facts.leaves, row: command.row });
    }
  }

  /** Reports an activation whose second half is overdue at the end of the trace. */
  end(last: TraceCommand): void {
    const half = this.#half;
    if (half === undefined || this.#split === undefined) return;
    const gap = last.cycle - half.command.cycle;
    const within = sumOf(this.#split.within, this.#memory.timing);
    if (gap > within) this.#sayHalf(last, `${this.#split.second} never follows`, within - gap);
  }

  #say(command: TraceCommand, message: string): void {
    this.#report({ rule: "bank state", basis: "sure", command, message });
  }

  #needsClosed(command: TraceCommand, banks: readonly number[]): void {
    const open = banks.find((bank) => this.#rows.has(bank));
    if (open === undefined) return;
    const row = this.#rows.get(open)?.row ?? -1;
    this.#say(command, `bank ${open} of the channel has row ${row} open`);
  }

  #needsRow(command: TraceCommand, bank: number): void {
    const row = this.#rows.get(bank);
    if (row === undefined) this.#say(command, "the bank is closed");
    else if (row.state === "activating") this.#say(command, "the activation is not complete");
    else if (row.row !== command.row) {
      this.#say(command, `row ${command.row} is addressed, row ${row.row} is open`);
    }
  }

  #halves(command: TraceCommand, facts: Command, banks: readonly number[]): void {
    const split = this.#split;
    if (split === undefined) return;
    const half = this.#half;
    if (command.name === split.second) {
      this.#complete(split, command, banks[0]);
      return;
    }
    if (half !== undefined && command.name === split.first) {
      this.#sayHalf(command, `${split.second} does not follow`);
    } else if (half !== undefined && !split.between.includes(command.name)) {
      this.#sayHalf(command, `${command.name} is not legal between the two`, undefined, "probable");
    }
    const closes = facts.leaves === "closed" && facts.access === undefined;
    const isCut = closes && banks.some((bank) => this.#rows.get(bank)?.state === "activating");
    if (isCut) this.#sayHalf(command, `the bank is closed before ${split.second}`);
    if (command.name === split.first) this.#half = { bank: present(banks[0]), command };
  }

  #complete(split: Split, command: TraceCommand, bank: number | undefined): void {
    const half = this.#half;
    if (half === undefined || half.bank !== bank) {
      this.#sayHalf(command, `no ${split.first} of the bank precedes`);
      return;
    }
    const gap = command.cycle - half.command.cycle;
    const within = sumOf(split.within, this.#memory.timing);
    if (gap > within) {
      this.#sayHalf(command, `${gap} cycles; the maximum is ${within}`, within - gap);
    }
    if (command.row !== half.command.row) {
      this.#sayHalf(command, `row ${command.row} follows row ${half.command.row}`);
    }
    this.#half = undefined;
  }

  #sayHalf(
    command: TraceCommand,
    message: string,
    slack?: number,
    basis: "sure" | "probable" = "sure",
  ): void {
    const { first = "", second = "" } = this.#split ?? {};
    this.#report({
      rule: `${first} to ${second}`,
      basis,
      command,
      ...defined({ earlier: this.#half?.command, slack }),
      message,
    });
  }
}
