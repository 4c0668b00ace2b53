// SPDX-License-Identifier: Apache-2.0
// Buffers on nets between slices. Mapping sized a driver for one port; if such a net has many pins (a control word of
// all lanes), a tree of the library's buffers drives them, as placement tools insert it. Nets inside a slice stay as
// mapped.

import type { Library } from "../cells/liberty.ts";
import type { CellTiming, Delay } from "./cell-timing.ts";

/** A buffer of the library. */
export interface Buffer {
  readonly name: string;
  readonly delay: Delay;
  /** fF of its input. */
  readonly load: number;
  /** um2 */
  readonly area: number;
}

/** Equal buffers level by level, from the driver to the pins. */
export interface BufferTree {
  readonly buffer: Buffer;
  /** fF that one buffer of each level drives. */
  readonly loads: readonly number[];
  /** fF that the driver of the net has left to drive. */
  readonly driven: number;
  /** Buffers of all levels. */
  readonly count: number;
}

/** The library's buffers: cells with one arc, which does not invert. */
export function buffersOf(
  library: Library,
  cells: ReadonlyMap<string, CellTiming>,
): readonly Buffer[] {
  return [...cells].flatMap(([name, { arcs, launches, captures, loads }]) => {
    const [arc, ...more] = arcs;
    if (arc === undefined || more.length > 0 || arc.delay.sense !== "positive") return [];
    const load = loads.get(arc.from) ?? 0;
    const isGate = launches.length === 0 && captures.length === 0;
    if (!isGate || load === 0 || loads.size !== 1) return [];
    return [{ name, delay: arc.delay, load, area: library.cells.get(name)?.area ?? 0 }];
  });
}

/** Candidate fan-outs of a buffer, in units of its own input load. */
const fanOuts = [2, 3, 4, 6, 8, 12];
/** Slew with which trees are compared, ps. */
const defaultSlew = 30;

/** The tree that makes a driver's net fastest; null where the driver alone is. */
export function bestTree(
  buffers: readonly Buffer[],
  driver: Delay,
  load: number,
): BufferTree | null {
  let best: BufferTree | null = null;
  let least = slowest(driver, load);
  for (const buffer of buffers) {
    for (const fanOut of fanOuts) {
      const loads: number[] = [];
      let [driven, count, behind] = [load, 0, 0];
      while (driven > buffer.load) {
        const level = Math.ceil(driven / (fanOut * buffer.load));
        loads.unshift(driven / level);
        behind += slowest(buffer.delay, driven / level);
        driven = level * buffer.load;
        count += level;
        const total = behind + slowest(driver, driven);
        if (total < least) {
          least = total;
          best = { buffer, loads: [...loads], driven, count };
        }
        if (level === 1) break;
      }
    }
  }
  return best;
}

/** The slower of both edges. */
function slowest({ delay: [rise, fall] }: Delay, load: number): number {
  return Math.max(rise.at(defaultSlew, load), fall.at(defaultSlew, load));
}
