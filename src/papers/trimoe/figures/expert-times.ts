// SPDX-License-Identifier: Apache-2.0
// How the times of a layer's experts are spread, by the kind of device that computes them: at work from
// an expert's begin to its end, waits for the memory included; and when it was over, from the layer's
// begin, queue included.

import type { TaskRun } from "../../../base/timeline.ts";
import type { Table } from "../../../report/page.ts";
import { spreadOf } from "../../../results/percentiles.ts";

const kinds = [
  ["GPU", "GPU"],
  ["CPU", "CPU"],
  ["DIMM", "NDP DIMMs"],
] as const;

/** The table of a simulated layer; a kind of device without computation has no rows. */
export function expertTimes(id: string, caption: string, tasks: readonly TaskRun[]): Table {
  return {
    kind: "table",
    id,
    caption,
    columns: [
      { key: "device", title: "device" },
      { key: "what", title: "time of an expert" },
      { key: "count", title: "experts", source: "measured" },
      ...(["mean", "p50", "p90", "p99", "most"] as const).map((key) => ({
        key,
        title: { mean: "mean", p50: "median", p90: "90 %", p99: "99 %", most: "longest" }[key],
        unit: "us",
        source: "measured" as const,
      })),
    ],
    rows: kinds.flatMap(([prefix, device]) => {
      const matchingTasks = tasks.filter((task) => task.device.split(" ")[0] === prefix);
      if (matchingTasks.length === 0) return [];
      return [
        rowOf(
          device,
          "at work",
          matchingTasks.map((task) => task.end - task.start),
        ),
        rowOf(
          device,
          "from the layer's begin",
          matchingTasks.map((task) => task.end),
        ),
      ];
    }),
  };
}

function rowOf(device: string, what: string, times: readonly number[]): Table["rows"][number] {
  const { count, ...spread } = spreadOf(times);
  const us = Object.entries(spread).map(([key, time]) => [key, 1e6 * time] as const);
  return { device, what, count, ...Object.fromEntries(us) };
}
