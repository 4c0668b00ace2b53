// SPDX-License-Identifier: Apache-2.0
// Command traces: CSV with the columns cycle, ch, cmd, pc, rank, bg, bank, row, col, req, or the same without pc, as
// `dram replay` writes them. -1 means all nodes of a level; a level that the standard lacks is 0.

import { inputError } from "../../../base/errors.ts";
import { didYouMean } from "../../../base/nearest.ts";
import { formatValue } from "../../../base/format-value.ts";
import type { TextLine } from "../../../base/files/lines.ts";
import { lackingFor } from "./intervals.ts";
import type { CheckedMemory } from "./memory.ts";
import type { TraceCommand } from "./violation.ts";

const wide = "cycle,ch,cmd,pc,rank,bg,bank,row,col,req";
const narrow = "cycle,ch,cmd,rank,bg,bank,row,col,req";

/** A reader of the lines of a trace. */
export class CommandLines {
  readonly #memory: CheckedMemory;
  readonly #file: string;
  /** Columns of the trace; undefined before the first line. */
  #columns: number | undefined;
  readonly #known = new Set<string>();

  constructor(memory: CheckedMemory, file: string) {
    this.#memory = memory;
    this.#file = file;
  }

  /**
   * The command of a line; undefined for the line of names.
   * @throws NeardataError `bad-input` for a line that is not a command of the memory.
   */
  take({ text, number }: TextLine): TraceCommand | undefined {
    if (this.#columns === undefined) {
      const names = text.replace(/\s/g, "");
      if (names !== wide && names !== narrow) {
        this.#fail(number, `the first line must be ${wide}, or the same names without pc.`);
      }
      this.#columns = names === wide ? 10 : 9;
      return undefined;
    }
    const fields = text.split(",");
    if (fields.length !== this.#columns) {
      this.#fail(number, `${fields.length} fields, but the first line has ${this.#columns}.`);
    }
    const name = fields[2]?.trim() ?? "";
    this.#command(number, name);
    const numbers = fields.map((field, i) => (i === 2 ? 0 : this.#number(number, field)));
    const [cycle = 0, channel = 0, , ...rest] = numbers;
    const [pseudoChannel = 0, rank = 0, bankGroup = 0, bank = 0, row = 0, column = 0, request = 0] =
      this.#columns === 10 ? rest : [0, ...rest];
    const command: TraceCommand = {
      line: number,
      cycle,
      channel,
      name,
      pseudoChannel,
      rank,
      bankGroup,
      bank,
      row,
      column,
      request,
    };
    this.#address(command);
    return command;
  }

  /** @throws NeardataError `bad-input` for a file without a line. */
  end(): void {
    if (this.#columns === undefined) throw inputError(this.#file, "the trace is empty.");
  }

  #fail(line: number, message: string): never {
    throw inputError(`${this.#file}:${line}`, message);
  }

  #number(line: number, field: string): number {
    const value = /^\s*-?\d{1,15}\s*$/.test(field) ? Number(field) : NaN;
    if (!Number.isSafeInteger(value))
      this.#fail(line, `${formatValue(field)} is not a whole number.`);
    return value;
  }

  #command(line: number, name: string): void {
    if (this.#known.has(name)) return;
    const { standard } = this.#memory;
    const names = Object.keys(standard.commands);
    if (!names.includes(name)) {
      const known = `${standard.name} has ${names.join(", ")}.`;
      this.#fail(line, `${formatValue(name)} is not a command: ${known}${didYouMean(name, names)}`);
    }
    const lacking = lackingFor(this.#memory, name);
    if (lacking.length > 0) {
      this.#fail(line, `${name} needs the timings ${lacking.join(", ")}, which are not given.`);
    }
    this.#known.add(name);
  }

  #address(command: TraceCommand): void {
    const { line, name } = command;
    const { counts, channels, standard } = this.#memory;
    if (command.cycle < 0) this.#fail(line, `the cycle ${command.cycle} is negative.`);
    const reach = standard.commands[name]?.reach ?? "bank";
    const ranks = standard.levels.includes("stack id") ? "stack id" : "rank";
    const whole = reach === "rank";
    const fields = [
      ["ch", command.channel, channels, false],
      ["pc", command.pseudoChannel, counts["pseudo channel"], whole],
      ["rank", command.rank, counts[ranks], whole],
      ["bg", command.bankGroup, counts["bank group"], reach !== "bank"],
      ["bank", command.bank, counts.bank, whole],
    ] as const;
    for (const [field, value, count, mayBeAll] of fields) {
      if (value >= count || value < (mayBeAll ? -1 : 0)) {
        const all = mayBeAll ? ", or -1 for all" : "";
        this.#fail(line, `${name} has ${field} ${value}; the memory has 0 to ${count - 1}${all}.`);
      }
    }
    const mustBeAll = whole ? (["bg", "bank"] as const) : reach === "same bank" ? ["bg"] : [];
    for (const field of mustBeAll) {
      const value = field === "bg" ? command.bankGroup : command.bank;
      if (value !== -1) this.#fail(line, `${name} has ${field} ${value}; it addresses all: -1.`);
    }
  }
}
