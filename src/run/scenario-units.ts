// SPDX-License-Identifier: Apache-2.0
// The RTL units of a scenario, built side by side before anything runs on them.

import { jobSlots } from "../native/compile/job-slots.ts";
import type { ResolvedConfig } from "../scenario/resolve.ts";
import type { AnyKernel } from "./kernel.ts";
import { kernelsOf } from "./kernels/list.ts";

/**
 * Builds the units that are not in the cache, with one job per core. The shapes of heads in files
 * are known only after reading: their unit is built when its session opens.
 * @returns the units' paths
 * @throws NeardataError `tool-missing`, `build-failed`
 */
export async function buildScenarioUnits(
  config: ResolvedConfig,
  anyKernels: readonly AnyKernel[] = [],
): Promise<readonly string[]> {
  const builds = (
    await Promise.all(kernelsOf(config, anyKernels).map(async (kernel) => kernel.units(config)))
  ).flat();
  const slots = jobSlots();
  // All are waited for: a process that ends would leave compilers at work.
  const ended = await Promise.allSettled(builds.map(async (build) => build(slots)));
  return ended.map((one) => {
    if (one.status === "rejected") throw one.reason;
    return one.value;
  });
}
