// SPDX-License-Identifier: Apache-2.0
// DRAMsim3's traces: a hexadecimal address, an operation and a cycle of the memory's clock. DRAMsim3
// treats an unknown operation as a read; here it is refused.

import { formatValue } from "../../base/format-value.ts";
import type { MemoryFormat } from "./format.ts";

/**
 * Names of DRAMsim3, and those of DRAMSim2's traces (mase, k6) that both accept with the same
 * meaning.
 */
const writes = ["WRITE", "P_MEM_WR"];
const reads = ["READ", "IFETCH", "P_MEM_RD", "P_FETCH"];

export const dramSim3: MemoryFormat = {
  name: "dramsim3",
  title: "a DRAMsim3 trace",
  example: "0x2f0000040 READ 10",
  outline: /^(0x)?[0-9a-f]+\s+[a-z_]+\s+\d+$/i,
  clock: "memory",
  read: (line) => {
    const [address = "", operation = "", cycle = "", ...more] = line.split(/\s+/);
    if (more.length > 0)
      return "a line has an address, an operation and a cycle, and nothing else.";
    // Hexadecimal with and without 0x.
    if (!/^(0x)?[0-9a-f]{1,16}$/i.test(address)) {
      return `the address must be hexadecimal, not ${formatValue(address)}.`;
    }
    const kind = operation.toUpperCase();
    if (!reads.includes(kind) && !writes.includes(kind)) {
      return `the operation must be READ or WRITE, not ${formatValue(operation)}.`;
    }
    if (!/^\d{1,15}$/.test(cycle))
      return `the cycle must be a decimal number, not ${formatValue(cycle)}.`;
    return {
      arrival: Number(cycle),
      isWrite: writes.includes(kind),
      address: Number(`0x${address.replace(/^0x/i, "")}`),
    };
  },
};
