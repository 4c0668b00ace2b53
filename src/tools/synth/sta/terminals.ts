// SPDX-License-Identifier: Apache-2.0
// Starts and ends of paths by number, and the cell, memory or port of each.

import { present } from "../../../base/present.ts";
import type { LinkedInstance } from "./design.ts";
import type { Terminal } from "../../../results/area-report.ts";

/** Starts or ends of paths, with the cell or the place of each. */
export class Terminals {
  readonly nets: number[] = [];
  readonly kinds: number[] = [];
  readonly flags: number[] = [];
  readonly #cells: number[] = [];
  readonly #firsts: number[] = [];
  readonly #instances: LinkedInstance[] = [];
  readonly #borders = new Map<number, Terminal>();

  begin(instance: LinkedInstance): void {
    this.#firsts.push(this.nets.length);
    this.#instances.push(instance);
  }

  add(net: number, kind: number, cell: number, flag: boolean): void {
    this.nets.push(net);
    this.kinds.push(kind);
    this.flags.push(Number(flag));
    this.#cells.push(cell);
  }

  addBorder(net: number, kind: number, terminal: Terminal): void {
    this.#borders.set(this.nets.length, terminal);
    this.add(net, kind, -1, false);
  }

  terminal(index: number): Terminal {
    const border = this.#borders.get(index);
    if (border !== undefined) return border;
    const instance = this.#instances[firstAbove(this.#firsts, index) - 1];
    const cell = instance?.slice.netlist.cells[this.#cells[index] ?? -1];
    return {
      instance: instance?.path ?? "",
      module: instance?.slice.module ?? "",
      name: registerOf(cell?.name ?? ""),
    };
  }
}

/** A register's name as the RTL has it, without its bit. */
function registerOf(cell: string): string {
  return cell.replace(/_reg(?=$|\[)/, "").replace(/\[\d+\]$/, "");
}

/** Index of the first number above the value, in ascending numbers. */
export function firstAbove(numbers: readonly number[], value: number): number {
  let [low, high] = [0, numbers.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (present(numbers[middle]) > value) high = middle;
    else low = middle + 1;
  }
  return low;
}
