// SPDX-License-Identifier: Apache-2.0
// A worker process of a sweep. Input: the context on the first line, then points. Output: a start
// line, then one result per line, in the order of the points. Each line has a hash, because lines
// may be stored in a file before they are read. The worker ends at the end of its input, so no
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
// The operating system frees all memory at once, so nothing is destroyed before.
process.exit();
