// SPDX-License-Identifier: Apache-2.0
// One line on stderr that says how far a simulation is; nothing where stderr is no terminal.

import process from "node:process";
import type { Progress } from "../driver/types.ts";

const barWidth = 24;
const refreshMs = 100;

/** A line that redraws itself, at most ten times a second. */
export interface ProgressLine<T = Progress> {
  readonly update: (progress: T) => void;
  /** Removes the line. */
  readonly end: () => void;
}

/** Starts a line for one run; `label` says which. */
export function progressLine(
  label: string,
  stream: NodeJS.WriteStream = process.stderr,
): ProgressLine {
  return redrawn(stream, (progress: Progress, elapsed) => progressText(label, progress, elapsed));
}

/** The same for work of which only the share that is done is known, 0 to 1. */
export function shareLine(
  label: string,
  stream: NodeJS.WriteStream = process.stderr,
): ProgressLine<number> {
  return redrawn(stream, (done: number, elapsed) => shareText(label, done, elapsed));
}

function redrawn<T>(
  stream: NodeJS.WriteStream,
  text: (progress: T, seconds: number) => string,
): ProgressLine<T> {
  if (!stream.isTTY) return { update: () => undefined, end: () => undefined };
  const start = performance.now();
  let drawn = 0;
  return {
    update: (progress) => {
      const now = performance.now();
      if (now - drawn < refreshMs) return;
      drawn = now;
      stream.write(`\r\u001b[2K${text(progress, (now - start) / 1000)}`);
    },
    end: () => {
      stream.write("\r\u001b[2K");
    },
  };
}

/** The line's text after `seconds` of work. */
export function progressText(label: string, { done, cycles }: Progress, seconds: number): string {
  const rate = seconds === 0 ? 0 : cycles / seconds / 1000;
  return `${bar(label, done)}  ${rate.toFixed(0)} kcycle/s  ${left(done, seconds)}`;
}

function shareText(label: string, done: number, seconds: number): string {
  return `${bar(label, done)}  ${left(done, seconds)}`;
}

function bar(label: string, done: number): string {
  const filled = Math.round(barWidth * done);
  const drawn = "#".repeat(filled) + ".".repeat(barWidth - filled);
  return `${label} [${drawn}] ${(100 * done).toFixed(0).padStart(3)} %`;
}

function left(done: number, seconds: number): string {
  return `${done === 0 ? "?" : ((seconds * (1 - done)) / done).toFixed(0)} s left`;
}
