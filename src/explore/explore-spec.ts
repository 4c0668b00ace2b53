// SPDX-License-Identifier: Apache-2.0
// An exploration as a file: a scenario, the hardware parameters with their values, and the maximum
// of simulated designs.

import { z } from "zod";
import type { DeepReadonly } from "../base/deep-readonly.ts";
import { issuesOf } from "../base/issues.ts";
import { fileName, largestSeed } from "../base/limits.ts";
import { parseYaml } from "../base/yaml.ts";
import { inFile, type Issue } from "../base/errors.ts";
import type { Settings } from "./spec.ts";

const count = z.int().min(1).max(100_000);
const value = z.union([z.string(), z.number(), z.boolean()]);

/** The schema of exploration files. */
export const exploreSchema = z.strictObject({
  name: fileName.meta({ meaning: "name of the results", example: "small-ndp" }),
  scenario: z.string().meta({
    meaning: "scenario with the workload and the baseline design, relative to this file",
    example: "base.yaml",
  }),
  unit: z.enum(["ndp", "csd"]).meta({
    meaning: "RTL unit whose area is an objective: `ndp` (NDP unit) or `csd` (attention engine)",
  }),
  space: z
    .record(
      z.string(),
      z
        .array(value)
        .min(1, { error: "at least one value is needed." })
        .refine((all) => new Set(all).size === all.length, {
          error: "a value stands there twice.",
        }),
    )
    .meta({
      meaning:
        "for each key of the scenario, its values in ascending order. Legal keys are those below `ndp` and `attention`, `expert.format` and `expert.storage`",
      example: "{ ndp.queueBursts: [8, 16, 32], ndp.activationLanes: [32, 64] }",
    }),
  atMost: z.record(z.string(), z.number()).optional().meta({
    meaning: "upper limits of metrics, by name",
    otherwise: "no limit",
    example: "{ hostTime: 500 }",
  }),
  search: z
    .strictObject({
      initial: count.min(2).meta({
        meaning: "number of designs that are simulated before the search chooses by results",
        example: 4,
      }),
      iterations: count.meta({
        meaning:
          "number of further designs; the search chooses each of them from the earlier results",
        example: 2,
      }),
      seed: z.int().min(0).max(largestSeed).meta({ meaning: "seed of the search", example: 1 }),
    })
    .optional()
    .meta({
      meaning: "Bayesian search, which simulates a part of the designs",
      otherwise: "every design is simulated",
    }),
});

/** The contents of an exploration file. */
export type ExploreSpec = DeepReadonly<z.output<typeof exploreSchema>>;

/** The design may choose the format of the expert's weights. */
const formatKeys: readonly string[] = ["expert.format", "expert.storage"];

/** Designs that are looked at without being simulated, at most. */
const maxDesigns = 200_000;

/**
 * Parses the text of an exploration file called `file`.
 * @throws NeardataError `bad-input` with every problem.
 */
export function parseExplore(file: string, text: string): ExploreSpec {
  const parsed = exploreSchema.safeParse(parseYaml(file, text), { reportInput: true });
  const issues = parsed.success ? rulesOf(parsed.data) : issuesOf(parsed.error, exploreSchema);
  if (parsed.success && issues.length === 0) return parsed.data;
  throw inFile(file, issues);
}

function rulesOf({ space }: ExploreSpec): readonly Issue[] {
  const size = Object.values(space).reduce((product, values) => product * values.length, 1);
  const names = Object.keys(space);
  const issues: Issue[] = names
    .filter((name) => !/^(ndp|attention)\../.test(name) && !formatKeys.includes(name))
    .map((name) => ({
      where: `space.${name}`,
      message:
        "a parameter is a key of ndp or attention, such as ndp.lanes, or expert.format or expert.storage.",
    }));
  if (names.length === 0) {
    issues.push({ where: "space", message: "at least one parameter is needed." });
  }
  if (size > maxDesigns) {
    const message = `${String(size)} designs are more than ${String(maxDesigns)}; leave values out.`;
    issues.push({ where: "space", message });
  }
  return issues;
}

/** Every design of the space, in an order that the file decides. */
export function designsOf({ space }: ExploreSpec): readonly Settings[] {
  return Object.entries(space).reduce<readonly Settings[]>(
    (designs, [name, values]) =>
      designs.flatMap((design) => values.map((choice) => ({ ...design, [name]: choice }))),
    [{}],
  );
}
