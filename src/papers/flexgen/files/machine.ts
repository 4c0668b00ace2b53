// SPDX-License-Identifier: Apache-2.0
// FlexGen's machines and models as files of cases write them.

import { z } from "zod";
import { bytes, bytesPerSecond, flopsPerSecond } from "../../../base/units.ts";
import { amount, count, rate } from "../../cases/limits.ts";
import type { FlexGenModel } from "../model/cost.ts";
import type { FlexGenMachine } from "../../experiment/machines.ts";

/** A coefficient of a fit to measurements. */
const coefficient = z.number().min(-1e21).max(1e21);

/** Parameters that both variants of the cost model need. */
const shared = {
  gmem: amount,
  cmem: amount,
  nmem: amount,
  ctog_bdw: rate,
  dtoc_bdw: rate,
  cpu_flops: rate,
};

/** A rate for each phase and each thing moved. */
const fittedSchema = z.object({
  ...shared,
  gtoc_bdw_cache: rate,
  gtoc_bdw_hidden: rate,
  ctod_bdw_cache_p: rate,
  ctod_bdw_hidden_p: rate,
  ctod_bdw_g: rate,
  mm_flops_p: rate,
  mm_flops_g: rate,
  bmm_flops_p: rate,
  bmm_flops_g: rate,
  c1: coefficient,
  c2: coefficient,
  c3: coefficient,
});

/** One rate of each kind. */
const singleSchema = z
  .object({ ...shared, gtoc_bdw: rate, ctod_bdw: rate, mm_flops: rate, bmm_flops: rate })
  .transform((h) => ({
    ...h,
    gtoc_bdw_cache: h.gtoc_bdw,
    gtoc_bdw_hidden: h.gtoc_bdw,
    ctod_bdw_cache_p: h.ctod_bdw,
    ctod_bdw_hidden_p: h.ctod_bdw,
    ctod_bdw_g: h.ctod_bdw,
    mm_flops_p: h.mm_flops,
    mm_flops_g: h.mm_flops,
    bmm_flops_p: h.bmm_flops,
    bmm_flops_g: h.bmm_flops,
    c1: 0,
    c2: 0,
    c3: 0,
  }));

export const machineSchema: z.ZodType<FlexGenMachine> = z
  .union([fittedSchema, singleSchema], "this has neither one rate of each kind nor fitted rates.")
  .transform((h) => ({
    gpuMemory: bytes(h.gmem),
    cpuMemory: bytes(h.cmem),
    diskMemory: bytes(h.nmem),
    cpuToGpu: bytesPerSecond(h.ctog_bdw),
    gpuToCpuCache: bytesPerSecond(h.gtoc_bdw_cache),
    gpuToCpuHidden: bytesPerSecond(h.gtoc_bdw_hidden),
    diskToCpu: bytesPerSecond(h.dtoc_bdw),
    cpuToDiskCachePrefill: bytesPerSecond(h.ctod_bdw_cache_p),
    cpuToDiskHiddenPrefill: bytesPerSecond(h.ctod_bdw_hidden_p),
    cpuToDiskDecode: bytesPerSecond(h.ctod_bdw_g),
    matmulPrefill: flopsPerSecond(h.mm_flops_p),
    matmulDecode: flopsPerSecond(h.mm_flops_g),
    batchedPrefill: flopsPerSecond(h.bmm_flops_p),
    batchedDecode: flopsPerSecond(h.bmm_flops_g),
    cpu: flopsPerSecond(h.cpu_flops),
    cpuFit: [h.c1, h.c2, h.c3] as const,
  }));

export const modelSchema: z.ZodType<FlexGenModel> = z
  .object({ l: count, h1: count, h2: count, nh: count })
  .transform(({ l, h1, h2, nh }) => ({ layers: l, hidden: h1, intermediate: h2, heads: nh }));
