// SPDX-License-Identifier: Apache-2.0
// The names of all numbers that a case of a run can have, and so of the objectives of a sweep. The
// compiler checks every metric against this list.

/** By kind of case; a name of several kinds is listed once. */
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
  "managements",
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
  "decodingArea",
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
