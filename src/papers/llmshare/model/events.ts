// SPDX-License-Identifier: Apache-2.0
// A heap of events by time; of events with equal times, the first inserted one.

interface Entry<Event> {
  readonly time: number;
  readonly order: number;
  readonly event: Event;
}

export interface EventQueue<Event> {
  readonly push: (time: number, event: Event) => void;
  readonly pop: () => { readonly time: number; readonly event: Event } | null;
  /** Time of the next event. */
  readonly peek: () => number | null;
}

export function eventQueue<Event>(): EventQueue<Event> {
  const heap: Entry<Event>[] = [];
  let order = 0;
  return {
    push: (time, event) => {
      order += 1;
      rise(heap, { time, order, event });
    },
    pop: () => {
      const top = heap[0];
      const last = heap.pop();
      if (top === undefined || last === undefined) return null;
      if (heap.length > 0) sink(heap, last);
      return top;
    },
    peek: () => heap[0]?.time ?? null,
  };
}

function rise<Event>(heap: Entry<Event>[], entry: Entry<Event>): void {
  let at = heap.length;
  while (at > 0) {
    const parent = (at - 1) >> 1;
    const above = heap[parent];
    if (above === undefined || before(above, entry)) break;
    heap[at] = above;
    at = parent;
  }
  heap[at] = entry;
}

function sink<Event>(heap: Entry<Event>[], entry: Entry<Event>): void {
  let at = 0;
  for (;;) {
    const [left, right] = [heap[2 * at + 1], heap[2 * at + 2]];
    if (left === undefined) break;
    const rightIsNext = right !== undefined && before(right, left);
    const child = rightIsNext ? right : left;
    if (before(entry, child)) break;
    heap[at] = child;
    at = 2 * at + (rightIsNext ? 2 : 1);
  }
  heap[at] = entry;
}

function before(a: Entry<unknown>, b: Entry<unknown>): boolean {
  return a.time < b.time || (a.time === b.time && a.order < b.order);
}
