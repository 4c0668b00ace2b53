// SPDX-License-Identifier: Apache-2.0
// DRAMSys' STL traces: `31: read 0x400140`, with a length in bytes before the operation and data behind
// the address, both optional. Times are cycles of the initiator, whose clock is in DRAMSys' configuration
// (clkMhz) and not in the trace. Times of .rstl files count from the end of the transaction before: they
// depend on the memory that answered, so they are refused.

import { formatValue } from "../../base/format-value.ts";
import { accessBytes, type MemoryFormat } from "./format.ts";

const line = /^(\d{1,15}):\s*(?:\((\d+)\)\s*)?([a-z]+)\s+(\S+)(?:\s+(\S+))?$/i;
const outline = /^\d+:/;

export const dramSys: MemoryFormat = {
  name: "dramsys",
  title: "a DRAMSys STL trace",
  example: "31: read 0x400140",
  outline,
  suffix: /\.stl$/i,
  clock: "initiator",
  read: (text, { organization }) => {
    const match = line.exec(text);
    if (match === null) return "a line must look like `31: read 0x400140`.";
    const [, cycle = "", length, operation = "", address = "", data] = match;
    const kind = operation.toLowerCase();
    if (kind !== "read" && kind !== "write") {
      return `the operation must be read or write, not ${formatValue(operation)}.`;
    }
    const bytes = accessBytes(organization);
    if (length !== undefined && Number(length) !== bytes) {
      return `the request has ${length} bytes, and an access of this memory has ${bytes}.`;
    }
    if (!/^0x[0-9a-f]{1,16}$/i.test(address)) {
      return `the address must be hexadecimal with 0x, not ${formatValue(address)}.`;
    }
    if (data !== undefined && (kind === "read" || !/^0x[0-9a-f]+$/i.test(data))) {
      return `${formatValue(data)} behind the address is not data of a write.`;
    }
    return { arrival: Number(cycle), isWrite: kind === "write", address: Number(address) };
  },
};

/** Its suffix distinguishes it from an STL trace. */
export const dramSysRelative: MemoryFormat = {
  name: "dramsys-relative",
  title: "a relative DRAMSys trace (.rstl)",
  example: "31: read 0x400140",
  outline,
  suffix: /\.rstl$/i,
  clock: "initiator",
  read: () =>
    "times of a relative DRAMSys trace (.rstl) count from the end of the transaction before, so they " +
    "depend on the memory; an STL trace (.stl) has times of its own.",
};
