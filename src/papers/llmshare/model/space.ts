// SPDX-License-Identifier: Apache-2.0
// The design space of LLMShare: two pools of servers (prefill, decode), ten parameters a pool.

/** Parameters of one pool, in the order in which the paper writes a design. */
export const poolParameters = [
  "sc",
  "dc",
  "links",
  "mm",
  "gb",
  "cc",
  "lb",
  "lanes",
  "ah",
  "vw",
] as const;

export type PoolParameter = (typeof poolParameters)[number];

/** Servers, devices per server, links, memory (GB), buffers, cores, arrays and vector units. */
export type Pool = Readonly<Record<PoolParameter, number>>;

/** The legal values of each parameter (LLMShare, table 1). */
export const publishedSpace: Readonly<Record<PoolParameter, readonly number[]>> = {
  sc: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10],
  dc: [4, 8, 12, 16],
  links: [6, 12, 18, 24],
  mm: [40, 64, 80, 96, 112, 128],
  gb: [20, 30, 40, 50, 60, 70, 80, 90, 100, 110],
  cc: [72, 96, 108, 132, 156, 180],
  lb: [64, 128, 192, 256, 320, 384, 448, 512],
  lanes: [1, 2, 4, 8],
  ah: [16, 32, 64, 128],
  vw: [16, 32, 64, 128],
};

/** Number of pools in a space of these values. */
export function poolCount(space: Readonly<Record<string, readonly unknown[]>>): number {
  return Object.values(space).reduce((count, values) => count * values.length, 1);
}

/** Memory of a pool in GB: servers x devices x memory. */
export function poolMemory({ sc, dc, mm }: Pick<Pool, "sc" | "dc" | "mm">): number {
  return sc * dc * mm;
}

/** Multiply-accumulates per cycle: servers x devices x cores x lanes x square array. */
export function poolMacs({ sc, dc, cc, lanes, ah }: Pool): number {
  return sc * dc * cc * lanes * ah * ah;
}
