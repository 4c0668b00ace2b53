// SPDX-License-Identifier: Apache-2.0
// Computing time of the devices in a simulated layer. "Compute utilization" (TriMoE, table 3) is a device's time
// without its waits: the text explains Klotski's 28.6 % of the GPU by PCIe and the 42 % of KTransformers' CPU by the
// host's bandwidth, so neither wait counts as work.

import { curveTime } from "../../../machine/host/curve.ts";
import { seconds, type Bytes, type Seconds } from "../../../base/units.ts";
import { outOfRange } from "../../../base/present.ts";
import type { LayerRun } from "./baselines.ts";
import { cpuCode, gpuCode, ndpCode } from "./layer-costs.ts";
import { codesOf } from "./makespan.ts";
import type { TriMoeMachine } from "../model/cost.ts";

/** Seconds of arithmetic; of the NDP units the mean over DIMMs. Never more than the layer's time. */
export interface Computing {
  readonly gpu: Seconds;
  readonly cpu: Seconds;
  readonly ndp: Seconds;
}

export function computing(
  { experts, assignment }: Pick<LayerRun, "experts" | "assignment">,
  machine: TriMoeMachine,
  size: Bytes,
): Computing {
  const tokens = experts.map(({ load }) => load);
  return computingOf(tokens, codesOf(assignment), machine, size);
}

/** The same of the tokens of each expert and the code of its device. */
export function computingOf(
  tokens: readonly number[],
  codes: Uint8Array,
  machine: TriMoeMachine,
  size: Bytes,
): Computing {
  const factor = size / machine.curveBytes;
  let gpu = 0;
  let cpu = 0;
  let ndp = 0;
  for (let i = 0; i < tokens.length; i += 1) {
    const load = tokens[i] ?? outOfRange();
    switch (codes[i]) {
      case gpuCode:
        gpu += factor * curveTime(machine.gpu, load);
        break;
      case cpuCode:
        cpu += factor * curveTime(machine.cpuCompute ?? machine.cpu, load);
        break;
      case ndpCode:
        ndp += (load * size) / machine.ndpRate / machine.dimms;
        break;
      case undefined:
    }
  }
  return { gpu: seconds(gpu), cpu: seconds(cpu), ndp: seconds(ndp) };
}
