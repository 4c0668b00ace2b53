// SPDX-License-Identifier: Apache-2.0
// Translation and garbage collection against a plain implementation of their rules: every read, program
// and erase, in order.

import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { loadFlash } from "../../../src/native/flash-binding.ts";
import type { FlashDevice } from "../../../src/machine/flash/device.ts";
import { runKv, type KvEvent } from "../../../src/kernels/flash/kv.ts";
import { pageKinds } from "../../../src/machine/flash/page-kind.ts";
import { flashPresets } from "../../../src/machine/flash/presets.ts";
import { kvRun } from "./kv-model.ts";

/** Pages of 4 tokens of a head of 8, or of 2 of its dimensions and 16 tokens. */
const width = 8;
const device: FlashDevice = { ...flashPresets.tlc4k, page_bytes: 64 };

type Draw = ReturnType<typeof drawOf> extends fc.Arbitrary<infer D> ? D : never;
const drawOf = (
  whats: readonly ("write" | "append" | "locate" | "close")[],
  sequences: number,
  pages: number,
) =>
  fc.record({
    what: fc.constantFrom(...whats),
    sequence: fc.nat(sequences - 1),
    head: fc.nat(1),
    copy: fc.constantFrom(...pageKinds),
    index: fc.nat(pages - 1),
    tokens: fc.integer({ min: 1, max: 20 }),
  });

/** The sampled operations, with an open before the first use of a sequence. */
function scriptOf(draws: readonly Draw[]): readonly KvEvent[] {
  const opened = new Set<number>();
  return draws.flatMap(({ what, sequence, head, copy, index, tokens }): KvEvent[] => {
    // There may be no such sequence, head or page.
    if (what === "locate") return [{ kind: what, sequence, head: head * 1999, copy, index }];
    const first: KvEvent[] = opened.has(sequence)
      ? []
      : [{ kind: "open", sequence, heads: 2, dimsPerPage: 2 }];
    opened.add(sequence);
    if (what === "write") return [...first, { kind: what, sequence, head, copy, index }];
    if (what === "append") return [...first, { kind: what, sequence, tokens }];
    opened.delete(sequence);
    return [...first, { kind: "close", sequence }];
  });
}

function expectSame(
  of: FlashDevice,
  blocks: number,
  pagesPerBlock: number,
  events: readonly KvEvent[],
): number {
  const found = runKv(loadFlash(), of, { blocks, pagesPerBlock }, width, events);
  const wanted = kvRun(of, { blocks, pagesPerBlock }, width, events);
  expect(found.fullAt).toBe(wanted.fullAt);
  expect(found.work).toEqual(wanted.work);
  expect(found.located).toEqual(wanted.located);
  expect(found.wear).toEqual(wanted.wear);
  const done = wanted.work.flat();
  const count = (operation: string): number =>
    done.filter((item) => item.operation === operation).length;
  expect(found.erases).toBe(count("erase"));
  expect(found.pagesMoved).toBe(count("read"));
  expect(found.pagesWritten).toBe(count("program") - count("read"));
  return found.pagesMoved;
}

describe("keys and values on flash", () => {
  it("are cleaned as the rules say, until there is no room", () => {
    const one = { ...device, channels: 1, dies_per_channel: 1, planes_per_die: 1 };
    // Pages that are written again and again, as many as fit or a few more: garbage is everywhere.
    const draw = drawOf([...Array<"write">(60).fill("write"), "close"], 2, 2);
    let moved = 0;
    fc.assert(
      fc.property(
        fc.array(draw, { minLength: 100, maxLength: 300, size: "max" }),
        fc.integer({ min: 6, max: 14 }),
        fc.integer({ min: 1, max: 5 }),
        (draws, blocks, pagesPerBlock) => {
          moved += expectSame(one, blocks, pagesPerBlock, scriptOf(draws));
        },
      ),
      { numRuns: 200 },
    );
    expect(moved).toBeGreaterThan(2000);
  });

  it("find the block of garbage collection if only this block has garbage", () => {
    const one = { ...device, channels: 1, dies_per_channel: 1, planes_per_die: 1 };
    const write = (sequence: number, ...indices: readonly number[]): readonly KvEvent[] =>
      indices.map((index) => ({ kind: "write", sequence, head: 0, copy: "token-keys", index }));
    const others = [1, 2, 3, 4, 5, 6, 7];
    const events: readonly KvEvent[] = [
      ...[0, ...others].map((sequence): KvEvent => {
        return { kind: "open", sequence, heads: 1, dimsPerPage: 2 };
      }),
      // Two blocks with one valid page each, which the fourth of the others has cleaned.
      ...write(0, 0, 1, 2, 1, 2, 3, 3, 2),
      ...[1, 2, 3, 4].flatMap((sequence) => write(sequence, 0, 1, 2)),
      { kind: "close", sequence: 0 },
      ...[5, 6, 7].flatMap((sequence) => write(sequence, 0, 1, 2)),
    ];
    expect(expectSame(one, 7, 3, events)).toBe(2);
    const { fullAt, erases } = runKv(
      loadFlash(),
      one,
      { blocks: 7, pagesPerBlock: 3 },
      width,
      events,
    );
    // Two collected blocks, the block of the closed sequence, and the reserve of garbage
    // collection; then all pages are valid.
    expect(erases).toBe(4);
    expect(fullAt).toBe(events.length - 3);
  });

  it("lie on the planes that the rules say", () => {
    const shape = fc.record({
      channels: fc.integer({ min: 1, max: 3 }),
      dies_per_channel: fc.integer({ min: 1, max: 3 }),
      planes_per_die: fc.integer({ min: 1, max: 3 }),
    });
    const draw = drawOf(["write", "write", "append", "locate", "locate", "close"], 6, 4);
    fc.assert(
      fc.property(shape, fc.array(draw, { maxLength: 80, size: "max" }), (planes, draws) => {
        expectSame({ ...device, ...planes }, 16, 4, scriptOf(draws));
      }),
      { numRuns: 100 },
    );
  });
});
