// SPDX-License-Identifier: Apache-2.0
// A worker process of a sweep: the context on the first line, then points; out comes a line that it
// has begun, then a result a line, in the order of the points, each with its hash, as lines may lie
// in a file before they are read. Ends when its input does, so no
// worker outlives its sweep.

import process from "node:process";
import { createInterface } from "node:readline";
import type { PointContext } from "../../explore/point.ts";
import { runPoint, type WorkerLine } from "../../explore/point.ts";
import { sealedLine } from "../../report/saved/sealed.ts";
import { runSweepScenario } from "./sweep-point.ts";
import type { Point } from "../../explore/spec.ts";

function say(line: WorkerLine): void {
  process.stdout.write(`${sealedLine(line)}\n`);
}

let context: PointContext | null = null;
for await (const line of createInterface(process.stdin)) {
  if (context === null) {
    context = JSON.parse(line) as PointContext;
    say({ ready: true });
    continue;
  }
  say(await runPoint(JSON.parse(line) as Point, context, runSweepScenario));
}
// The system takes back all memory at once: nothing is taken apart before.
process.exit();
