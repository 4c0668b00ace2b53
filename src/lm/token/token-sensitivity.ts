// SPDX-License-Identifier: Apache-2.0
// How the time of a token depends on its machine: faster and slower links, more and fewer DIMMs and
// storage devices, another ratio. Links and DIMMs change the plan alone; for other devices and ratios
// the same steps attend again, on the cycle model.

import type { AttentionRequest } from "../../kernels/csd/attention/attention-request.ts";
import { steppedAttention } from "../../kernels/csd/attention/stepped-attention.ts";
import type { OpenCsdSession } from "../../machine/csd/csd-types.ts";
import { trafficBudget } from "../../golden/attention/budget.ts";
import { endOf } from "../../base/timeline.ts";
import { seconds, toSeconds, type Seconds } from "../../base/units.ts";
import { present } from "../../base/present.ts";
import {
  placeByLoad,
  planTasks,
  runPlan,
  type HostTimes,
  type LayerTimes,
  type StepTimes,
} from "./token-plan.ts";
import type { Architecture } from "../moe/architecture.ts";
import { firstDeviceOf, type TokenObserver, type TokenSteps } from "./token-machine.ts";

/** The machine with one thing changed. */
export interface Sensitivity {
  readonly changed: "link of the host" | "DIMMs" | "storage devices" | "ratio";
  /** As a person writes it, such as `2x` or `1/16`. */
  readonly to: string;
  readonly tokenUs: number;
  /** Time of a token over that of the machine as it is. */
  readonly relative: number;
}

/** The attention requests of all sequences and layers. */
export interface AttentionRecorder {
  readonly onRequests: NonNullable<TokenObserver["onRequests"]>;
  readonly calls: readonly AskedLayer[];
}

interface AskedLayer {
  readonly sequence: number;
  readonly layer: number;
  readonly requests: readonly AttentionRequest[];
}

/** Collects attention requests, which can be repeated later. */
export function attentionRecorder(): AttentionRecorder {
  const calls: AskedLayer[] = [];
  return {
    onRequests: (sequence, layer, requests) => {
      calls.push({ sequence, layer, requests });
    },
    calls,
  };
}

/** The machine as it is. */
export interface SensitivityBase {
  readonly architecture: Pick<Architecture, "kvHeads">;
  readonly measured: Pick<TokenSteps, "times" | "homes" | "loads">;
  readonly host: HostTimes;
  readonly dimms: number;
  readonly devices: number;
  readonly calls: AttentionRecorder["calls"];
  readonly open: OpenCsdSession;
}

const linkFactors = [1 / 4, 1 / 2, 2, 4];
const dimmCounts = [1, 2, 4, 8];
const deviceCounts = [1, 2, 4];
const ratios = [1, 1 / 2, 1 / 4, 1 / 8, 1 / 16];

/** The effect of each change alone; the machine's present value is among them. */
export async function tokenSensitivity(base: SensitivityBase): Promise<readonly Sensitivity[]> {
  const { measured, host, dimms, devices } = base;
  const { times, homes, loads } = measured;
  const steps = times[0]?.length ?? 0;
  const timeOf = (of: StepTimes, on: HostTimes, at: readonly (readonly number[])[]): number =>
    (endOf(runPlan(planTasks(of, on, { homeOf: (l, e) => present(at[l]?.[e]) }))) * 1e6) / steps;
  const whole = timeOf(times, host, homes);
  const row = (changed: Sensitivity["changed"], to: string, tokenUs: number): Sensitivity => ({
    changed,
    to,
    tokenUs,
    relative: tokenUs / whole,
  });
  const withLink = (factor: number): HostTimes => ({
    ...host,
    transfer: (amount) => seconds(host.transfer(amount) / factor),
  });
  const placed = (count: number): readonly (readonly number[])[] =>
    loads.map((load) => placeByLoad(load, count));
  const rows = [
    ...linkFactors.map((f) =>
      row("link of the host", `${shown(f)}x`, timeOf(times, withLink(f), homes)),
    ),
    ...[...new Set([...dimmCounts, dimms])].map((count) =>
      row("DIMMs", String(count), timeOf(times, host, placed(count))),
    ),
  ];
  for (const count of new Set([...deviceCounts, devices])) {
    const again = await attendAgain(base, count, null);
    rows.push(row("storage devices", String(count), timeOf(again, host, homes)));
  }
  for (const ratio of ratios) {
    const again = await attendAgain(base, devices, ratio);
    rows.push(row("ratio", ratio === 1 ? "dense" : shown(ratio), timeOf(again, host, homes)));
  }
  return rows;
}

function shown(factor: number): string {
  return factor < 1 ? `1/${Math.round(1 / factor)}` : String(factor);
}

/** Times of the steps whose attention runs on so many devices, or at another ratio; 1 is dense. */
async function attendAgain(
  { architecture, measured: { times }, calls, open }: SensitivityBase,
  devices: number,
  ratio: number | null,
): Promise<StepTimes> {
  const changed = times.map((steps) => steps.map((layers) => layers.slice()));
  let asking: AskedLayer | undefined;
  let first = 0;
  const engine = steppedAttention({
    fidelity: "cycle",
    devices,
    open,
    firstDevice: () => firstDeviceOf(architecture, asking?.sequence ?? 0),
    onStep: (_, { length, run }) => {
      const { sequence = 0, layer = 0 } = asking ?? {};
      const layers = changed[sequence]?.[length - first];
      const layerTimes: LayerTimes | undefined = layers?.[layer];
      if (layers === undefined || layerTimes === undefined) return;
      const attention: readonly Seconds[] = run.devices.map(({ time }) => toSeconds(time));
      layers[layer] = { ...layerTimes, attention };
    },
  });
  try {
    for (const call of calls) {
      asking = call;
      first = Math.min(...call.requests.map(({ cache }) => cache.length));
      await engine.attend(call.requests.map((one) => atRatio(one, ratio)));
    }
  } finally {
    engine.close();
  }
  return changed;
}

function atRatio(request: AttentionRequest, ratio: number | null): AttentionRequest {
  if (ratio === null) return request;
  const { queries, cache, pages } = request;
  if (ratio === 1) return { kind: "dense", queries, cache, pages };
  const parameters = trafficBudget(ratio, cache.length, cache.width);
  return { kind: "sparse", queries, cache, pages, parameters };
}
