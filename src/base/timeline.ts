// SPDX-License-Identifier: Apache-2.0
// Start and end times of tasks on devices. A device runs one task at a time, in the order of the
// list. A task starts when its device is free and all its predecessors have ended.

import { NeardataError } from "./errors.ts";
import { bytes, longer, seconds, sum, type Bytes, type Seconds } from "./units.ts";

/** A piece of work on one device. */
export interface Task {
  /** Unique; other tasks name it in `after`. */
  readonly id: string;
  readonly device: string;
  readonly time: Seconds;
  /** Earlier tasks that must end before this one begins. */
  readonly after: readonly string[];
  /** Bytes that the task transfers, for links and memories. */
  readonly bytes?: Bytes;
  readonly tokens?: number;
}

/** A task with the time at which it ran. */
export interface TaskRun extends Task {
  readonly start: Seconds;
  readonly end: Seconds;
}

/**
 * Runs the tasks from time 0.
 * @throws NeardataError `misuse` if a task depends on a task that is not before it in the list
 */
export function runTasks(tasks: readonly Task[]): readonly TaskRun[] {
  const free = new Map<string, Seconds>();
  const ends = new Map<string, Seconds>();
  return tasks.map((task) => {
    let start = free.get(task.device) ?? seconds(0);
    for (const id of task.after) {
      const end = ends.get(id);
      if (end === undefined) throw new NeardataError("misuse", `${task.id} waits for ${id}.`);
      start = longer(start, end);
    }
    if (ends.has(task.id)) throw new NeardataError("misuse", `${task.id} is given twice.`);
    const end = sum(start, task.time);
    free.set(task.device, end);
    ends.set(task.id, end);
    return { ...task, start, end };
  });
}

/** When the last task is over. */
export function endOf(runs: readonly TaskRun[]): Seconds {
  return runs.reduce((latest, run) => longer(latest, run.end), seconds(0));
}

/** The utilisation of a device. */
export interface DeviceUse {
  readonly busy: Seconds;
  readonly bytes: Bytes;
}

/** The work of each device, in order of first appearance. */
export function deviceUse(runs: readonly TaskRun[]): ReadonlyMap<string, DeviceUse> {
  const uses = new Map<string, DeviceUse>();
  for (const { device, time, bytes: moved = bytes(0) } of runs) {
    const before = uses.get(device) ?? { busy: seconds(0), bytes: bytes(0) };
    uses.set(device, { busy: sum(before.busy, time), bytes: sum(before.bytes, moved) });
  }
  return uses;
}
