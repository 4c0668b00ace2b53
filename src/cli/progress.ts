// SPDX-License-Identifier: Apache-2.0
// One line on stderr that says how far a simulation is; nothing where stderr is no terminal.

import process from "node:process";
import type { Progress } from "../driver/types.ts";

const barWidth = 24;
const refreshMs = 100;

/** A line that redraws itself, at most ten times a second. */
export interface ProgressLine {
  readonly update: (progress: Progress) => void;
  /** Removes the line. */
  readonly end: () => void;
}

/** Starts a line for one run; `label` says which. */
export function progressLine(
  label: string,
  stream: NodeJS.WriteStream = process.stderr,
): ProgressLine {
  if (!stream.isTTY) return { update: () => undefined, end: () => undefined };
  const start = performance.now();
  let drawn = 0;
  return {
    update: (progress) => {
      const now = performance.now();
      if (now - drawn < refreshMs) return;
      drawn = now;
      stream.write(`\r\u001b[2K${progressText(label, progress, (now - start) / 1000)}`);
    },
    end: () => {
      stream.write("\r\u001b[2K");
    },
  };
}

/** The line's text after `seconds` of work. */
export function progressText(label: string, progress: Progress, seconds: number): string {
  const { done, cycles } = progress;
  const filled = Math.round(barWidth * done);
  const bar = "#".repeat(filled) + ".".repeat(barWidth - filled);
  const rate = seconds === 0 ? 0 : cycles / seconds / 1000;
  const left = done === 0 ? "?" : ((seconds * (1 - done)) / done).toFixed(0);
  const percent = (100 * done).toFixed(0).padStart(3);
  return `${label} [${bar}] ${percent} %  ${rate.toFixed(0)} kcycle/s  ${left} s left`;
}
