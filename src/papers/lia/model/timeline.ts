// SPDX-License-Identifier: Apache-2.0
// Layers under a policy as tasks (LIA, figure 7): loads of the next layer cross the link while this
// layer computes, into the second of two buffers; activations wait for the sublayer that computes
// them. The link transfers both directions at once.

import type { Task } from "../../../base/timeline.ts";
import { bytes, seconds, sum, type Bytes } from "../../../base/units.ts";
import { onCpu, sublayerTimes, type PolicyBits } from "./cost.ts";
import { type LiaMachine } from "../../experiment/machines.ts";
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
  const add = (task: Task): string => {
    tasks.push(task);
    return task.id;
  };
  const processor = (i: number): string => (onCpu(policy, i) ? "CPU" : "GPU");
  const towards = (i: number): string => (onCpu(policy, i) ? "link to CPU" : "link to GPU");
  const computeId = (l: number, i: number): string => `layer ${l} S${i + 1}`;
  const operandId = (l: number, i: number): string => `layer ${l} load ${i + 1}`;
  const operand = (i: number): Bytes => layer.sublayers[i]?.y ?? bytes(0);
  const load = (l: number, i: number): void => {
    const time = times[i]?.loadY ?? seconds(0);
    if (time === 0 || l >= count) return;
    const after = l < 2 ? [] : [computeId(l - 2, i)];
    add({ id: operandId(l, i), device: "link to GPU", time, after, bytes: operand(i) });
  };
  const activations = (i: number): Bytes => layer.sublayers[i]?.x ?? bytes(0);
  times.forEach((_, i) => {
    load(0, i);
  });
  let before: string[] = [];
  for (let l = 0; l < count; l += 1) {
    times.forEach(({ loadX, loadY, loadR, compute, store }, i) => {
      const inputs = [...before];
      const time = sum(loadX, loadR);
      if (time > 0) {
        const id = `layer ${l} input ${i + 1}`;
        const moved = sum(
          loadX > 0 ? activations(i) : bytes(0),
          loadR > 0 ? layer.residual : bytes(0),
        );
        inputs.push(add({ id, device: towards(i), time, after: before, bytes: moved }));
      }
      if (loadY > 0) inputs.push(operandId(l, i));
      const id = computeId(l, i);
      const { tokens } = layer;
      const done = add({ id, device: processor(i), time: compute, after: inputs, tokens });
      if (store > 0) {
        const transfer = { id: `layer ${l} store`, after: [done], bytes: layer.newCache };
        add({ ...transfer, device: "link to CPU", time: store });
      }
      before = [done];
      load(l + 1, i);
    });
  }
  return tasks;
}
