// SPDX-License-Identifier: Apache-2.0
// Progress of a simulation where stderr is no terminal: a line every five seconds, none of a short one.

import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { shareLine } from "../../src/cli/terminal/progress.ts";

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["performance"] });
});
afterEach(() => {
  vi.useRealTimers();
});

/** A stream that is no terminal, and what was written to it. */
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
