// SPDX-License-Identifier: Apache-2.0
// The address of a place in a memory: the mappers of sim/dram/address_mapper.h from the other end.

import { accessBytes, type MemoryTarget } from "./format.ts";

/** A channel and a place in it. */
export interface MemoryPlace {
  readonly channel: number;
  readonly rank: number;
  readonly bankGroup: number;
  readonly bank: number;
  readonly row: number;
  /** Counts accesses. */
  readonly column: number;
}

type Field = keyof MemoryPlace;

/** Fields from the least significant one on, as sim/dram/address_mapper.h has them. */
const orders: Readonly<Record<Exclude<MemoryTarget["mapping"], "MOP4CLXOR">, readonly Field[]>> = {
  RoBaRaCoCh: ["channel", "column", "rank", "bankGroup", "bank", "row"],
  ChRaBaRoCo: ["column", "row", "bank", "bankGroup", "rank", "channel"],
  RoBaCoBg: ["channel", "bankGroup", "column", "rank", "bank", "row"],
  RoCoBaBg: ["channel", "bankGroup", "bank", "column", "rank", "row"],
};

/** The number of channels, ranks, bank groups, banks, rows and columns. */
export function countsOf({ organization: o }: Pick<MemoryTarget, "organization">): MemoryPlace {
  return {
    channel: o.channels,
    rank: o.ranks,
    bankGroup: o.bankGroups,
    bank: o.banksPerGroup,
    row: o.rows,
    column: o.columnsPerRow,
  };
}

/** The address of a valid place. */
export function addressOfPlace(target: MemoryTarget, place: MemoryPlace): number {
  const counts = countsOf(target);
  const bytes = accessBytes(target.organization);
  if (target.mapping === "MOP4CLXOR") return bytes * mop4Line(counts, place);
  const order = orders[target.mapping];
  return bytes * order.toReversed().reduce((line, field) => line * counts[field] + place[field], 0);
}

/** Two bits of the column lowest; each level is mixed with the next slice of the column. */
function mop4Line(counts: MemoryPlace, place: MemoryPlace): number {
  let shift = 0;
  const mixed: Record<string, number> = {};
  for (const field of ["channel", "rank", "bankGroup", "bank", "row"] as const) {
    const slice = (place.column >>> Math.min(shift, 31)) % counts[field];
    mixed[field] = place[field] ^ slice;
    shift += Math.round(Math.log2(counts[field]));
  }
  const of = (field: string): number => mixed[field] ?? 0;
  const low = place.column % 4;
  const high = Math.floor(place.column / 4);
  const upper = of("row") * (counts.column / 4) + high;
  const banks = (upper * counts.bank + of("bank")) * counts.bankGroup + of("bankGroup");
  return ((banks * counts.rank + of("rank")) * counts.channel + of("channel")) * 4 + low;
}
