// SPDX-License-Identifier: Apache-2.0
// The entry point `neardata/vitest`: properties that shrink and keep a waveform, matchers for bits, ULP and bounds.
// Importing it adds the matchers to `expect`. Arguments are checked.

import { z } from "zod";

import { anyNumber, asyncEntry, callback, dataObject, entry } from "../../base/entry.ts";
import * as matching from "./matchers.ts";
import * as properties from "./property.ts";

export { matchers, type Numbers } from "./matchers.ts";
export type { CaseContext, PropertyOptions } from "./property.ts";

/** Steps between two values of one 16-bit format, counted over its bit patterns. */
export const ulpsBetween = entry(matching.ulpsBetween, { a: anyNumber, b: anyNumber });

const parameters = {
  name: z.string(),
  cases: dataObject({ generate: callback }),
  check: callback,
  options: z
    .strictObject({
      runs: z.int().min(1).optional(),
      seed: z.int().optional(),
      path: z.string().optional(),
      waves: z.string().optional(),
      timeout: z.number().min(0).optional(),
    })
    .optional(),
};

/** A vitest test that `check` passes for every case of `cases`. `check` throws on a failure. */
export const property = entry(properties.property, parameters);

/**
 * The same within a test.
 * @throws Error with the smallest failing case, its seed and path, and the place of its waveform
 */
export const holds = asyncEntry(properties.holds, parameters);
