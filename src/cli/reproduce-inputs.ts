// SPDX-License-Identifier: Apache-2.0
// What a user gives `neardata reproduce`: a router's choices, devices and requests of the user's own, each
// with the experiments that it makes or changes.

import type { Experiment, SimulatedExperiment } from "../experiment/experiment.ts";
import { inputError } from "../errors.ts";
import type { Paper } from "../policy/facts/fact.ts";
import { readText } from "./files.ts";

/** The file of a router's choices. @throws NeardataError `bad-input` where no experiment reads it. */
export function traceOf(paper: Paper | undefined, trace: string | undefined): string | null {
  if (trace === undefined) return null;
  if (paper !== undefined && paper !== "trimoe") {
    throw inputError("--trace", `choices of a router are for trimoe, not ${paper}.`);
  }
  return readText(trace);
}

/** TriMoE's premises on it. */
export async function onTrace(
  text: string | null,
  file: string = "",
): Promise<readonly Experiment[]> {
  if (text === null) return [];
  const { routerExperiment } = await import("../experiment/trimoe-router.ts");
  const { parseRoutes } = await import("../policy/trimoe/routes.ts");
  return [routerExperiment(file, parseRoutes(file, text))];
}

/** The policies on devices of the user's own. */
export async function withDevices(
  files: readonly (readonly [file: string, text: string])[],
  paper: Paper | undefined,
): Promise<readonly SimulatedExperiment[]> {
  if (files.length === 0) return [];
  const { parseDevices } = await import("../host/near-device-file.ts");
  const { deviceExperiments } = await import("../experiment/own-device/registry.ts");
  return deviceExperiments(parseDevices(files), paper);
}

/** The yardstick over the user's requests. */
export async function withRequests(
  experiments: readonly Experiment[],
  file: string | undefined,
  text: string,
): Promise<readonly Experiment[]> {
  const { yardstickExperiment } = await import("../experiment/yardstick/yardstick.ts");
  const { lengthsOfCsv } = await import("../serving/requests.ts");
  const own = yardstickExperiment(lengthsOfCsv(text, file ?? ""));
  return experiments.map((one) => (one.id === own.id ? own : one));
}
