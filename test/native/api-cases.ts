// SPDX-License-Identifier: Apache-2.0
// Calls that ended the process, or might, and how each has to end now: with an error whose code and
// words are known (the field is named), or with a result.

import { devicesCases } from "./api-csd-cases.ts";
import type { KnownCase, Row } from "./api-ending.ts";
import { flashCases } from "./api-flash-cases.ts";
import { mannersCases } from "./api-manner-cases.ts";
import { memoriesCases, unitsCases } from "./api-ndp-cases.ts";
import { othersCases } from "./api-other-cases.ts";

const named = (part: string, table: readonly Row[]): readonly KnownCase[] =>
  table.map(([name, calls, ends]) => ({ name: `${part}, ${name}`, calls, ends }));

/** All of them. */
export const knownCases: readonly KnownCase[] = [
  ...named("flash", flashCases),
  ...named("devices", devicesCases),
  ...named("unit", unitsCases),
  ...named("memory", memoriesCases),
  ...named("other", othersCases),
  ...named("manners", mannersCases),
];
