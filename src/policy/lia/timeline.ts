// SPDX-License-Identifier: Apache-2.0
// Layers under a policy as tasks (LIA, figure 7): what the next layer loads for a sublayer crosses
// the link while this layer computes, into the second of two buffers; activations wait for the
// sublayer that makes them. The link carries both directions at once.

import type { Task } from "../../host/timeline.ts";
import { seconds, type Seconds } from "../../units.ts";
import { onCpu, sublayerTimes, type LiaMachine, type PolicyBits } from "./cost.ts";
import type { Layer } from "./layer.ts";

/** Tasks of `count` equal layers, one after the other. */
export function layerTasks(
  machine: LiaMachine,
  layer: Layer,
  policy: PolicyBits,
  count: number,
): readonly Task[] {
  const times = sublayerTimes(machine, layer, policy);
  const tasks: Task[] = [];
  const add = (id: string, device: string, time: Seconds, after: readonly string[]): string => {
    tasks.push({ id, device, time, after });
    return id;
  };
  const processor = (i: number): string => (onCpu(policy, i) ? "CPU" : "GPU");
  const towards = (i: number): string => (onCpu(policy, i) ? "link to CPU" : "link to GPU");
  const computeId = (l: number, i: number): string => `layer ${l} S${i + 1}`;
  const operandId = (l: number, i: number): string => `layer ${l} load ${i + 1}`;
  const load = (l: number, i: number): void => {
    const time = times[i]?.loadY ?? seconds(0);
    if (time === 0 || l >= count) return;
    add(operandId(l, i), "link to GPU", time, l < 2 ? [] : [computeId(l - 2, i)]);
  };
  times.forEach((_, i) => {
    load(0, i);
  });
  let before: string[] = [];
  for (let l = 0; l < count; l += 1) {
    times.forEach(({ loadX, loadY, loadR, compute, store }, i) => {
      const inputs = [...before];
      const activations = loadX + loadR;
      if (activations > 0) {
        const id = `layer ${l} input ${i + 1}`;
        inputs.push(add(id, towards(i), seconds(activations), before));
      }
      if (loadY > 0) inputs.push(operandId(l, i));
      const done = add(computeId(l, i), processor(i), compute, inputs);
      if (store > 0) add(`layer ${l} store`, "link to CPU", store, [done]);
      before = [done];
      load(l + 1, i);
    });
  }
  return tasks;
}
