// SPDX-License-Identifier: Apache-2.0
// The host of a plan as devices for FlexGen, TriMoE and InstInfer, instead of the devices of their papers.

import type { Link, Processor } from "../../machine/host/devices.ts";
import type { Device } from "../../machine/host/device-file.ts";
import type { CsdDevice } from "../../machine/host/near-device-file.ts";
import { inputError, inFile } from "../../base/errors.ts";
import type { Plan, PlanStorage } from "./plan.ts";
import type { ModelShape } from "../../workload/shapes.ts";

interface HostDevices {
  readonly gpu: Device;
  readonly cpu: Device;
  readonly csd?: CsdDevice;
}

/**
 * GPU with its link, CPU, and storage devices where the plan has some.
 * @throws NeardataError `bad-input` for several GPUs, which these policies do not have
 */
export function devicesOf({ file, host, storage }: Plan): HostDevices {
  if (host.group !== undefined) {
    const message = "this policy has one GPU; several are for LIA and LLMShare.";
    throw inFile(file, [{ where: "host.gpus", message }]);
  }
  const device = (kind: Device["kind"], processor: Processor, link: Link | null): Device => ({
    kind,
    processor,
    link,
  });
  return {
    gpu: device("gpu", host.gpu, host.link),
    cpu: device("cpu", host.cpu, null),
    ...(storage === null ? {} : { csd: csdOf(storage) }),
  };
}

function csdOf({ devices, capacity, read, write, link }: PlanStorage): CsdDevice {
  return {
    kind: "csd",
    title: "storage device",
    source: "the plan",
    compute: null,
    digest: null,
    memory: capacity,
    count: devices,
    bandwidth: read,
    write: write ?? null,
    link,
  };
}

/** The refusal of a model that a policy's equations do not have. */
export function noSuchModel(file: string, { title }: ModelShape, why: string): Error {
  return inFile(file, inputError("model", `${title}: ${why}`).issues);
}

/**
 * The width of a decoder without shared keys and values and without a gate in its feed-forward
 * part.
 */
export function plainDecoder(
  file: string,
  shape: ModelShape,
  policy: string,
): { readonly layers: number; readonly hidden: number; readonly heads: number } {
  const { attention, dense, experts, layers, hidden } = shape;
  const plain =
    attention.kind === "heads" &&
    attention.kvHeads === attention.heads &&
    experts === null &&
    dense?.matrices === 2 &&
    dense.intermediate === 4 * hidden;
  if (plain) return { layers, hidden, heads: attention.heads };
  throw noSuchModel(
    file,
    shape,
    `the equations of ${policy} are of decoders such as OPT: heads with keys and values of their own, no gate, no experts.`,
  );
}
