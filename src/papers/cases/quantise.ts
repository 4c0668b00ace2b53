// SPDX-License-Identifier: Apache-2.0
// Cases of group quantisation: vectors, ties, a ragged tail, tensors grouped along a dimension.

import { z } from "zod";
import type { Issue } from "../../base/errors.ts";
import { present } from "../../base/present.ts";
import {
  dequantise,
  errorBound,
  packNibbles,
  quantise,
  roundHalfUp,
  rowGroups,
  storedBytes,
  tensorGroups,
  withHalfMetadata,
  type Grouping,
} from "../../workload/group-quantise.ts";
import { family, kind, type ReadFamily } from "./family.ts";
import { count, maxValues } from "./limits.ts";

const input = z.object({
  bits: z.int().min(1).max(8),
  group_size: count,
  values: z.array(z.number().min(-1e30).max(1e30)).min(1).max(maxValues),
});
type Input = z.infer<typeof input>;

function basic({ bits, values }: Input, groups: Grouping, padTo = 0): object {
  const q = quantise(values, groups, bits, undefined, padTo);
  return { codes: q.codes, min: q.min, scale: q.scale, dequant: dequantise(q, groups) };
}

function vector(c: Input): object {
  const groups = rowGroups(c.values.length, c.group_size);
  const q = quantise(c.values, groups, c.bits);
  const back = dequantise(q, groups);
  const stored = storedBytes(groups.length, c.group_size);
  const packed =
    c.bits === 4
      ? {
          packed_hex: Buffer.from(packNibbles(q.codes)).toString("hex"),
          stored_bytes: stored,
          compression_ratio_vs_fp16: (2 * c.values.length) / stored,
        }
      : {};
  return {
    ...basic(c, groups),
    dequant_with_fp16_metadata: dequantise(withHalfMetadata(q), groups),
    max_abs_error: Math.max(...back.map((x, i) => Math.abs(x - present(c.values[i])))),
    error_bound: errorBound(q),
    ...packed,
  };
}

const tensorInput = input.extend({
  shape: z.array(count).min(1).max(8),
  group_dim: z.int().min(0),
});

export const quantiseCases: ReadFamily = family(z.object({}), {
  vector: kind(input, vector),
  other_bits: kind(input, vector),
  constant_group: kind(input, vector),
  exact_ties: kind(input, (c) => {
    const groups = rowGroups(c.values.length, c.group_size);
    const up = quantise(c.values, groups, c.bits, roundHalfUp);
    return { ...vector(c), codes_half_up: up.codes };
  }),
  ragged_tail: kind(input, (c) => {
    const groups = rowGroups(c.values.length, c.group_size);
    return {
      ragged: basic(c, groups),
      zero_padded: {
        ...basic(c, groups, c.group_size),
        stored_bytes: storedBytes(groups.length, c.group_size),
      },
    };
  }),
  tensor: kind(
    tensorInput,
    (c) => ({
      ...basic(c, tensorGroups(c.shape, c.group_dim, c.group_size)),
      min_order: "outer index, group along group_dim, inner index",
    }),
    checkTensor,
  ),
});

function checkTensor({ shape, group_dim, values }: z.infer<typeof tensorInput>): readonly Issue[] {
  const issues: Issue[] = [];
  if (group_dim >= shape.length) {
    const message = `there is no dimension ${group_dim} of ${shape.length}.`;
    issues.push({ where: "group_dim", message });
  }
  const wanted = shape.reduce((a, b) => a * b, 1);
  if (values.length !== wanted) {
    const message = `has ${values.length} values; a tensor of ${shape.join(" x ")} has ${wanted}.`;
    issues.push({ where: "values", message });
  }
  return issues;
}
