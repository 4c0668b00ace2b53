// SPDX-License-Identifier: Apache-2.0
// Writes what ran when as a Chrome trace-event document, the JSON that ui.perfetto.dev opens.
// Format: "Trace Event Format", complete events ("X"), counters ("C") and metadata ("M").

import type { Sample, Span } from "../results/latency/span.ts";

/**
 * The whole document. Tracks become processes and lanes become threads, in order of first
 * appearance: equal input results in equal bytes.
 */
export function perfettoJson(spans: readonly Span[], samples: readonly Sample[] = []): string {
  const tracks = new Map<string, number>();
  const lanes = new Map<string, number>();
  const events: string[] = [];
  const trackId = (track: string): number => {
    let id = tracks.get(track);
    if (id === undefined) {
      id = tracks.size + 1;
      tracks.set(track, id);
      events.push(metadata("process_name", id, 0, track));
    }
    return id;
  };
  const laneId = (track: string, lane: string): number => {
    const key = `${track}\u0000${lane}`;
    let id = lanes.get(key);
    if (id === undefined) {
      id = lanes.size + 1;
      lanes.set(key, id);
      events.push(metadata("thread_name", trackId(track), id, lane));
    }
    return id;
  };
  for (const span of spans) {
    events.push(
      JSON.stringify({
        ph: "X",
        name: span.name,
        pid: trackId(span.track),
        tid: laneId(span.track, span.lane),
        ts: span.startNs / 1000,
        dur: span.durationNs / 1000,
        args: span.args,
      }),
    );
  }
  for (const sample of samples) {
    events.push(
      JSON.stringify({
        ph: "C",
        name: sample.name,
        pid: trackId(sample.track),
        ts: sample.timeNs / 1000,
        args: { value: sample.value },
      }),
    );
  }
  return `{"displayTimeUnit":"ns","traceEvents":[\n${events.join(",\n")}\n]}\n`;
}

function metadata(kind: string, pid: number, tid: number, name: string): string {
  return JSON.stringify({ ph: "M", name: kind, pid, tid, args: { name } });
}
