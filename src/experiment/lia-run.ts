// SPDX-License-Identifier: Apache-2.0
// Jobs of LIA's evaluation on the machines of its paper.

import { liaHosts, type LiaMachineName as MachineName } from "../host/machines.ts";
import type { LiaMachine } from "../policy/lia/cost.ts";
import type { LiaJob, LiaRun } from "../policy/lia/run.ts";
import { liaModel } from "../policy/lia/shape.ts";
import { runSystem, streamingMachine, type LiaSystem } from "../policy/lia/systems.ts";

export const machine = (name: MachineName): LiaMachine => streamingMachine(liaHosts[name]);

export function job(model: string, batch: number, input: number, output: number): LiaJob {
  return { ...liaModel(model, "the experiment"), batch, input, output };
}

export type Runner = (name: MachineName, j: LiaJob) => LiaRun;
const runner =
  (system: LiaSystem): Runner =>
  (name, j) =>
    runSystem(system, liaHosts[name], j);
export const lia: Runner = runner("LIA");
export const ipex: Runner = runner("IPEX");
export const flexGen: Runner = runner("FlexGen");
