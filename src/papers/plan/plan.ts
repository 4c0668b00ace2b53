// SPDX-License-Identifier: Apache-2.0
// A plan file: a model, a host and a load. Every policy reads the same file.

import { z } from "zod";
import { defined } from "../../base/defined.ts";
import { issuesOf } from "../../base/issues.ts";
import { dataRate, duration, size } from "../../base/quantity.ts";
import { parseYaml } from "../../base/yaml.ts";
import { inFile, NeardataError } from "../../base/errors.ts";
import { links } from "../../machine/host/devices.ts";
import type { CxlMemory, GpuLinks, Host } from "../experiment/machines.ts";
import {
  findDevice,
  findLink,
  type FileFact,
  type ReadText,
} from "../../machine/host/reference.ts";
import { modelShape, type ModelShape } from "../../workload/shapes.ts";
import {
  bytes,
  bytesPerSecond,
  seconds,
  type Bytes,
  type BytesPerSecond,
} from "../../base/units.ts";

const count = z.int().min(1).max(1_000_000);

const cxlSchema = z.strictObject({
  expanders: z.int().min(1).max(64).default(2).meta({
    meaning: "number of equal expanders, interleaved by pages",
    otherwise: "2",
    example: 2,
  }),
  capacity: size
    .default(bytes(128e9))
    .meta({ meaning: "capacity of one expander", otherwise: "128 GB", example: "128 GB" }),
  rate: dataRate.default(bytesPerSecond(links.cxl.rate.effective.value)).meta({
    meaning: "rate of one expander",
    otherwise: "17 GB/s (LIA, section 6)",
    example: "17 GB/s",
  }),
});

const storageSchema = z.strictObject({
  devices: z
    .int()
    .min(1)
    .max(1024)
    .default(1)
    .meta({ meaning: "number of equal devices", otherwise: "1", example: 2 }),
  capacity: size.meta({ meaning: "capacity of one device", example: "2 TB" }),
  read: dataRate.meta({
    meaning: "rate at which a device reads its flash",
    example: "11.2 GB/s",
  }),
  write: dataRate.optional().meta({
    meaning: "rate at which a device programs its flash",
    otherwise: "from the paper",
    example: "2 GB/s",
  }),
  link: dataRate.meta({
    meaning: "rate of the link of one device, in one direction",
    example: "3.9 GB/s",
  }),
});

/** The schema of plan files. */
export const planSchema = z.strictObject({
  model: z.string().meta({ meaning: "model by name", example: "opt-175b" }),
  host: z
    .strictObject({
      cpu: z.unknown().meta({
        meaning: "name of a built-in CPU, path of a device file, or the keys of a device file",
        example: "spr-amx",
      }),
      gpu: z.unknown().meta({
        meaning: "name of a built-in GPU, path of a device file, or the keys of a device file",
        example: "a100-40",
      }),
      link: z.string().optional().meta({
        meaning: "link between CPU and GPU, by name",
        otherwise: "`link` of the GPU's device file; required without it",
        example: "pcie4",
      }),
      gpus: z.int().min(1).max(64).default(1).meta({
        meaning:
          "number of equal GPUs, only for LIA and LLMShare; each GPU has its own `host.link`, and all GPUs share the work of every layer",
        otherwise: "1",
        example: 4,
      }),
      gpuLink: dataRate.optional().meta({
        meaning: "rate from one GPU to all others, in one direction",
        otherwise: "needed with several GPUs",
        example: "300 GB/s",
      }),
      reduction: duration.default(seconds(20e-6)).meta({
        meaning: "latency of an all-reduce over all GPUs",
        otherwise: "20 us (assumed, as in LIA's figure 14)",
        example: "20 us",
      }),
      memory: size
        .optional()
        .meta({ meaning: "DDR capacity of the CPU", otherwise: "from the CPU", example: "4 TiB" }),
      dimms: z.int().min(1).max(1024).optional().meta({
        meaning: "number of DIMMs of the DDR memory that have an NDP unit; only for TriMoE",
        otherwise: "16, as in the paper",
        example: 16,
      }),
      cxl: cxlSchema
        .optional()
        .meta({ meaning: "CXL memory of the CPU; only for LIA", otherwise: "none" }),
      storage: storageSchema.optional().meta({
        meaning: "storage devices of InstInfer, or disk of FlexGen",
        otherwise: "InstInfer: the device of the paper; FlexGen: no disk",
      }),
    })
    .meta({ meaning: "host of the model" }),
  batch: count.meta({ meaning: "prompts of a batch", example: 900 }),
  input: count.meta({ meaning: "tokens of a prompt", example: 256 }),
  output: count.min(2).meta({ meaning: "generated tokens per prompt", example: 32 }),
});

/** Storage devices of a plan's host. */
export interface PlanStorage {
  readonly devices: number;
  readonly capacity: Bytes;
  readonly read: BytesPerSecond;
  readonly write?: BytesPerSecond | undefined;
  readonly link: BytesPerSecond;
}

/** A plan whose names were followed. */
export interface Plan {
  readonly file: string;
  readonly model: ModelShape;
  readonly host: Host;
  readonly storage: PlanStorage | null;
  /** DIMMs with NDP units; null is the paper's number. */
  readonly dimms: number | null;
  readonly batch: number;
  readonly input: number;
  readonly output: number;
}

/**
 * Parses a plan; `read` returns the text of device files that it names.
 * @throws NeardataError `bad-input` with every problem.
 */
export function parsePlan(file: string, text: string, read: ReadText): Plan {
  const parsed = planSchema.safeParse(parseYaml(file, text), { reportInput: true });
  if (!parsed.success) throw inFile(file, issuesOf(parsed.error, planSchema));
  const { model, host, batch, input, output } = parsed.data;
  const cpu = findDevice("host.cpu", "cpu", host.cpu, read);
  const gpu = findDevice("host.gpu", "gpu", host.gpu, read);
  const link = findLink("host.link", host.link, gpu.ok ? gpu.value : null);
  const shape = shapeOf(model);
  const group = groupOf(host);
  if (!cpu.ok || !gpu.ok || !link.ok || !shape.ok || !group.ok) {
    throw inFile(
      file,
      [shape, cpu, gpu, link, group].flatMap((one) => (one.ok ? [] : one.issues)),
    );
  }
  const { processor } = cpu.value;
  const { memory = processor.memory, cxl, storage = null, dimms = null } = host;
  return {
    file,
    model: shape.value,
    host: {
      cpu: { ...processor, memory },
      gpu: gpu.value.processor,
      link: link.value,
      ...defined({
        cxl: cxl === undefined ? undefined : cxlOf(cxl),
        group: group.value ?? undefined,
      }),
    },
    storage,
    dimms,
    batch,
    input,
    output,
  };
}

function groupOf(host: z.output<typeof planSchema>["host"]): FileFact<GpuLinks | null> {
  const { gpus, gpuLink, reduction } = host;
  if (gpus === 1) return { ok: true, value: null };
  if (gpuLink !== undefined) {
    return { ok: true, value: { count: gpus, link: gpuLink, reduction } };
  }
  const message = `this is missing; ${gpus} GPUs exchange sums.`;
  return { ok: false, issues: [{ where: "host.gpuLink", message }] };
}

function cxlOf(given: z.output<typeof cxlSchema>): CxlMemory {
  return { title: `CXL memory, ${given.expanders} expanders`, ...given };
}

function shapeOf(model: string): FileFact<ModelShape> {
  try {
    return { ok: true, value: modelShape(model, "model") };
  } catch (error) {
    if (!(error instanceof NeardataError) || error.code !== "bad-input") throw error;
    return { ok: false, issues: error.issues };
  }
}
