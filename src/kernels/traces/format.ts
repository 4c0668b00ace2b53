// SPDX-License-Identifier: Apache-2.0
// The interface of a format of memory traces: the outline of its lines, and the conversion of a
// line into a request.

import type { DramOrganization } from "../../machine/dram/presets.ts";
import type { DramReplayConfig } from "../dram/replay-config.ts";

/** A request of a trace; the address is that of a byte. */
export interface MemoryRequest {
  /** In cycles of the clock that the format counts; 0 where it has no times. */
  readonly arrival: number;
  readonly isWrite: boolean;
  readonly address: number;
}

/** The memory for which lines are parsed. */
export interface MemoryTarget {
  readonly organization: DramOrganization;
  readonly mapping: DramReplayConfig["mapping"];
}

export interface MemoryFormat {
  /** The value of `--trace-format`. */
  readonly name: string;
  /** As a sentence names it. */
  readonly title: string;
  readonly example: string;
  /** Whether a line has the outline of this format; `read` reports errors inside the line. */
  readonly outline: RegExp;
  /** Required suffix of file names, if the outline alone is ambiguous. */
  readonly suffix?: RegExp;
  /** The unit of arrivals: cycles of the memory, cycles of another clock, or none. */
  readonly clock: "memory" | "initiator" | "none";
  /** A request, or the rule that the line breaks. */
  readonly read: (line: string, target: MemoryTarget) => MemoryRequest | string;
}

/** Bytes of one access. */
export function accessBytes({ burstLength, channelBits }: DramOrganization): number {
  return (burstLength * channelBits) / 8;
}

/**
 * Decimal, or hexadecimal with 0x; null for any other text, infinite for a number beyond the safe
 * integers of a double.
 */
export function addressOf(text: string): number | null {
  if (!/^(0x[0-9a-f]{1,16}|\d{1,20})$/i.test(text)) return null;
  const value = Number(text);
  return value <= Number.MAX_SAFE_INTEGER ? value : Infinity;
}

export function notAnAddress(text: string): string {
  return `the address must be decimal, or hexadecimal with 0x, not ${JSON.stringify(text.slice(0, 40))}.`;
}
