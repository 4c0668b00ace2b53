// SPDX-License-Identifier: Apache-2.0
// Timings that contradict one another: no device of any speed has them. The model accepts any timings; only device
// files are checked against these rules.

import type { Issue } from "../../base/errors.ts";
import type { DramTiming, TimingName } from "./timing.ts";

interface Rule {
  readonly name: TimingName;
  readonly least: (t: DramTiming, burstCycles: number) => number;
  readonly why: string;
}

/** Each timing in cycles is rounded by itself, so a sum of two may be one less. */
const rounding = 1;

/** JESD79-5, core timing: relations that follow from the meaning of the commands. */
const rules: readonly Rule[] = [
  {
    name: "nBL",
    least: (_, burst) => burst,
    why: "half the burst length, two transfers per cycle",
  },
  { name: "nCL", least: (t) => t.nCWL, why: "nCWL: data of a write comes no later than of a read" },
  { name: "nRAS", least: (t) => t.nRCD, why: "nRCD: a row is not closed before it can be read" },
  {
    name: "nRC",
    least: (t) => t.nRAS + t.nRP - rounding,
    why: "nRAS + nRP - 1: a row is opened, closed and opened again",
  },
  { name: "nFAW", least: (t) => t.nRRDS, why: "nRRDS: five activations take longer than two" },
  { name: "nCCDL", least: (t) => t.nCCDS, why: "nCCDS: one bank group is no faster than two" },
  { name: "nCCDL_WR", least: (t) => t.nCCDS_WR, why: "nCCDS_WR, likewise" },
  { name: "nCCDL_WTR", least: (t) => t.nCCDS_WTR, why: "nCCDS_WTR, likewise" },
  {
    name: "nCCDS_WTR",
    least: (t) => t.nCWL + t.nBL,
    why: "nCWL + nBL: a read waits for the data of the write",
  },
  { name: "nRFC1", least: (t) => t.nRFCsb, why: "nRFCsb: all banks take no less than one of each" },
];

/** Every rule that the timings break. */
export function contradictions(timing: DramTiming, burstLength: number): readonly Issue[] {
  return rules.flatMap(({ name, least, why }): readonly Issue[] => {
    const bound = least(timing, Math.floor(burstLength / 2));
    if (timing[name] >= bound) return [];
    const message = `is ${String(timing[name])}, less than ${String(bound)}, which is ${why}.`;
    return [{ where: `timing_nCK.${name}`, message }];
  });
}
