// SPDX-License-Identifier: Apache-2.0
// Ramulator 2's traces of loads and stores and of address vectors, and Ramulator 1's memory traces. None
// of them has times: a front end of Ramulator offers the next request when the last one was accepted.

import { present } from "../../base/present.ts";
import { formatValue } from "../../base/format-value.ts";
import { addressOfPlace, countsOf, type MemoryPlace } from "./address.ts";
import { addressOf, notAnAddress, type MemoryFormat } from "./format.ts";

/** `LD 0x12345680`, `ST 4096`: front end LoadStoreTrace. */
export const ramulatorLoadStore: MemoryFormat = {
  name: "ramulator2-loadstore",
  title: "a Ramulator 2 trace of loads and stores",
  example: "LD 0x12345680",
  outline: /^(LD|ST)\s/i,
  clock: "none",
  read: (line) => {
    const [operation = "", address = "", ...more] = line.split(/\s+/);
    if (more.length > 0) return "a line has an operation and an address, and nothing else.";
    if (!/^(LD|ST)$/i.test(operation))
      return `the operation must be LD or ST, not ${formatValue(operation)}.`;
    const request = addressOf(address);
    if (request === null) return notAnAddress(address);
    return { arrival: 0, isWrite: /^ST$/i.test(operation), address: request };
  },
};

/** `0x12345680 R`: mode dram of Ramulator 1. */
export const ramulator1: MemoryFormat = {
  name: "ramulator1",
  title: "a Ramulator 1 memory trace",
  example: "0x12345680 R",
  outline: /^(0x)?[0-9a-f]+\s+[RW]$/i,
  clock: "none",
  read: (line) => {
    const [address = "", operation = "", ...more] = line.split(/\s+/);
    if (more.length > 0) return "a line has an address and an operation, and nothing else.";
    if (!/^[RW]$/i.test(operation))
      return `the operation must be R or W, not ${formatValue(operation)}.`;
    // Ramulator 1 reads numbers as C does, where a leading 0 makes them octal.
    if (/^0\d/.test(address))
      return `${formatValue(address)} is octal in Ramulator 1: write it with 0x.`;
    const request = addressOf(address);
    if (request === null) return notAnAddress(address);
    return { arrival: 0, isWrite: /^W$/i.test(operation), address: request };
  },
};

/** The levels of a DDR5 address vector in Ramulator 2, with their names in messages. */
const levels: readonly (readonly [field: keyof MemoryPlace, title: string, counts: string])[] = [
  ["channel", "channel", "channels"],
  ["rank", "rank", "ranks of a channel"],
  ["bankGroup", "bank group", "bank groups of a rank"],
  ["bank", "bank", "banks of a group"],
  ["row", "row", "rows of a bank"],
  ["column", "column", "columns of a row (columns count accesses: device columns / burst length)"],
];
const levelNames = levels.map(([, title]) => title).join(", ");

/** `R 0,0,3,0,1,4`: front end ReadWriteTrace. */
export const ramulatorVector: MemoryFormat = {
  name: "ramulator2-vector",
  title: "a Ramulator 2 trace of address vectors",
  example: "R 0,0,3,0,1,4",
  outline: /^[RW]\s/i,
  clock: "none",
  read: (line, target) => {
    const [operation = "", vector = "", ...more] = line.split(/\s+/);
    if (more.length > 0) return "a line has an operation and a vector, and nothing else.";
    if (!/^[RW]$/i.test(operation))
      return `the operation must be R or W, not ${formatValue(operation)}.`;
    const parts = vector.split(",");
    if (parts.length !== levels.length) {
      return `the vector has ${parts.length} levels; a DDR5 vector has ${levels.length}: ${levelNames}.`;
    }
    const counts = countsOf(target);
    const wrong = levels.flatMap(([field, title, what], i): readonly string[] => {
      const part = present(parts[i]);
      if (/^\d{1,10}$/.test(part) && Number(part) < counts[field]) return [];
      return [`${title} ${formatValue(part)} of ${counts[field]} ${what}`];
    });
    if (wrong.length > 0) return `the memory does not have ${wrong.join(", nor ")}.`;
    const place = Object.fromEntries(
      levels.map(([field], i) => [field, Number(parts[i])]),
    ) as unknown as MemoryPlace;
    return {
      arrival: 0,
      isWrite: /^W$/i.test(operation),
      address: addressOfPlace(target, place),
    };
  },
};
