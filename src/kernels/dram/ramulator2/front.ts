// SPDX-License-Identifier: Apache-2.0
// The parts that configurations of Ramulator 2.0 and 2.1 have in common: the clocks of the front end, and plugins.

import { formatValue } from "../../../base/format-value.ts";
import type { Group } from "./group.ts";

/** Front ends that offer a request of a trace each time that they tick. */
const traceFrontends = ["LoadStoreTrace", "ReadWriteTrace"];

/**
 * Requests that a front end offers in a cycle of the memory: it ticks `clock_ratio` times while the memory
 * ticks `clock_ratio` times of its own.
 */
export function acceptsPerCycle(frontend: Group, system: Group, systemName: string): number {
  const memory = system.whole("clock_ratio") ?? 1;
  const isTrace = traceFrontends.some((name) => frontend.is("impl", name));
  if (!isTrace) return 1; // a model of cores; here a file provides one request per cycle
  frontend.choice("impl", traceFrontends);
  const ratio = frontend.whole("clock_ratio") ?? 1;
  const accepts = ratio / memory;
  if (Number.isInteger(accepts) && accepts >= 1) return accepts;
  frontend.problem(
    "clock_ratio",
    `${ratio} to ${memory} of ${systemName} is not a whole number of requests in a cycle of the memory.`,
  );
  return 1;
}

/** Plugins that only record the actions of the controller. */
const recorders = [
  "TraceRecorder",
  "CmdTraceRecorder",
  "BinTraceRecorder",
  "CommandCounter",
] as const;

/**
 * Plugins of a controller: recorders have no influence on the commands and are named as ignored, others
 * are a problem. `implOf` returns the name of the plugin of an entry.
 */
export function pluginsOf(
  controller: Group,
  key: string,
  implOf: (entry: Readonly<Record<string, unknown>>) => unknown,
): readonly string[] {
  const ignored: string[] = [];
  for (const [index, entry] of controller.list(key).entries()) {
    const isMap = typeof entry === "object" && entry !== null;
    const impl = isMap ? implOf(entry as Readonly<Record<string, unknown>>) : entry;
    if (recorders.some((name) => name === impl)) {
      ignored.push(`${controller.nameOf(key)}[${index}]`);
      continue;
    }
    const known = recorders.join(", ");
    const message = `${formatValue(impl)} has no counterpart in this model: it ignores ${known}.`;
    controller.problem(key, message);
  }
  return ignored;
}
