// SPDX-License-Identifier: Apache-2.0
// The names of all numbers that a case of a run can have, and so of all that a sweep can be judged
// by. The compiler holds every metric to this list.

/** By what runs; a name that two of them have stands once. */
export const metricIds = [
  // experts
  "cycles",
  "cyclesMean",
  "cyclesLeast",
  "cyclesMost",
  "time",
  "bandwidth",
  "bandwidthLimit",
  "bandwidthShare",
  "compute",
  "computeShare",
  "boundShare",
  "rowHits",
  "refreshTime",
  "refreshes",
  "refreshesDue",
  "arrival",
  "hostIn",
  "hostOut",
  "hostTime",
  "energy",
  "unitEnergy",
  // attention
  "headRate",
  "speedup",
  "denseError",
  "channelsBusy",
  "leastBusy",
  "flashRate",
  "pages",
  "bytesIn",
  "bytesKept",
  "engineBusy",
  "stalled",
  "sharedLinkBusy",
  "translationBusy",
  "transpositionArea",
  "verdictArea",
  // a token
  "bitsPerByte",
  "tokenTime",
  "tokenRate",
  "overlap",
  "attentionWait",
  "expertsWait",
  "tokenEnergy",
  "hostEnergy",
] as const;

export type MetricId = (typeof metricIds)[number];
