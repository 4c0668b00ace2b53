// SPDX-License-Identifier: Apache-2.0
// The entry point `neardata/fast-check`: arbitraries of the inputs of near-data hardware. Arguments are checked.

import { z } from "zod";

import { entry } from "../../base/entry.ts";
import { count, floatFormat } from "../../golden/arguments.ts";
import * as arbitraries from "./arbitraries.ts";
import * as attention from "./heads.ts";

export type { ArbitraryExpert, BitsKind, TraceRequest } from "./arbitraries.ts";
export type { ArbitraryGroup, ArbitraryHead } from "./heads.ts";

const kind = z.enum(["near", "finite", "special"]).optional();
const most = count.optional();

/** A bit pattern of a 16-bit format; shrinks towards 1. */
export const floatBits = entry(arbitraries.floatBits, { format: floatFormat, kind });

/** `count` bit patterns. */
export const floatVectors = entry(arbitraries.floatVectors, {
  format: floatFormat,
  count: z.int().min(0),
  kind,
});

/** Experts up to a size; odd sizes are as likely as even ones. */
export const experts = entry(arbitraries.experts, {
  options: z
    .strictObject({
      format: floatFormat.optional(),
      kind,
      hidden: most,
      intermediate: most,
      tokens: most,
    })
    .optional(),
});

/** Traces of whole bursts, with runs in one row, conflicts and idle times among them. */
export const traces = entry(arbitraries.traces, {
  options: z
    .strictObject({ requests: most, bytes: z.int().min(1).optional(), burst: most })
    .refine(({ bytes = 2 ** 30, burst = 64 }) => bytes >= burst, {
      error: "`bytes` are fewer than one burst.",
    })
    .optional(),
});

/** Pauses of a stream: none, some or most cycles. */
export const stalls = entry(arbitraries.stalls, {});

/** Any head of up to `longest` tokens, of one of the widths. */
export const heads = entry(attention.heads, {
  options: z.strictObject({ longest: most, widths: z.array(count).min(1).optional() }).optional(),
});

/** A group of a given size, with corner cases of attention. */
export const groupsOfHeads = entry(attention.groupsOfHeads, {
  size: z.strictObject({ group: count, length: count, width: count }),
});
