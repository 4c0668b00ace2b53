// SPDX-License-Identifier: Apache-2.0
// The scenario that `neardata init` writes. Keys are explained as the schema has them.

import { describedSchema } from "../base/json-schema.ts";
import { exampleOf, inYaml, keysOf, type Key, type Schema } from "./reference/page.ts";
import { scenarioSchema, type ScenarioInput } from "./schema.ts";

/** An expert behind DDR5 and attention behind flash, small enough for a first run. */
const first: Omit<ScenarioInput, "name"> = {
  title: "A cold expert behind DDR5, attention behind flash",
  seed: 1,
  fidelity: "cycle",
  system: "trimoe",
  expert: { model: "deepseek-v2", format: "fp16", activation: "silu" },
  tokens: [1, 8],
  layouts: ["interleaved", "row-major"],
  attention: {
    model: "opt-13b",
    source: { generator: "hta1", firstSeed: 500 },
    length: 1024,
    ratio: "1/8",
    flash: ["znand4k"],
    inFlight: [16],
  },
};

/** Keys that follow the scenario as comments, each with its example. */
const more = ["expert.weights", "unit.rtl", "rtl", "ndp.buffer", "expect.boundShare.interleaved"];

/** The text of the scenario; comments show other keys. */
export function firstScenario(name: string): string {
  const keys = keysOf("", describedSchema(scenarioSchema) as Schema);
  const of = (path: string): Key | undefined => keys.find((key) => key.path === path);
  const lines = (group: object, prefix: string, indent: string): readonly string[] =>
    Object.entries(group).flatMap(([key, value]: readonly [string, unknown]) => {
      const comment = `${indent}# ${commentOf(of(`${prefix}${key}`))}`;
      const isGroup = prefix === "" && typeof value === "object" && !Array.isArray(value);
      if (!isGroup || value === null) return [comment, `${indent}${key}: ${inYaml(value)}`];
      return [comment, `${key}:`, ...lines(value, `${key}.`, "  ")];
    });
  const others = more.flatMap((path) => {
    const key = of(path);
    return key === undefined
      ? []
      : [`#   ${path}: ${exampleOf(key.part) ?? ""}  (${commentOf(key)})`];
  });
  return [
    "# A scenario of neardata. docs/reference/scenarios.md has every key; `neardata list` the names.",
    ...lines({ name, ...first }, "", ""),
    "# Other keys, by their paths:",
    ...others,
    "",
  ].join("\n");
}

/** The meaning of a key, and its values where it has one of a few. */
function commentOf(key: Key | undefined): string {
  const { meaning = "", enum: values = [], items } = key?.part ?? {};
  const names = [...values, ...(items?.enum ?? [])];
  return names.length < 2 ? meaning : `${meaning} (${names.join(", ")})`;
}
