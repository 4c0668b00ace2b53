// SPDX-License-Identifier: Apache-2.0
// The requests that a command trace serves: each access is of its request's kind and place, once, after its arrival.

import { defined } from "../../../base/defined.ts";
import { inputError } from "../../../base/errors.ts";
import { formatValue } from "../../../base/format-value.ts";
import type { TextLine } from "../../../base/files/lines.ts";
import type { LevelName } from "../../../machine/dram/standards/table.ts";
import type { AddressMap, CheckedMemory } from "./memory.ts";
import type { Report, TraceCommand } from "./violation.ts";

export interface Request {
  readonly arrival: number;
  readonly isRead: boolean;
  readonly address: bigint;
}

const header = "id,arrival,op,addr";

/**
 * Reads a trace of requests: CSV with the columns id, arrival, op (R or W) and addr (hexadecimal).
 * @throws NeardataError `bad-input` for the first line that is not a request.
 */
export async function readRequests(
  file: string,
  lines: AsyncIterable<TextLine> | Iterable<TextLine>,
): Promise<ReadonlyMap<number, Request>> {
  const requests = new Map<number, Request>();
  let hasHeader = false;
  for await (const { text, number } of lines) {
    const where = `${file}:${number}`;
    if (!hasHeader) {
      if (text.replace(/\s/g, "") !== header) {
        throw inputError(where, `the first line must be ${header}.`);
      }
      hasHeader = true;
      continue;
    }
    const match = /^(\d{1,15}),(\d{1,15}),([RW]),(?:0x)?([0-9a-f]{1,16})$/i.exec(text.trim());
    if (match === null) throw inputError(where, `${formatValue(text)} is not a request.`);
    const [, id = "", arrival = "", op = "", address = ""] = match;
    if (requests.has(Number(id))) throw inputError(where, `request ${id} is given twice.`);
    requests.set(Number(id), {
      arrival: Number(arrival),
      isRead: op.toUpperCase() === "R",
      address: BigInt(`0x${address}`),
    });
  }
  if (!hasHeader) throw inputError(file, "the trace is empty.");
  return requests;
}

type Field = LevelName | "channel" | "row" | "column";

/** The place of an address. A row of MOP4CLXOR has all bits above the other fields. */
export function placeOf(
  map: AddressMap,
  address: bigint,
): Readonly<Partial<Record<Field, number>>> {
  let rest = address >> BigInt(map.offset);
  const take = (bits: number): bigint => {
    const value = BigInt.asUintN(bits, rest);
    rest >>= BigInt(bits);
    return value;
  };
  const fields = new Map<Field, bigint>([["channel", take(map.channel)]]);
  const takeLevels = (levels: AddressMap["levels"]): void => {
    for (const { level, bits } of levels) fields.set(level, take(bits));
  };
  switch (map.mapper) {
    case "RoBaRaCoCh":
      fields.set("column", take(map.column));
      takeLevels(map.levels);
      fields.set("row", take(map.row));
      break;
    case "ChRaBaRoCo":
      fields.set("column", take(map.column));
      fields.set("row", take(map.row));
      takeLevels(map.levels.toReversed());
      break;
    case "MOP4CLXOR": {
      const low = take(2);
      takeLevels(map.levels);
      const column = (take(map.column - 2) << 2n) | low;
      fields.set("column", column);
      fields.set("row", rest);
      let slices = column;
      for (const { level, bits } of [...map.levels, { level: "row", bits: map.row } as const]) {
        fields.set(level, (fields.get(level) ?? 0n) ^ BigInt.asUintN(bits, slices));
        slices >>= BigInt(bits);
      }
    }
  }
  return Object.fromEntries([...fields].map(([field, value]) => [field, Number(value)]));
}

export class Requests {
  readonly #memory: CheckedMemory;
  readonly #map: AddressMap;
  readonly #requests: ReadonlyMap<number, Request>;
  readonly #report: Report;
  readonly #served = new Map<number, TraceCommand>();

  constructor(
    memory: CheckedMemory,
    map: AddressMap,
    requests: ReadonlyMap<number, Request>,
    report: Report,
  ) {
    this.#memory = memory;
    this.#map = map;
    this.#requests = requests;
    this.#report = report;
  }

  take(command: TraceCommand): void {
    const access = this.#memory.standard.commands[command.name]?.access;
    if (access === undefined || command.request < 0) return;
    const request = this.#requests.get(command.request);
    const earlier = this.#served.get(command.request);
    this.#served.set(command.request, command);
    if (request === undefined) this.#say(command, "there is no such request");
    else if (earlier !== undefined) this.#say(command, "the request is served twice", earlier);
    else this.#compare(command, access, request);
  }

  #compare(command: TraceCommand, access: "read" | "write", request: Request): void {
    const kind = request.isRead ? "read" : "write";
    if (access !== kind) this.#say(command, `the request is a ${kind}`);
    if (command.cycle <= request.arrival) {
      this.#say(command, `the request arrives in cycle ${request.arrival}`);
    }
    const wanted = placeOf(this.#map, request.address);
    const rank = this.#memory.standard.levels.includes("stack id") ? "stack id" : "rank";
    const fields = [
      ["channel", command.channel],
      ["pseudo channel", command.pseudoChannel],
      [rank, command.rank],
      ["bank group", command.bankGroup],
      ["bank", command.bank],
      ["row", command.row],
      ["column", command.column],
    ] as const;
    const other = fields.filter(([field, value]) => (wanted[field] ?? 0) !== value);
    if (other.length === 0) return;
    const texts = other.map(([field, value]) => `${field} ${value}, not ${wanted[field] ?? 0}`);
    this.#say(command, `the access has ${texts.join("; ")}`);
  }

  #say(command: TraceCommand, problem: string, earlier?: TraceCommand): void {
    this.#report({
      rule: "request",
      basis: "sure",
      command,
      ...defined({ earlier }),
      message: `request ${command.request}: ${problem}`,
    });
  }
}
