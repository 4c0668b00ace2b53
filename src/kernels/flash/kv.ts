// SPDX-License-Identifier: Apache-2.0
// Sequences of keys and values on flash as a script of events: addresses of writes, cost of garbage
// collection, wear of blocks. The mapping itself is sim/flash/translation/kv_translation.h.

import { present } from "../../base/present.ts";
import type { FlashBinding } from "../../native/flash-binding.ts";
import type { PagePlace } from "./chains.ts";
import type { FlashDevice } from "../../machine/flash/device.ts";
import { pageKinds, type PageKind } from "../../machine/flash/page-kind.ts";

/** Blocks of a plane and pages of a block. */
export interface BlockShape {
  readonly blocks: number;
  readonly pagesPerBlock: number;
}

/** One event. Sequences are small numbers; `dimsPerPage` is the group size m. */
export type KvEvent =
  | {
      readonly kind: "open";
      readonly sequence: number;
      readonly heads: number;
      readonly dimsPerPage: number;
    }
  | { readonly kind: "append"; readonly sequence: number; readonly tokens: number }
  | { readonly kind: "close"; readonly sequence: number }
  | {
      /** `write` writes one page, a new one or again, as a padded tail is when it has grown. */
      readonly kind: "locate" | "write";
      readonly sequence: number;
      readonly head: number;
      readonly copy: PageKind;
      readonly index: number;
    };

/** One flash operation. */
export interface KvWork extends PagePlace {
  readonly operation: "read" | "program" | "erase";
}

/** The operations and results of a script of events. */
export interface KvRun {
  /** Operations in order, event by event. */
  readonly work: readonly (readonly KvWork[])[];
  /** Places of the locate events in order; null while in the controller's DRAM. */
  readonly located: readonly (PagePlace | null)[];
  /** The first event that did not fit, if any. */
  readonly fullAt: number | null;
  readonly pagesWritten: number;
  readonly pagesMoved: number;
  readonly erases: number;
  /** Pages programmed for a page written. */
  readonly writeAmplification: number;
  /** Erases of the most and the least worn block. */
  readonly wear: { readonly most: number; readonly least: number };
}

const operations = ["read", "program", "erase"] as const;
const inDram = 0xffffffff;

/** Runs a script on empty flash. */
export function runKv(
  flash: FlashBinding,
  device: FlashDevice,
  blocks: BlockShape,
  width: number,
  events: readonly KvEvent[],
): KvRun {
  const outcome = flash.flashKv({
    channels: device.channels,
    dies: device.dies_per_channel,
    planes: device.planes_per_die,
    blocks: blocks.blocks,
    pagesPerBlock: blocks.pagesPerBlock,
    width,
    pageBytes: device.page_bytes,
    script: Uint32Array.from(events.flatMap(scriptLine)),
  });
  const work = chunks(outcome.work, 6).map(([operation = 0, ...place]) => ({
    operation: operations[operation] ?? "read",
    ...toPlace(place),
  }));
  return {
    work: Array.from(outcome.workAfter, (end, i) =>
      work.slice(i === 0 ? 0 : present(outcome.workAfter[i - 1]), end),
    ),
    located: chunks(outcome.located, 5).map((p) => (p[0] === inDram ? null : toPlace(p))),
    fullAt: outcome.full < 0 ? null : outcome.full,
    pagesWritten: outcome.hostWrites,
    pagesMoved: outcome.moves,
    erases: outcome.erases,
    writeAmplification:
      outcome.hostWrites === 0 ? 1 : (outcome.hostWrites + outcome.moves) / outcome.hostWrites,
    wear: { most: outcome.mostErases, least: outcome.leastErases },
  };
}

function scriptLine(event: KvEvent): number[] {
  switch (event.kind) {
    case "open":
      return [0, event.sequence, event.heads, event.dimsPerPage, 0];
    case "append":
      return [1, event.sequence, event.tokens, 0, 0];
    case "close":
      return [2, event.sequence, 0, 0, 0];
    case "locate":
    case "write": {
      const line = event.kind === "locate" ? 3 : 4;
      return [line, event.sequence, event.head, pageKinds.indexOf(event.copy), event.index];
    }
  }
}

function toPlace([
  channel = 0,
  die = 0,
  plane = 0,
  block = 0,
  page = 0,
]: readonly number[]): PagePlace {
  return { channel, die, plane, block, page };
}

function chunks(values: Uint32Array, size: number): number[][] {
  return Array.from({ length: values.length / size }, (_, i) => [
    ...values.subarray(i * size, (i + 1) * size),
  ]);
}
