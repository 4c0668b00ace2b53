// SPDX-License-Identifier: Apache-2.0
// The kernels of neardata, in the order of results.json and of the report.

import type { ResolvedConfig } from "../../scenario/resolve.ts";
import type { AnyKernel } from "../kernel.ts";
import { attention } from "./attention.ts";
import { experts } from "./experts.ts";
import { tokens } from "./tokens.ts";

const kernels: readonly AnyKernel[] = [experts, attention, tokens];

/** The kernels of a scenario: neardata's, then those of a program. */
export function kernelsOf(
  config: ResolvedConfig,
  anyKernels: readonly AnyKernel[] = [],
): readonly AnyKernel[] {
  return [...kernels, ...anyKernels].filter((kernel) => kernel.has(config));
}
