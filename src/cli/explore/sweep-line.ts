// SPDX-License-Identifier: Apache-2.0
// How far a sweep is, on stderr: on a terminal one line that redraws itself; with NEARDATA_PROGRESS=lines
// a line every few seconds; elsewhere nothing.

import process from "node:process";
import type { SweepProgress } from "../../explore/sweep.ts";
import { remark } from "../../run/remark.ts";
import { asksForLines, everySeconds, redraws } from "../../run/progress.ts";

/** Shows the progress of the sweep. */
export function sweepLine(name: string): (progress: SweepProgress) => void {
  if (redraws()) {
    return (progress) => {
      process.stderr.write(`\r\u001b[2K${sweepText(name, progress)}`);
      if (progress.done === progress.all) process.stderr.write("\r\u001b[2K");
    };
  }
  if (!asksForLines()) return () => undefined;
  const isDue = everySeconds();
  return (progress) => {
    if (isDue()) remark(sweepText(name, progress).trimEnd());
  };
}

function sweepText(
  name: string,
  { done, all, failed, pointsPerSecond, secondsLeft, status }: SweepProgress,
): string {
  const failures = failed === 0 ? "" : `, ${String(failed)} failed`;
  return (
    `${name} ${String(done)}/${String(all)}${failures}  ` +
    `${pointsPerSecond.toFixed(1)} points/s  ${leftText(secondsLeft)}  ${status}`
  );
}

function leftText(seconds: number): string {
  if (!Number.isFinite(seconds)) return "time left unknown";
  return seconds < 100 ? `${seconds.toFixed(0)} s left` : `${(seconds / 60).toFixed(0)} min left`;
}
