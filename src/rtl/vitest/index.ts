// SPDX-License-Identifier: Apache-2.0
// The door `neardata/vitest`: arbitraries of what hardware is given, properties that shrink and keep a
// waveform, matchers for bits, ULP and bounds.

export {
  experts,
  floatBits,
  floatVectors,
  stalls,
  traces,
  type ArbitraryExpert,
  type BitsKind,
  type TraceRequest,
} from "./arbitraries.ts";
export { groupsOfHeads, heads, type ArbitraryGroup, type ArbitraryHead } from "./heads.ts";
export { matchers, ulpsBetween, type Numbers } from "./matchers.ts";
export { holds, property, type CaseContext, type PropertyOptions } from "./property.ts";
