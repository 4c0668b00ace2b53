// SPDX-License-Identifier: Apache-2.0
// Progress of simulations: if stderr is not a terminal, one line every five seconds and none for a short simulation;
// on a terminal, one line for each running simulation. NEARDATA_PROGRESS=lines requests lines from the beginning on.

import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { sweepLine } from "../../src/cli/explore/sweep-line.ts";
import { exitOnSignal, interruptible, stoppable } from "../../src/cli/terminal/interrupt.ts";
import { shareLine } from "../../src/run/progress.ts";

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["performance"] });
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

/** A stream that is not a terminal, and the lines written to it. */
function plain(): { stream: NodeJS.WriteStream; lines: string[] } {
  const lines: string[] = [];
  const write = (text: string): boolean => lines.push(text) > 0;
  return { stream: { isTTY: false, write } as unknown as NodeJS.WriteStream, lines };
}

test("a long simulation says every five seconds how far it is, and that it is done", () => {
  const { stream, lines } = plain();
  const line = shareLine("a case", stream);
  for (let second = 1; second <= 11; second += 1) {
    vi.advanceTimersByTime(1000);
    line.update(second / 20);
  }
  line.end();
  expect(lines).toEqual([
    "neardata: a case: 25 %, 15 s left.\n",
    "neardata: a case: 50 %, 10 s left.\n",
    "neardata: a case: done after 11 s.\n",
  ]);
});

test("a short one says nothing", () => {
  const { stream, lines } = plain();
  const line = shareLine("a case", stream);
  vi.advanceTimersByTime(4999);
  line.update(0.5);
  line.end();
  expect(lines).toEqual([]);
});

/** A terminal of 60 columns, as far as the lines of progress use one. */
function terminal(): { stream: NodeJS.WriteStream; screen: () => readonly string[] } {
  let rows = [""];
  const write = (text: string): boolean => {
    const [, up = "0"] = /^\r(?:\u001b\[(\d+)A)?\u001b\[J/.exec(text) ?? [];
    const left = text.slice(text.indexOf("J") + 1).split("\n");
    rows = [...rows.slice(0, rows.length - 1 - Number(up)), ...left];
    return true;
  };
  const stream = { isTTY: true, columns: 60, write } as unknown as NodeJS.WriteStream;
  return { stream, screen: () => rows };
}

test("simulations side by side have a line each, which goes when they end", () => {
  const { stream, screen } = terminal();
  const one = shareLine("one", stream);
  const other = shareLine("the other", stream);
  vi.advanceTimersByTime(200);
  one.update(0.5);
  other.update(0.25);
  expect(screen()).toEqual([
    expect.stringMatching(/^one \[#+\.+\] {2}50 % {2}0 s left$/),
    expect.stringMatching(/^the other \[#+\.+\] {2}25 % {2}1 s left$/),
  ]);
  vi.advanceTimersByTime(200);
  one.update(0.75);
  expect(screen()).toHaveLength(2);
  expect(screen()[0]).toContain(" 75 %");
  one.end();
  expect(screen()).toEqual([expect.stringMatching(/^the other/)]);
  other.end();
  expect(screen()).toEqual([""]);
});

test("a line is no longer than the terminal is wide", () => {
  const { stream, screen } = terminal();
  const line = shareLine("a case with a name that goes on and on for a long while", stream);
  vi.advanceTimersByTime(200);
  line.update(0.5);
  expect(screen()).toEqual(["a case with a name that goes on and on for a long while [##"]);
});

test("lines begin with the work where they are asked for, on a terminal, too", () => {
  vi.stubEnv("NEARDATA_PROGRESS", "lines");
  const { stream, lines } = plain();
  const line = shareLine("a case", Object.assign(stream, { isTTY: true }));
  for (let second = 0; second <= 5; second += 1) {
    line.update(second / 20);
    vi.advanceTimersByTime(1000);
  }
  line.end();
  expect(lines).toEqual([
    "neardata: a case: begins.\n",
    "neardata: a case: 25 %, 15 s left.\n",
    "neardata: a case: done after 6 s.\n",
  ]);
});

/** Records the lines on stderr, which is not a terminal. */
function said(): readonly string[] {
  const lines: string[] = [];
  vi.spyOn(process.stderr, "write").mockImplementation((text) => lines.push(String(text)) > 0);
  return lines;
}

test.each([
  ["lines", ["neardata: the work begins ...\n"]],
  ["", []],
])("NEARDATA_PROGRESS=%s: what commands say when their work begins", async (value, expected) => {
  vi.stubEnv("NEARDATA_PROGRESS", value);
  for (const how of [interruptible, exitOnSignal]) {
    const lines = said();
    const before: number[] = [];
    await stoppable(async () =>
      how(() => {
        before.push(lines.length);
        return Promise.resolve();
      }),
    );
    expect(lines).toEqual(expected);
    expect(before).toEqual([expected.length]);
    vi.restoreAllMocks();
  }
});

test("a sweep says how far it is", () => {
  vi.stubEnv("NEARDATA_PROGRESS", "lines");
  const lines = said();
  const line = sweepLine("many");
  const at = { all: 4, pointsPerSecond: 1, status: "" };
  line({ ...at, done: 0, failed: 0, secondsLeft: NaN });
  vi.advanceTimersByTime(4000);
  line({ ...at, done: 2, failed: 0, secondsLeft: 2 });
  vi.advanceTimersByTime(1000);
  line({ ...at, done: 3, failed: 1, secondsLeft: 1 });
  expect(lines).toEqual([
    "neardata: many 0/4  1.0 points/s  time left unknown\n",
    "neardata: many 3/4, 1 failed  1.0 points/s  1 s left\n",
  ]);
});
