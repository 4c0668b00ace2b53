// SPDX-License-Identifier: Apache-2.0
// A second model of keys and values on flash, from the description in sim/flash/translation: pages by
// name, blocks as lists of names. It decides whether garbage collection frees space by a collection of a
// copy.

import type { PagePlace } from "../../../src/kernels/flash/chains.ts";
import type { BlockShape, KvEvent, KvWork } from "../../../src/kernels/flash/kv.ts";
import type { FlashDevice } from "../../../src/machine/flash/device.ts";
import { pageKinds, type PageKind } from "../../../src/machine/flash/page-kind.ts";

interface Block {
  state: "free" | "open" | "full";
  /** The contents of its pages; null for garbage. */
  pages: (string | null)[];
  erases: number;
}

interface At {
  readonly block: number;
  readonly page: number;
}
type Step = At & Pick<KvWork, "operation">;

const cleaner = "the cleaner";

/** Blocks of a plane. */
class Plane {
  private readonly blocks: Block[];
  private readonly open = new Map<string, number>();

  private readonly shape: BlockShape;

  constructor(shape: BlockShape) {
    this.shape = shape;
    this.blocks = Array.from({ length: shape.blocks }, () => {
      return { state: "free", pages: [], erases: 0 };
    });
  }

  block(index: number): Block {
    const block = this.blocks[index];
    if (block === undefined) throw new Error(`no block ${String(index)}`);
    return block;
  }

  get wear(): readonly number[] {
    return this.blocks.map(({ erases }) => erases);
  }

  find(name: string): At | null {
    const block = this.blocks.findIndex(({ pages }) => pages.includes(name));
    return block < 0 ? null : { block, page: this.block(block).pages.indexOf(name) };
  }

  forget(name: string): void {
    const at = this.find(name);
    if (at !== null) this.block(at.block).pages[at.page] = null;
  }

  close(stream: string): void {
    const index = this.open.get(stream);
    if (index === undefined) return;
    this.block(index).state = "full";
    this.open.delete(stream);
  }

  /** Into the stream's block, or the least worn free one while more than `reserve` are. */
  private append(stream: string, name: string, reserve: number): At | null {
    let index = this.open.get(stream);
    if (index === undefined) {
      const free = this.blocks.filter(({ state }) => state === "free");
      if (free.length <= reserve) return null;
      const least = Math.min(...free.map(({ erases }) => erases));
      index = this.blocks.findIndex(({ state, erases }) => state === "free" && erases === least);
      this.block(index).state = "open";
      this.open.set(stream, index);
    }
    const { pages } = this.block(index);
    pages.push(name);
    if (pages.length === this.shape.pagesPerBlock) this.close(stream);
    return { block: index, page: pages.length - 1 };
  }

  /**
   * The full block with the fewest valid pages, of these the least worn; or the empty reserve of
   * garbage collection.
   */
  private victim(): number | null {
    const valid = ({ pages }: Block): number => pages.filter((name) => name !== null).length;
    const order = this.blocks
      .map((block, index) => ({ block, index }))
      .filter(({ block }) => block.state === "full" && valid(block) < this.shape.pagesPerBlock)
      .sort((a, b) => valid(a.block) - valid(b.block) || a.block.erases - b.block.erases);
    if (order[0] !== undefined) return order[0].index;
    const own = this.open.get(cleaner);
    return own !== undefined && valid(this.block(own)) === 0 ? own : null;
  }

  private clean(from: number, steps: Step[]): void {
    if (this.open.get(cleaner) === from) this.close(cleaner);
    this.block(from).pages.forEach((name, page, pages) => {
      if (name === null) return;
      pages[page] = null;
      steps.push({ operation: "read", block: from, page });
      const to = this.append(cleaner, name, 0);
      if (to === null) throw new Error("the reserve is gone");
      steps.push({ operation: "program", ...to });
    });
    const erases = this.block(from).erases + 1;
    this.blocks[from] = { state: "free", pages: [], erases };
    steps.push({ operation: "erase", block: from, page: 0 });
  }

  private copy(): Plane {
    const copy = new Plane(this.shape);
    copy.blocks.splice(0, Infinity, ...structuredClone(this.blocks));
    for (const [stream, block] of this.open) copy.open.set(stream, block);
    return copy;
  }

  private tryWrite(stream: string, name: string, steps: Step[]): boolean {
    for (;;) {
      const at = this.append(stream, name, 1);
      if (at !== null) {
        steps.push({ operation: "program", ...at });
        return true;
      }
      const next = this.victim();
      if (next === null) return false;
      this.clean(next, steps);
    }
  }

  /** The steps of the write; null, without a change of state, if the flash is full. */
  write(stream: string, name: string): readonly Step[] | null {
    if (!this.copy().tryWrite(stream, "new", [])) return null;
    const steps: Step[] = [];
    const before = this.find(name);
    // The contents before are garbage only once the new ones are written.
    if (before !== null) this.block(before.block).pages[before.page] = `${name} before`;
    this.tryWrite(stream, name, steps);
    this.forget(`${name} before`);
    return steps;
  }
}

export interface KvModelRun {
  readonly work: readonly (readonly KvWork[])[];
  readonly located: readonly (PagePlace | null)[];
  readonly fullAt: number | null;
  readonly wear: { readonly most: number; readonly least: number };
}

/** Runs a script of events that close what they opened at most. */
export function kvRun(
  device: FlashDevice,
  shape: BlockShape,
  width: number,
  events: readonly KvEvent[],
): KvModelRun {
  const { channels, dies_per_channel: dies, planes_per_die } = device;
  const planes = Array.from({ length: channels * dies * planes_per_die }, () => new Plane(shape));
  const open = new Map<number, { heads: number; dims: number; tokens: number; names: string[] }>();
  const work: KvWork[][] = [];
  const located: (PagePlace | null)[] = [];

  const onChannel = (number: number): Pick<PagePlace, "channel" | "die" | "plane"> => {
    const row = Math.floor(number / channels);
    return { channel: number % channels, die: row % dies, plane: Math.floor(row / dies) };
  };

  const locate = (name: string): PagePlace | null => {
    for (const [number, plane] of planes.entries()) {
      const at = plane.find(name);
      if (at !== null) return { ...onChannel(number), ...at };
    }
    return null;
  };

  const write = (sequence: number, head: number, kind: PageKind, index: number): boolean => {
    const its = open.get(sequence);
    if (its === undefined) throw new Error(`no sequence ${String(sequence)}`);
    const together = [0, 1, Math.floor(index / Math.ceil(width / its.dims))];
    const number =
      (index + 21 * (together[pageKinds.indexOf(kind)] ?? 0) + 11 * (sequence * its.heads + head)) %
      planes.length;
    const plane = planes[number];
    const name = [sequence, head, kind, index].join(" ");
    const steps = plane?.write([sequence, head].join(" "), name);
    if (plane === undefined || steps === null || steps === undefined) return false;
    its.names.push(name);
    work.at(-1)?.push(...steps.map((step) => ({ ...step, ...onChannel(number) })));
    return true;
  };

  const append = (sequence: number, tokens: number): boolean => {
    const its = open.get(sequence);
    if (its === undefined) throw new Error(`no sequence ${String(sequence)}`);
    const [before, after] = [its.tokens, its.tokens + tokens];
    its.tokens = after;
    const full = (size: number): number[] => {
      const [from, to] = [Math.floor(before / size), Math.floor(after / size)];
      return Array.from({ length: to - from }, (_, i) => from + i);
    };
    const groups = Math.ceil(width / its.dims);
    return Array.from({ length: its.heads }, (_, head) => head).every(
      (head) =>
        full(device.page_bytes / (2 * width)).every(
          (i) => write(sequence, head, "token-keys", i) && write(sequence, head, "token-values", i),
        ) &&
        full(Math.floor(device.page_bytes / (2 * its.dims))).every((block) =>
          Array.from({ length: groups }, (_, g) => block * groups + g).every((i) =>
            write(sequence, head, "dim-keys", i),
          ),
        ),
    );
  };

  const handle = (event: KvEvent): boolean => {
    switch (event.kind) {
      case "open": {
        const { heads, dimsPerPage: dims } = event;
        open.set(event.sequence, { heads, dims, tokens: 0, names: [] });
        return true;
      }
      case "append":
        return append(event.sequence, event.tokens);
      case "write":
        return write(event.sequence, event.head, event.copy, event.index);
      case "close": {
        const { names = [], heads = 0 } = open.get(event.sequence) ?? {};
        for (const plane of planes) {
          for (const name of names) plane.forget(name);
          for (let h = 0; h < heads; h += 1) plane.close([event.sequence, h].join(" "));
        }
        open.delete(event.sequence);
        return true;
      }
      case "locate":
        located.push(locate([event.sequence, event.head, event.copy, event.index].join(" ")));
        return true;
    }
  };

  const wear = (): KvModelRun["wear"] => {
    const all = planes.flatMap((plane) => plane.wear);
    return { most: Math.max(...all), least: Math.min(...all) };
  };
  for (const [i, event] of events.entries()) {
    work.push([]);
    if (!handle(event)) return { work, located, fullAt: i, wear: wear() };
  }
  return { work, located, fullAt: null, wear: wear() };
}
