// SPDX-License-Identifier: Apache-2.0
// The paper's table of five methods: normalised ADRS, and hypervolume in 1e8.

import type { Role } from "./study.ts";

export const publishedScores: Partial<
  Record<Role, { readonly adrs: number; readonly hypervolume: number }>
> = {
  svr: { adrs: 0.1811, hypervolume: 4.9593 },
  adaBoost: { adrs: 0.1718, hypervolume: 4.9714 },
  fist: { adrs: 0.1805, hypervolume: 4.9513 },
  boom: { adrs: 0.2059, hypervolume: 4.8134 },
  llmShare: { adrs: 0.1589, hypervolume: 5.0552 },
};
