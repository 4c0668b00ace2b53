// SPDX-License-Identifier: Apache-2.0
// The golden model in the directory of a unit: a module of TypeScript or JavaScript with a function
// `expert`, which computes what `goldenExpert` does for TriMoE's unit.

import { present } from "../../base/present.ts";
import { join } from "node:path";
import type { CustomUnit } from "../../native/custom-unit-choice.ts";
import { inputError } from "../../base/errors.ts";
import { goldenExpert } from "../../golden/expert.ts";

/** Outputs of an expert, bit for bit. */
export type GoldenExpert = typeof goldenExpert;

/** @throws NeardataError `bad-input` where the module cannot be loaded or has no such function */
export async function loadGolden(customUnit: CustomUnit): Promise<GoldenExpert> {
  if (customUnit.golden === null) return goldenExpert;
  const where = `${customUnit.name}: ${customUnit.golden}`;
  const { createJiti } = await import("jiti");
  let module: unknown;
  try {
    const load = createJiti(import.meta.url, { fsCache: false, moduleCache: false });
    module = await load.import(join(customUnit.directory, customUnit.golden));
  } catch (cause) {
    const reason = cause instanceof Error ? present(cause.message.split("\n")[0]) : String(cause);
    throw inputError(where, `the golden model cannot be loaded: ${reason}`, cause);
  }
  const expert: unknown =
    typeof module === "object" && module !== null && "expert" in module ? module.expert : undefined;
  if (!isFunction(expert)) throw inputError(where, "it exports no function expert.");
  return (...given) => {
    const [{ hidden }, inputs] = given;
    const outputs: unknown = expert(...given);
    if (outputs instanceof Uint16Array && outputs.length === inputs.length) return outputs;
    const rows = String(inputs.length / hidden);
    throw inputError(
      where,
      `expert gave no Uint16Array of ${rows} rows of ${String(hidden)} values.`,
    );
  };
}

function isFunction(value: unknown): value is (...given: readonly unknown[]) => unknown {
  return typeof value === "function";
}
