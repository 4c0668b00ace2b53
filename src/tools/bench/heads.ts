// SPDX-License-Identifier: Apache-2.0
// A storage device with the heads that benches attend to, and their jobs.

import { csdMachine, sparfUnit } from "../../machine/resolve/csd.ts";
import type { CsdMachine, SparfUnitParameters } from "../../machine/csd/csd-machine.ts";
import type { CsdJob } from "../../machine/csd/csd-jobs.ts";
import type { CsdSession } from "../../machine/csd/csd-types.ts";
import { flashPresets } from "../../machine/flash/presets.ts";
import { numbersToHalves } from "../../golden/half.ts";
import { openCsdSession } from "../../native/csd/csd-session.ts";
import { generateHta1 } from "../../workload/hta1.ts";

/** OPT-13B at 1/8: heads of 128 dimensions, 2048 tokens; sixteen are in flight. */
export const shape = { width: 128, length: 2048, dimsPerPage: 2 } as const;
export const choice = { r: 16, k: 128, l: 16 } as const;
export const heads = 16;
/** Different contents; the other heads repeat them. */
const contents = 4;

const flash = flashPresets.znand4k;
/** Bytes of a page of the heads. */
export const pageBytes: number = flash.page_bytes;

export type Kind = "sparse" | "dense";
type Cache = ReturnType<typeof generateHta1>;

export interface BenchDevice {
  readonly session: CsdSession;
  readonly jobs: Readonly<Record<Kind, readonly CsdJob[]>>;
}

export function headCaches(): readonly Cache[] {
  return Array.from({ length: contents }, (_, i) => generateHta1(i + 1, shape.length, shape.width));
}

export function lastQuery(queries: Float64Array): Float64Array {
  return queries.slice(-shape.width);
}

/** The engine of such a device. */
export function sparfUnitOf(): SparfUnitParameters {
  return sparfUnit(shape.width, flash.channels, flash.page_bytes / (2 * shape.width));
}

/** One Z-NAND device that has the heads. */
export async function openHeads(
  caches: readonly Cache[],
  changes: Partial<CsdMachine>,
): Promise<BenchDevice> {
  const unit = sparfUnitOf();
  const machine = { ...csdMachine({ engine: "cycle", devices: 1, unit, flash }), ...changes };
  const session = await openCsdSession(machine);
  const spec = { device: 0, heads, dimsPerPage: shape.dimsPerPage, tail: "padded" } as const;
  const sequence = session.createSequence(spec);
  const jobs = Array.from({ length: heads }, (_, head) => {
    const cache = caches[head % caches.length];
    if (cache === undefined) throw new Error("no such head");
    const [keys, values] = [numbersToHalves(cache.keys), numbersToHalves(cache.values)];
    session.prefill(sequence, head, session.pagesOf(sequence, head, keys, values));
    return { sequence, head, queries: numbersToHalves(lastQuery(cache.queries)) };
  });
  return {
    session,
    jobs: {
      sparse: jobs.map((job) => ({ ...job, kind: "sparse", ...choice, mean: true })),
      dense: jobs.map((job) => ({ ...job, kind: "dense" })),
    },
  };
}
