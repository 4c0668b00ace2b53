// SPDX-License-Identifier: Apache-2.0
// Every figure of the five papers that follows from other figures of theirs.

import type { Fact } from "../experiment/fact.ts";
import { flexGenFacts } from "../flexgen/constants/facts.ts";
import { flexGenRatios } from "../flexgen/constants/ratios.ts";
import { instInferFacts } from "../instinfer/constants/facts.ts";
import { liaFacts } from "../lia/constants/facts.ts";
import { liaRatios } from "../lia/constants/ratios.ts";
import { llmShareFacts } from "../llmshare/constants/facts.ts";
import { triMoeFacts } from "../trimoe/constants/facts.ts";

export const facts: readonly Fact[] = [
  ...liaFacts,
  ...liaRatios,
  ...triMoeFacts,
  ...instInferFacts,
  ...flexGenFacts,
  ...flexGenRatios,
  ...llmShareFacts,
];
