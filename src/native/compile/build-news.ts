// SPDX-License-Identifier: Apache-2.0
// Progress events of builds of Verilated units, which need minutes and may be started by any caller.
// An event without a listener has no cost.

import { channel } from "node:diagnostics_channel";

/** How far the build of one unit is. */
export interface BuildNews {
  /** Top module. */
  readonly unit: string;
  readonly state: "verilating" | "compiling" | "built" | "failed";
  /** Files of C++ that are compiled, of how many; zeros while Verilator writes them. */
  readonly compiled: number;
  readonly files: number;
}

export const buildChannel = "neardata.build";

const news = channel(buildChannel);

/** Whether anything listens to builds, as commands do. */
export function hasBuildListener(): boolean {
  return news.hasSubscribers;
}

/** Publishes a state of a build. Errors of a listener do not reach the build. */
export function tellBuild(buildNews: BuildNews): void {
  news.publish(buildNews);
}
