// SPDX-License-Identifier: Apache-2.0
// An exploration of pools as a file: a serving file, the keys of its pools that may change with their values, and how
// many designs are simulated.

import { z } from "zod";
import type { DeepReadonly } from "../../base/deep-readonly.ts";
import { inFile, type Issue } from "../../base/errors.ts";
import { parsedFile } from "../../base/issues.ts";
import { fileName, largestSeed } from "../../base/limits.ts";
import type { Settings } from "../../explore/spec.ts";

const value = z.union([z.string(), z.number(), z.boolean()]);
const count = z.int().min(1).max(100_000);

/** Numbers of a result that an exploration can set against cost. */
export const rateIds = ["goodput", "highestRate", "requestRate", "tokenRate"] as const;

/** The schema of explorations of pools. */
export const exploreServingSchema = z.strictObject({
  name: fileName.meta({ meaning: "name of the results", example: "pools" }),
  serving: z.string().meta({
    meaning: "serving file that each design changes, relative to this file",
    example: "serve-llama2-70b.yaml",
  }),
  objective: z.enum(rateIds).optional().meta({
    meaning:
      "second objective: requests per second that meet the objectives (`goodput`), the rate that `objectives.share` defines (`highestRate`), served requests (`requestRate`) or tokens (`tokenRate`) per second. The first objective is the cost or, without prices, the number of devices",
    otherwise: "goodput where the serving file has objectives, else requestRate",
    example: "goodput",
  }),
  space: z
    .record(
      z.string(),
      z
        .array(value)
        .min(1, { error: "at least one value is needed." })
        .refine((all) => new Set(all).size === all.length, { error: "a value occurs twice." }),
    )
    .meta({
      meaning:
        "for each key of the serving file below `prefill` or `decode`, its values in ascending order",
      example: "{ prefill.servers: [1, 2], decode.devices: [4, 8] }",
    }),
  search: z
    .strictObject({
      initial: count.min(2).meta({
        meaning:
          "number of designs that are simulated before the search chooses by results. The designs are divided into five groups by total memory, and the initial designs are spread over these groups",
        example: 4,
      }),
      iterations: count.meta({
        meaning:
          "number of further designs; the search chooses each of them from the earlier results",
        example: 8,
      }),
      seed: z.int().min(0).max(largestSeed).meta({ meaning: "seed of the search", example: 1 }),
    })
    .optional()
    .meta({
      meaning: "search of LLMShare, which simulates a part of the designs",
      otherwise: "every design is simulated",
    }),
});

export type ExploreServingSpec = DeepReadonly<z.output<typeof exploreServingSchema>>;

/** Designs of a space, at most. */
const maxDesigns = 200_000;

/** Reads the content of an exploration of pools. @throws NeardataError `bad-input` with every problem. */
export function exploreServingOf(file: string, content: unknown): ExploreServingSpec {
  const spec = parsedFile(file, content, exploreServingSchema);
  const names = Object.keys(spec.space);
  const size = Object.values(spec.space).reduce((product, { length }) => product * length, 1);
  const issues: Issue[] = names
    .filter((name) => !/^(prefill|decode)\../.test(name))
    .map((name) => ({
      where: `space.${name}`,
      message: "a parameter is a key of prefill or decode, such as prefill.servers.",
    }));
  if (names.length === 0) {
    issues.push({ where: "space", message: "at least one parameter is needed." });
  }
  if (size > maxDesigns) {
    issues.push({ where: "space", message: `${size} designs are more than ${maxDesigns}.` });
  }
  if (issues.length > 0) throw inFile(file, issues);
  return spec;
}

/** Whether the content of an exploration file is about pools and not about hardware of a scenario. */
export function exploresServing(content: unknown): boolean {
  return typeof content === "object" && content !== null && Object.hasOwn(content, "serving");
}

/** Every design of the space, in the order of the file. */
export function poolDesigns({ space }: ExploreServingSpec): readonly Settings[] {
  return Object.entries(space).reduce<readonly Settings[]>(
    (designs, [name, values]) =>
      designs.flatMap((design) => values.map((choice) => ({ ...design, [name]: choice }))),
    [{}],
  );
}
