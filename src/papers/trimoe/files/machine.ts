// SPDX-License-Identifier: Apache-2.0
// TriMoE's machines and experts as files of cases write them.

import { z } from "zod";
import { bytes, bytesPerSecond, flopsPerSecond, seconds } from "../../../base/units.ts";
import { present } from "../../../base/present.ts";
import { amount, index, maxComparedEntries, maxDimms, rate, time } from "../../cases/limits.ts";
import type { Expert, TriMoeMachine } from "../model/cost.ts";

const tokens = z.number().min(1e-6).max(1e9);
const above = time.min(1e-15);

const curveSchema = z
  .array(z.tuple([tokens, above]))
  .min(1)
  .max(maxComparedEntries)
  .refine(
    (points) => points.every(([tokens], i) => i === 0 || tokens > present(points[i - 1]?.[0])),
    "the token counts of a curve ascend.",
  )
  .transform((points) => points.map(([tokens, time]) => [tokens, seconds(time)] as const));

/** Rates in bytes or operations per second, curves as (tokens, seconds) for an expert of table_W. */
export const machineSchema: z.ZodType<TriMoeMachine> = z
  .object({
    n_dimm: z.int().min(1).max(maxDimms),
    host_bw: rate,
    dimm_host_bw: rate,
    pcie_bw: rate,
    ndp_flops: rate,
    ndp_bw: rate,
    table_W: amount.min(1),
    f_gpu: curveSchema,
    f_cpu: curveSchema,
  })
  .transform((m) => ({
    dimms: m.n_dimm,
    hostBandwidth: bytesPerSecond(m.host_bw),
    dimmHostBandwidth: bytesPerSecond(m.dimm_host_bw),
    pcie: bytesPerSecond(m.pcie_bw),
    ndpRate: flopsPerSecond(m.ndp_flops),
    ndpBandwidth: bytesPerSecond(m.ndp_bw),
    curveBytes: bytes(m.table_W),
    gpu: m.f_gpu,
    cpu: m.f_cpu,
  }));

/** A row: id, tokens, layout (s or l), home DIMM or null, 1 if GPU memory has a copy. */
export const expertSchema: z.ZodType<Expert> = z
  .tuple([index, time, z.enum(["s", "l"]), index.nullable(), z.literal([0, 1])])
  .refine(
    ([, , layout, home]) => (layout === "l") === (home !== null),
    "a localized expert (l) has a home DIMM, a striped one (s) has null.",
  )
  .transform(([id, load, layout, home, resident]) => ({
    id,
    load,
    layout: layout === "s" ? ("striped" as const) : ("localized" as const),
    home,
    resident: resident === 1,
  }));
