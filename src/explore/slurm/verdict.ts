// SPDX-License-Identifier: Apache-2.0
// The cause of unanswered points of an ended task: a failure of the cluster, after which they run
// again, or a failure of the point, which becomes a row.

import type { TaskState } from "./client.ts";

export type Verdict =
  /** The cluster lost the task; its points are to run again. */
  | { readonly kind: "lost"; readonly how: string }
  /** The running point ended its process; the points after it are to run again. */
  | { readonly kind: "died"; readonly reason: string }
  /** The program did not even begin: nothing will run here. */
  | { readonly kind: "broken"; readonly how: string };

/** Final states of a task. */
const ended: ReadonlySet<string> = new Set([
  ...["BOOT_FAIL", "CANCELLED", "COMPLETED", "DEADLINE", "FAILED", "NODE_FAIL"],
  ...["OUT_OF_MEMORY", "PREEMPTED", "REVOKED", "TIMEOUT"],
]);

export function hasEnded({ state }: TaskState): boolean {
  return ended.has(state);
}

/** The state and the progress of a task that has ended. */
export interface TaskEnd {
  /** Null when the cluster has forgotten it. */
  readonly state: TaskState | null;
  /** Whether its program began. */
  readonly begun: boolean;
  readonly answered: number;
  /** Whether a line of its answers was not as a worker wrote it. */
  readonly damaged: boolean;
}

export function verdictOf({ state, begun, answered, damaged }: TaskEnd): Verdict {
  if (damaged) return { kind: "lost", how: "its answers were damaged" };
  if (state === null) return { kind: "lost", how: "the cluster does not know its job any more" };
  const { state: word, detail } = state;
  switch (word) {
    case "TIMEOUT":
    case "DEADLINE":
      // After other points, this one may have started too late; a first point used the whole time
      // limit.
      return answered > 0
        ? { kind: "lost", how: word }
        : { kind: "died", reason: `it ran into the cluster's time limit (${word}).` };
    case "OUT_OF_MEMORY":
      return { kind: "died", reason: "its job took more memory than the cluster allows it." };
    case "COMPLETED":
    case "FAILED":
      // A point can end only its own process: here the batch script was killed, or never launched.
      if (/^(JobLaunchFailure|RaisedSignal.*|0:[1-9].*)$/.test(detail)) {
        return { kind: "lost", how: `${word}, ${detail}` };
      }
      return begun
        ? { kind: "died", reason: `the process that ran it ended (${word}, ${detail}).` }
        : { kind: "broken", how: `${word}, ${detail}` };
    default:
      return { kind: "lost", how: word };
  }
}
