// SPDX-License-Identifier: Apache-2.0
// Task timelines: order, no overlap on a device, nothing lost, bounds on the end.

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { deviceUse, endOf, runTasks, type Task } from "../../src/base/timeline.ts";
import { bytes, seconds } from "../../src/base/units.ts";
import { rejection } from "../helpers/rejection.ts";

const tasks: fc.Arbitrary<readonly Task[]> = fc
  .array(
    fc.record({
      device: fc.constantFrom("GPU", "CPU", "PCIe"),
      time: fc.nat({ max: 9 }),
      back: fc.array(fc.integer({ min: 1, max: 5 }), { maxLength: 2 }),
    }),
    { maxLength: 30, size: "max" },
  )
  .map((list) =>
    list.map(({ device, time, back }, i) => ({
      id: String(i),
      device,
      time: seconds(time),
      after: back.flatMap((n) => (i >= n ? [String(i - n)] : [])),
      bytes: bytes(time * 3),
    })),
  );

describe("a timeline", () => {
  it("keeps order, never overlaps on a device and conserves time and bytes", () => {
    fc.assert(
      fc.property(tasks, (given) => {
        const runs = runTasks(given);
        const ends = new Map(runs.map((run) => [run.id, run.end]));
        const free = new Map<string, number>();
        for (const run of runs) {
          expect(run.start).toBeGreaterThanOrEqual(free.get(run.device) ?? 0);
          for (const id of run.after) expect(run.start).toBeGreaterThanOrEqual(ends.get(id) ?? NaN);
          free.set(run.device, run.end);
        }
        const uses = [...deviceUse(runs).values()];
        const total = given.reduce((t, task) => t + task.time, 0);
        expect(uses.reduce((t, use) => t + use.busy, 0)).toBe(total);
        expect(uses.reduce((t, use) => t + use.bytes, 0)).toBe(3 * total);
        expect(endOf(runs)).toBeLessThanOrEqual(total);
        for (const { busy } of uses) expect(endOf(runs)).toBeGreaterThanOrEqual(busy);
      }),
    );
  });

  it("a longer task never ends anything earlier", () => {
    fc.assert(
      fc.property(tasks, fc.nat(), (given, pick) => {
        const chosen = given.length === 0 ? -1 : pick % given.length;
        const slower = given.map((task, i) =>
          i === chosen ? { ...task, time: seconds(task.time + 4) } : task,
        );
        const before = runTasks(given);
        runTasks(slower).forEach((run, i) => {
          expect(run.end).toBeGreaterThanOrEqual(before[i]?.end ?? NaN);
        });
      }),
    );
  });

  it("refuses a task that waits for a later one, and an id given twice", () => {
    const task = (id: string, ...after: string[]): Task => ({
      id,
      device: "GPU",
      time: seconds(1),
      after,
    });
    expect(() => runTasks([task("a", "b"), task("b")])).toThrow(
      rejection("misuse", /a waits for b/),
    );
    expect(() => runTasks([task("a"), task("a")])).toThrow(rejection("misuse", /a .*twice/));
  });
});
