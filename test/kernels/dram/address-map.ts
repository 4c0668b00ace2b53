// SPDX-License-Identifier: Apache-2.0
// Requests of a trace, and the location of an address: a second implementation of the mappers, field by field.

import type { DramReplayConfig } from "../../../src/kernels/dram/replay-config.ts";

export interface TraceRequest {
  readonly id: number;
  readonly arrival: number;
  readonly op: "R" | "W";
  readonly address: bigint;
}

export interface Place {
  readonly rank: number;
  readonly group: number;
  readonly bank: number;
  readonly row: number;
  readonly column: number;
}

const log2 = (n: number): number => Math.round(Math.log2(n));

/** Splits an address from the low end. */
export function mapAddress(
  config: DramReplayConfig,
  address: bigint,
): { readonly channel: number; readonly place: Place } {
  const o = config.organization;
  let rest = address / BigInt((o.burstLength * o.channelBits) / 8);
  const take = (count: number): number => {
    const value = Number(rest % BigInt(count));
    rest /= BigInt(count);
    return value;
  };
  const field = { ch: 0, co: 0, ra: 0, bg: 0, ba: 0, ro: 0 };
  const counts = {
    ch: o.channels,
    co: o.columnsPerRow,
    ra: o.ranks,
    bg: o.bankGroups,
    ba: o.banksPerGroup,
    ro: o.rows,
  };
  const orders: Record<string, readonly (keyof typeof field)[]> = {
    RoBaRaCoCh: ["ch", "co", "ra", "bg", "ba", "ro"],
    ChRaBaRoCo: ["co", "ro", "ba", "bg", "ra", "ch"],
    RoBaCoBg: ["ch", "bg", "co", "ra", "ba", "ro"],
    RoCoBaBg: ["ch", "bg", "ba", "co", "ra", "ro"],
  };
  const order = orders[config.mapping];
  if (order !== undefined) {
    for (const name of order) field[name] = take(counts[name]);
  } else {
    const low = take(4);
    field.ch = take(o.channels);
    field.ra = take(o.ranks);
    field.bg = take(o.bankGroups);
    field.ba = take(o.banksPerGroup);
    field.co = low + 4 * take(o.columnsPerRow / 4);
    field.ro = Number(rest);
    let shift = 0;
    for (const name of ["ch", "ra", "bg", "ba", "ro"] as const) {
      const width = log2(counts[name]);
      field[name] ^= (field.co >> shift) % 2 ** width;
      shift += width;
    }
  }
  const { ch, ra, bg, ba, ro, co } = field;
  return { channel: ch, place: { rank: ra, group: bg, bank: ba, row: ro, column: co } };
}
