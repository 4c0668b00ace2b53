// SPDX-License-Identifier: Apache-2.0
// Every paper's policy on devices of the user's own.

import { NeardataError, type Issue } from "../../base/errors.ts";
import { titleOf, type Devices, type DeviceKind } from "../../machine/host/near-device-file.ts";
import type { Paper } from "../experiment/fact.ts";
import type { SimulatedExperiment } from "../experiment/experiment.ts";
import { flexGenDevice } from "../flexgen/figures/own-device.ts";
import { instInferDevice } from "../instinfer/figures/own-device.ts";
import { liaDevice } from "../lia/figures/own-device.ts";
import { llmShareDevice } from "../llmshare/figures/own-device.ts";
import { deviceExperiment, type DeviceUse } from "../experiment/own-device-rows.ts";
import { triMoeDevice } from "../trimoe/figures/own-device.ts";

export const deviceUses: readonly DeviceUse[] = [
  liaDevice,
  triMoeDevice,
  instInferDevice,
  flexGenDevice,
  llmShareDevice,
];

/**
 * An experiment for each paper (or the given one) whose policy uses one of the devices.
 * @throws NeardataError `bad-input` for a device that the given paper does not use
 */
export function deviceExperiments(
  devices: Devices,
  paper: Paper | undefined,
): readonly SimulatedExperiment[] {
  const kinds = Object.keys(devices) as DeviceKind[];
  const uses = deviceUses.filter((use) => paper === undefined || use.paper === paper);
  const issues = kinds
    .filter((kind) => !uses.some(({ reads }) => kind in reads))
    .map((kind): Issue => {
      const users = deviceUses.filter(({ reads }) => kind in reads).map((use) => use.paper);
      const message = `${paper ?? "no paper"} has no use for a ${kind}; ${users.join(", ")} ${users.length === 1 ? "has" : "have"}.`;
      return { where: "--device", message };
    });
  if (issues.length > 0) throw new NeardataError("bad-input", issues);
  const titles = Object.fromEntries(
    kinds.flatMap((kind) => {
      const device = devices[kind];
      return device === undefined ? [] : [[kind, titleOf(device)] as const];
    }),
  );
  return uses
    .filter(({ reads }) => kinds.some((kind) => kind in reads))
    .map((use) => deviceExperiment(use, devices, titles));
}
