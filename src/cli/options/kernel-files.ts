// SPDX-License-Identifier: Apache-2.0
// Kernels of modules that a command line names. `neardata` and `zod` in them are those of this program.

import { present } from "../../base/present.ts";
import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { createJiti } from "jiti";
import * as zod from "zod";
import { inputError } from "../../base/errors.ts";
import * as neardata from "../../run/index.ts";
import { isScenarioKernel, type ScenarioKernel } from "../../run/custom-kernel.ts";

/** Every kernel that these modules export. @throws NeardataError `bad-input` if there is none */
export async function loadKernels(files: readonly string[]): Promise<readonly ScenarioKernel[]> {
  const load = createJiti(import.meta.url, {
    fsCache: false,
    moduleCache: false,
    virtualModules: { neardata, zod },
  });
  const scenarioKernels: ScenarioKernel[] = [];
  for (const file of files) {
    if (!existsSync(file)) throw inputError(file, "there is no such file.");
    let module: unknown;
    try {
      module = await load.import(resolve(file));
    } catch (cause) {
      const reason = cause instanceof Error ? present(cause.message.split("\n")[0]) : String(cause);
      const message = reason.endsWith(".") ? reason : `${reason}.`;
      throw inputError(file, `the kernel cannot be loaded: ${message}`, cause);
    }
    const kernels = Object.values(module as object).filter(isScenarioKernel);
    if (kernels.length === 0) throw inputError(file, "it exports no kernel of defineKernel.");
    scenarioKernels.push(...new Set(kernels));
  }
  return scenarioKernels;
}
