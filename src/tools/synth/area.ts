// SPDX-License-Identifier: Apache-2.0
// The area of a unit: its slices, each synthesized once and counted per instance, and its memories
// by their shape.

import { defined } from "../../base/defined.ts";
import type { Library } from "./cells/liberty.ts";
import { isMemory, memoryArea, memoryBits } from "../../machine/memories/memory.ts";
import { resourcesOf } from "./resources.ts";
import { type Resources } from "../../results/area-report.ts";
import { synthesizeSlice, toolsOf, type Flow } from "./slice.ts";

import type { Box, Instance, Parameters, Slice } from "../../machine/slices.ts";
import { sharesOf, unitOf } from "./units.ts";
import type { SliceRow, ModuleRow, AreaReport } from "../../results/area-report.ts";

/** Measures a unit; `progress` is called with every slice before it is looked up or synthesised. */
export async function measureArea(
  flow: Flow,
  name: string,
  parameters: Parameters,
  progress: (slice: Instance) => void = () => undefined,
): Promise<AreaReport> {
  return sumOfSlices(flow, name, parameters, [{ module: unitOf(name).top, parameters }], progress);
}

/** An instance whose area is summed. */
export interface CountedInstance extends Instance {
  /** The instances inside; read from the synthesized slice if absent. */
  readonly boxes?: readonly Box[];
  /** The slice, if it was measured before. It does not list `boxes`, so they must be present. */
  readonly row?: SliceRow;
}

/** The sum of some instances and of all their sub-instances, as the report of a unit. */
export async function sumOfSlices(
  flow: Flow,
  name: string,
  parameters: Parameters,
  instances: readonly CountedInstance[],
  progress: (slice: Instance) => void = () => undefined,
): Promise<AreaReport> {
  const unit = unitOf(name);
  const made = new Map<string, { row: SliceRow; boxes: readonly Box[]; count: number }>();
  const memories = new Map<string, Box>();
  const add = async (
    instance: Instance,
    count: number,
    { boxes: inside, row: known }: Pick<CountedInstance, "boxes" | "row"> = {},
  ): Promise<void> => {
    const key = JSON.stringify(instance);
    const before = made.get(key);
    const measured = async (): Promise<{ row: SliceRow; boxes: readonly Box[] }> => {
      progress(instance);
      const slice = await synthesizeSlice(flow, instance, flow.separately);
      return { row: rowOf(slice, 1, flow.library), boxes: slice.boxes };
    };
    const { row, boxes } =
      before ?? (known === undefined ? await measured() : { row: known, boxes: [] });
    made.set(key, { row, boxes, count: (before?.count ?? 0) + count });
    for (const { count: standing, ...box } of inside ?? boxes) {
      if (isMemory(box.module)) {
        const memory = JSON.stringify(box);
        const old = memories.get(memory)?.count ?? 0;
        memories.set(memory, { ...box, count: old + standing * count });
        continue;
      }
      for (const share of sharesOf(box)) await add(share.instance, share.count * standing * count);
    }
  };
  for (const { boxes, row, ...instance } of instances) {
    const inside = { ...defined({ boxes, row }) };
    for (const share of sharesOf(instance)) await add(share.instance, share.count, inside);
  }
  const slices = [...made.values()].map(({ row, count }) => ({ ...row, count }));
  const memoryRows = [...memories.values()].map((box) => ({
    ...box,
    bits: memoryBits(box),
    area: memoryArea(box),
  }));
  return {
    unit: unit.name,
    title: unit.title,
    target: flow.library === null ? "xc7" : "asic",
    parameters,
    library: flow.library?.name ?? null,
    tools: toolsOf(flow),
    units: byModule(slices),
    slices,
    memories: memoryRows,
    sum: total(slices),
    memoryArea: memoryRows.reduce((sum, m) => sum + m.area * m.count, 0),
    slowest: slowestOf(slices),
  };
}

function rowOf(slice: Slice, count: number, library: Library | null): SliceRow {
  const { module, parameters, path, memoryRead, mapper } = slice;
  const resources = resourcesOf(slice, library);
  return { module, parameters, count, resources, path, memoryRead, mapper };
}

function total(slices: readonly SliceRow[]): Resources {
  const sum: Record<string, number> = {};
  for (const { resources, count } of slices) {
    for (const [name, value] of Object.entries(resources)) {
      sum[name] = (sum[name] ?? 0) + value * count;
    }
  }
  return { lut: 0, ff: 0, bram36: 0, dsp: 0, cells: 0, cellArea: 0, gates: 0, ...sum };
}

function byModule(slices: readonly SliceRow[]): readonly ModuleRow[] {
  const names = [...new Set(slices.map((s) => s.module))];
  return names.map((name) => ({
    name,
    resources: total(slices.filter((s) => s.module === name)),
  }));
}

/** The modules of a row of a paper's table together; null where the unit has none of them. */
export function combinedResources(
  report: AreaReport,
  modules: readonly string[],
): Resources | null {
  const slices = report.slices.filter((s) => modules.includes(s.module));
  return slices.length === 0 ? null : total(slices);
}

function slowestOf(slices: readonly SliceRow[]): SliceRow | null {
  const timed = slices.filter((s) => s.path !== null);
  return timed.sort((a, b) => periodOf(b) - periodOf(a))[0] ?? null;
}

/** Shortest period of a slice in ps; 0 without timing results. */
export function periodOf({ path, memoryRead }: SliceRow): number {
  return Math.max(path?.period ?? 0, memoryRead ?? 0);
}
