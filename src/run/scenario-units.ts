// SPDX-License-Identifier: Apache-2.0
// The RTL units of a scenario, built side by side before anything runs on them.

import { jobSlots } from "../native/compile/job-slots.ts";
import type { ResolvedConfig } from "../scenario/resolve.ts";
import type { AnyKernel } from "./kernel.ts";
import { kernelsOf } from "./kernels/list.ts";

/**
 * Builds the units that are not in the cache, in as many jobs as there are cores. Heads of files have
 * shapes that are known when they are read: the unit for them is built with their session.
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
