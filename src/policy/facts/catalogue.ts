// SPDX-License-Identifier: Apache-2.0
// Every figure of the five papers that follows from other figures of theirs.

import type { Fact } from "./fact.ts";
import { flexGenFacts } from "./flexgen.ts";
import { flexGenRatios } from "./flexgen-ratios.ts";
import { instInferFacts } from "./instinfer.ts";
import { liaFacts } from "./lia.ts";
import { liaRatios } from "./lia-ratios.ts";
import { llmShareFacts } from "./llmshare.ts";
import { triMoeFacts } from "./trimoe.ts";

export const facts: readonly Fact[] = [
  ...liaFacts,
  ...liaRatios,
  ...triMoeFacts,
  ...instInferFacts,
  ...flexGenFacts,
  ...flexGenRatios,
  ...llmShareFacts,
];
