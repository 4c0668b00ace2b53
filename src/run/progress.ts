// SPDX-License-Identifier: Apache-2.0
// Progress of simulations on stderr. On a terminal, each running simulation has a line that redraws itself.
// Otherwise there is a line every few seconds, and a last line at the end of a simulation that had one. With
// NEARDATA_PROGRESS=lines no line redraws itself, and each simulation has a line when it begins and when it ends.

import process from "node:process";
import type { Progress } from "../machine/types.ts";
import type { CaseProgress, ProgressSink } from "./kernel.ts";
import { remark } from "./remark.ts";

const barWidth = 24;
const refreshMs = 100;
const betweenMs = 5000;

/** Whether the user requested lines of text instead of a redrawn line. */
export function asksForLines(): boolean {
  return process.env["NEARDATA_PROGRESS"] === "lines";
}

/** Whether progress is redrawn in place on this stream. */
export function redraws(stream: NodeJS.WriteStream = process.stderr): boolean {
  return stream.isTTY && !asksForLines();
}

/** Reports the start of the work, if the user requested lines. */
export function reportWorkStart(): void {
  if (asksForLines()) remark("the work begins ...");
}

/** Starts a line for one run, which begins with `label`. */
export function progressLine(
  label: string,
  stream: NodeJS.WriteStream = process.stderr,
): ProgressSink<Progress> {
  return redraws(stream)
    ? redrawn(stream, (progress: Progress, elapsed) => progressText(label, progress, elapsed))
    : spoken(stream, label, ({ done }: Progress) => done);
}

/** The same for work with a known share of completion, 0 to 1. */
export function shareLine(
  label: string,
  stream: NodeJS.WriteStream = process.stderr,
): ProgressSink<number> {
  return redraws(stream)
    ? redrawn(stream, (done: number, elapsed) => shareText(label, done, elapsed))
    : spoken(stream, label, (done: number) => done);
}

/** Lines of a scenario's cases. */
export const caseLines: CaseProgress = {
  cycles: (title) => progressLine(title),
  share: (title) => shareLine(title),
};

/** Lines of running simulations, by terminal, in the order of their first update. */
const shown = new WeakMap<NodeJS.WriteStream, Map<symbol, string>>();

function redrawn<T>(
  stream: NodeJS.WriteStream,
  text: (progress: T, seconds: number) => string,
): ProgressSink<T> {
  const start = performance.now();
  const mine = Symbol("line");
  const lines = shown.get(stream) ?? new Map<symbol, string>();
  shown.set(stream, lines);
  let drawn = 0;
  /** Changes the lines and draws all of them over the previous ones. */
  const redraw = (change: () => void): void => {
    const up = lines.size > 1 ? `\u001b[${String(lines.size - 1)}A` : "";
    change();
    stream.write(`\r${up}\u001b[J${[...lines.values()].join("\n")}`);
  };
  return {
    update: (progress) => {
      const now = performance.now();
      if (now - drawn < refreshMs) return;
      drawn = now;
      // A line that the terminal would wrap is two.
      const line = text(progress, (now - start) / 1000).slice(0, stream.columns - 1);
      redraw(() => lines.set(mine, line));
    },
    end: () => {
      redraw(() => lines.delete(mine));
    },
  };
}

/** True every few seconds, and at the first call if the user requested lines. */
export function everySeconds(): () => boolean {
  let lastLine = asksForLines() ? -Infinity : performance.now();
  return () => {
    const now = performance.now();
    if (now - lastLine < betweenMs) return false;
    lastLine = now;
    return true;
  };
}

function spoken<T>(
  stream: NodeJS.WriteStream,
  label: string,
  share: (progress: T) => number,
): ProgressSink<T> {
  const start = performance.now();
  let last = start;
  // A short simulation has a line of its end only where it has one of its beginning.
  let announced = asksForLines();
  const say = (text: string): void => {
    stream.write(`neardata: ${label}: ${text}.\n`);
  };
  if (announced) say("begins");
  return {
    update: (progress) => {
      const now = performance.now();
      if (now - last < betweenMs) return;
      last = now;
      announced = true;
      const done = share(progress);
      say(`${(100 * done).toFixed(0)} %, ${left(done, (now - start) / 1000)}`);
    },
    end: () => {
      if (announced) say(`done after ${((performance.now() - start) / 1000).toFixed(0)} s`);
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
