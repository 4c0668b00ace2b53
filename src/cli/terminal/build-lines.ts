// SPDX-License-Identifier: Apache-2.0
// Lines on stderr about RTL units that are being built, on a terminal and elsewhere: when a build
// begins and ends, and every few seconds how far all are. Silent while nothing is built.

import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { buildChannel, type BuildNews } from "../../native/compile/build-news.ts";
import { remark } from "../../run/remark.ts";

const betweenMs = 5000;

interface Begun extends BuildNews {
  readonly since: number;
}

/** Reports the builds during `work`. */
export async function withBuildLines<T>(
  work: () => Promise<T>,
  between: number = betweenMs,
): Promise<T> {
  const begun = new Map<string, Begun>();
  const listener = (message: unknown): void => {
    const news = message as BuildNews;
    const { unit, state } = news;
    const since = begun.get(unit)?.since ?? performance.now();
    if (!begun.has(unit)) remark(`${unit}: building its RTL ...`);
    begun.set(unit, { ...news, since });
    if (state !== "built" && state !== "failed") return;
    begun.delete(unit);
    remark(`${unit}: ${state} after ${secondsSince(since)}.`);
  };
  const timer = setInterval(() => {
    for (const one of begun.values()) remark(howFar(one));
  }, between);
  subscribe(buildChannel, listener);
  try {
    return await work();
  } finally {
    clearInterval(timer);
    unsubscribe(buildChannel, listener);
  }
}

function howFar({ unit, state, compiled, files, since }: Begun): string {
  const what =
    state === "verilating" ? "Verilator reads it" : `${compiled} of ${files} files compiled`;
  return `${unit}: ${what}, ${secondsSince(since)}.`;
}

function secondsSince(since: number): string {
  return `${((performance.now() - since) / 1000).toFixed(0)} s`;
}
