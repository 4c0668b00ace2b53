// SPDX-License-Identifier: Apache-2.0
// Forms of InstInfer's time outside of the cache as a function of the batch. Figure 14 has it at batch 64
// and figure 17 needs it at 256; figure 12 selects the form, without figure 17.

import { effective, gpus } from "../../../machine/host/devices.ts";
import { weightsOf } from "../model/memory.ts";
import { publishedSetting } from "../model/systems.ts";
import type { Prose, Table } from "../../../report/page.ts";

/** Seconds of a step outside the cache at a batch, from those at batch 64. */
export interface OutsideForm {
  readonly what: string;
  readonly at: (batch: number, at64: number) => number;
}

const known = 64;

/** Seconds of all products of a decode step on the GPU: two operations per weight and sequence, or its reads. */
function productsTime(batch: number): number {
  const { compute, bandwidth } = gpus.a6000;
  const weights = weightsOf(publishedSetting.model);
  return Math.max(weights / effective(bandwidth), (weights * batch) / effective(compute));
}

export const sameAtEveryBatch: OutsideForm = {
  what: "the same at every batch",
  at: (_, at64) => at64,
};
export const byRoofline: OutsideForm = {
  what: "constant, except the products of the GPU, which follow its roofline",
  at: (batch, at64) => at64 + productsTime(batch) - productsTime(known),
};
export const inProportion: OutsideForm = {
  what: "in proportion to the batch",
  at: (batch, at64) => (at64 * batch) / known,
};
const none: OutsideForm = { what: "none", at: () => 0 };

const forms = [sameAtEveryBatch, byRoofline, inProportion, none];

/** Seconds of a decode step's caches. */
export type CacheTime = (kind: "dense" | "sparf", devices: number, batch: number) => number;

/**
 * Printed gains of SparF over dense attention in figure 12: over FlexGen at 64, and at 256
 * directly.
 */
const [sparseOverFlexGen, denseOverFlexGen, gainAt256] = [11.1, 6.85, 2.08];

/** Every form with the resulting figures 12 and 17, and the reason for the chosen form. */
export function outsideBlocks(cache: CacheTime, at64: number): readonly (Table | Prose)[] {
  const gainAt64 = sparseOverFlexGen / denseOverFlexGen;
  const rows = forms.map(({ what, at }) => {
    const step = (kind: "dense" | "sparf", devices: number, batch: number): number =>
      cache(kind, devices, batch) + at(batch, at64);
    const sparse = (batch: number): number => step("dense", 1, batch) / step("sparf", 1, batch);
    const devices = (kind: "dense" | "sparf"): number => step(kind, 1, 256) / step(kind, 20, 256);
    return {
      what,
      seconds: at(256, at64),
      growth: sparse(256) / sparse(64),
      dense: devices("dense"),
      sparf: devices("sparf"),
    };
  });
  const column = (key: string, title: string, unit: string): Table["columns"][number] => ({
    key,
    title,
    unit,
    source: "derived",
    digits: 3,
  });
  return [
    {
      kind: "table",
      id: "outside-forms",
      caption:
        "How the time outside the cache may go from batch 64, where figure 14 gives it, to 256, and what follows.",
      columns: [
        { key: "what", title: "time outside the cache" },
        column("seconds", "at batch 256", "s"),
        column("growth", "SparF's gain over dense at 256 over that at 64", "1"),
        column("dense", "20 devices over one, dense", "x"),
        column("sparf", "20 devices over one, SparF", "x"),
      ],
      rows: [
        ...rows,
        {
          what: "published",
          seconds: null,
          growth: gainAt256 / gainAt64,
          dense: 8.99,
          sparf: 7.29,
        },
      ],
    },
    {
      kind: "prose",
      text:
        "Figure 12 selects the row of this table that our model uses; figure 17 does not. At batch 64 the paper prints gains over " +
        `FlexGen of ${sparseOverFlexGen} (SparF) and ${denseOverFlexGen} (dense), so SparF gains ${gainAt64.toFixed(2)} over dense. At batch 256 it prints ${gainAt256}, ` +
        "so the gain grows with the batch. It does not grow if the time outside the cache is proportional to the batch, or zero. " +
        "The first two rows differ by milliseconds, because the GPU reads its weights once for every batch size. Our model uses the first row.",
    },
  ];
}
