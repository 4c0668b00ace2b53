// SPDX-License-Identifier: Apache-2.0
// LLMShare's serving system as a search space: a prefill and a decode pool, each a tree of servers,
// devices, cores and lanes; and a design of that space as two pools.

import { present } from "../../../base/present.ts";
import type { Parameter, Part, Space, Design } from "../../../explore/search/space.ts";
import { poolMemory, poolParameters, publishedSpace, type Pool } from "./space.ts";

export interface ServingDesign {
  readonly prefill: Pool;
  readonly decode: Pool;
}

const pools = ["prefill", "decode"] as const;

function parametersOf(pool: string): readonly Parameter[] {
  return poolParameters.map((name) => ({ name: `${pool}.${name}`, values: publishedSpace[name] }));
}

/** Pool, server, device, core and lane, each with its own parameters. */
function partsOf(pool: string): Part {
  const keysOf = (...names: readonly string[]): readonly string[] =>
    names.map((name) => `${pool}.${name}`);
  const lane: Part = { name: "lane", children: keysOf("ah", "vw") };
  const core: Part = { name: "core", children: [...keysOf("lanes", "lb"), lane] };
  const device: Part = { name: "device", children: [...keysOf("mm", "gb", "cc"), core] };
  const server: Part = { name: "server", children: [...keysOf("dc", "links"), device] };
  return { name: pool, children: [...keysOf("sc"), server] };
}

export const servingSpace: Space = {
  parameters: pools.flatMap(parametersOf),
  tree: { name: "system", children: pools.map(partsOf) },
};

export function servingDesign(design: Design): ServingDesign {
  const poolAt = (from: number): Pool =>
    Object.fromEntries(poolParameters.map((name, i) => [name, present(design[from + i])])) as Pool;
  return { prefill: poolAt(0), decode: poolAt(poolParameters.length) };
}

/** Main memory of both pools in GB, by which memory-centric initialisation groups designs. */
export function totalMemory(design: Design): number {
  const { prefill, decode } = servingDesign(design);
  return poolMemory(prefill) + poolMemory(decode);
}
