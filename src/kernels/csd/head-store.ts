// SPDX-License-Identifier: Apache-2.0
// Cache shared by runs over the same heads: packed flash pages, and snapshots of devices filled with
// them. Each run begins with devices as a prefill leaves them, filled anew or restored from the
// snapshot of an equal device.

import type { AttentionHead } from "../../workload/attention-heads.ts";
import type { CsdMachine } from "../../machine/csd/csd-machine.ts";
import type { CsdSession, FilledDevices, HeadPages } from "../../machine/csd/csd-types.ts";
import {
  pagesOf,
  placeHeads,
  type LayerTask,
  type PlacedHead,
} from "./attention/sparse-attention.ts";

/** The cache of a set of heads; missing entries are computed and added. */
export interface HeadStore {
  /** Of each head, by page size and tokens. */
  readonly pages: Map<string, readonly HeadPages[]>;
  /** By all parameters that decide the placement of pages. */
  readonly devices: Map<string, Filled>;
}

interface Filled {
  readonly devices: FilledDevices;
  readonly placed: readonly PlacedHead[];
}

/** An empty cache. */
export function emptyHeadStore(): HeadStore {
  return { pages: new Map(), devices: new Map() };
}

/** Bytes of pages of one shape that are cached at most; more would fill the host's memory. */
const maxBytes = 2 ** 28;
const maxShapes = 4;
const maxDevices = 64;

/** Fills the devices of a new session, for one run after another. */
export function fillerOf(
  session: CsdSession,
  machine: CsdMachine,
  store: HeadStore,
): (task: LayerTask) => readonly PlacedHead[] {
  let runs = 0;
  let before: readonly PlacedHead[] = [];
  // The placement of a decode's appends depends on its timing: no snapshot describes the flash
  // after a decode.
  let known = true;
  return (task) => {
    const key = known && keepable(task) ? JSON.stringify([runs, placesOf(machine, task)]) : null;
    runs += 1;
    known &&= task.decode === 0;
    const filled = key === null ? undefined : store.devices.get(key);
    if (filled === undefined) {
      closeHeads(session, before);
      before = fill(session, machine, task, store);
      if (key !== null) {
        makeRoom(store.devices, maxDevices);
        store.devices.set(key, { devices: session.keep(), placed: before });
      }
    } else {
      session.restore(filled.devices);
      before = filled.placed;
    }
    return before;
  };
}

/** The sequences of these heads become garbage. */
export function closeHeads(session: CsdSession, heads: readonly PlacedHead[]): void {
  for (const sequence of new Set(heads.map((one) => one.sequence))) session.closeSequence(sequence);
}

/**
 * The parameters that decide the bytes and the placement of the first heads' pages on an empty
 * device.
 */
function placesOf(machine: CsdMachine, { dimsPerPage, length }: LayerTask): readonly unknown[] {
  const { blocksPerPlane, devices, flash, hotPages, pagesPerBlock, unit } = machine;
  const { channels, dies_per_channel: dies, page_bytes: pageBytes, planes_per_die: planes } = flash;
  return [
    ...[devices, channels, dies, planes, blocksPerPlane, pagesPerBlock, hotPages],
    ...[pageBytes, unit.width, unit.maxKeys, unit.querySets, dimsPerPage, length],
  ];
}

function fill(
  session: CsdSession,
  machine: CsdMachine,
  task: LayerTask,
  store: HeadStore,
): readonly PlacedHead[] {
  const placed = placeHeads(session, machine.devices, task.heads, task.dimsPerPage);
  const key = JSON.stringify([machine.flash.page_bytes, task.length]);
  const known = store.pages.get(key);
  const pages = placed.map((one, h) => {
    const headPages = known?.[h] ?? pagesOf(session, one, task.length);
    session.prefill(one.sequence, one.index, headPages);
    return headPages;
  });
  if (keepable(task) && known === undefined) {
    makeRoom(store.pages, maxShapes);
    store.pages.set(key, pages);
  }
  return placed;
}

function keepable({ heads, length }: LayerTask): boolean {
  // K twice and V once, two bytes per value.
  const bytesOf = ({ width }: AttentionHead): number => 3 * 2 * width * length;
  return heads.reduce((sum, head) => sum + bytesOf(head), 0) <= maxBytes;
}

function makeRoom(cached: Map<string, unknown>, most: number): void {
  if (cached.size >= most) cached.clear();
}
