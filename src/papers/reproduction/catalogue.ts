// SPDX-License-Identifier: Apache-2.0
// Every figure of the five papers that follows from other figures of theirs.

import type { Fact } from "../experiment/fact.ts";
import { flexGenFacts } from "../flexgen/facts.ts";
import { flexGenRatios } from "../flexgen/facts-ratios.ts";
import { instInferFacts } from "../instinfer/facts.ts";
import { liaFacts } from "../lia/facts.ts";
import { liaRatios } from "../lia/facts-ratios.ts";
import { llmShareFacts } from "../llmshare/facts.ts";
import { triMoeFacts } from "../trimoe/facts.ts";

export const facts: readonly Fact[] = [
  ...liaFacts,
  ...liaRatios,
  ...triMoeFacts,
  ...instInferFacts,
  ...flexGenFacts,
  ...flexGenRatios,
  ...llmShareFacts,
];
