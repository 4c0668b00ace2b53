// SPDX-License-Identifier: Apache-2.0
// One line on stderr that says how far a sweep is; nothing where stderr is no terminal.

import process from "node:process";
import type { SweepProgress } from "../../explore/sweep.ts";

/** How far the sweep is, on a terminal. */
export function sweepLine(name: string): (progress: SweepProgress) => void {
  if (!process.stderr.isTTY) return () => undefined;
  return ({ done, all, failed, pointsPerSecond, secondsLeft, status }) => {
    const failures = failed === 0 ? "" : `, ${String(failed)} failed`;
    process.stderr.write(
      `\r\u001b[2K${name} ${String(done)}/${String(all)}${failures}  ` +
        `${pointsPerSecond.toFixed(1)} points/s  ${leftText(secondsLeft)}  ${status}`,
    );
    if (done === all) process.stderr.write("\r\u001b[2K");
  };
}

function leftText(seconds: number): string {
  if (!Number.isFinite(seconds)) return "time left unknown";
  return seconds < 100 ? `${seconds.toFixed(0)} s left` : `${(seconds / 60).toFixed(0)} min left`;
}
