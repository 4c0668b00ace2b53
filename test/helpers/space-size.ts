// SPDX-License-Identifier: Apache-2.0

import type { Space } from "../../src/explore/search/space.ts";

/** The number of designs in a space; exact beyond 2^53 too. */
export function spaceSize({ parameters }: Pick<Space, "parameters">): bigint {
  return parameters.reduce((count, { values }) => count * BigInt(values.length), 1n);
}
