// SPDX-License-Identifier: Apache-2.0
// A device in YAML: a GPU or a CPU of the user's own, with the rates that its programs reach. It can
// replace the name of a built-in device everywhere.

import { defined } from "../../base/defined.ts";
import { stringify } from "yaml";
import { z } from "zod";
import type { DeepReadonly } from "../../base/deep-readonly.ts";
import { issuesOf } from "../../base/issues.ts";
import { dataRate, duration, power, size, workRate } from "../../base/quantity.ts";
import { parseYaml } from "../../base/yaml.ts";
import { inFile } from "../../base/errors.ts";
import { present } from "../../base/present.ts";
import { idleOf, type Link, type Processor, type RateClass, type SourcedRate } from "./devices.ts";

/** Of a batch, as a plan has them (../policy/plan.ts). */
const maxTokens = 1_000_000;
const maxPoints = 10_000;

const times = z
  .array(z.tuple([z.int().min(1).max(maxTokens), duration]))
  .max(maxPoints)
  .min(2, { error: "a curve has at least two points." })
  .refine((points) => points.every(([n], i) => i === 0 || n > present(points[i - 1]?.[0])), {
    error: "the token counts of a curve ascend.",
  })
  .refine((points) => points.every(([, t], i) => i === 0 || t >= present(points[i - 1]?.[1])), {
    error: "more tokens never take less time.",
  });

/** The schema of a device, in a file or inline. */
export const deviceSchema = z.strictObject({
  kind: z.enum(["gpu", "cpu"]).meta({ meaning: "kind of device" }),
  title: z.string().min(1).meta({ meaning: "title in reports", example: "Card" }),
  source: z.string().min(1).meta({ meaning: "source of the numbers", example: "measured here" }),
  compute: workRate.meta({
    meaning: "achieved rate of 16-bit matrix products",
    example: "300 TFLOPS",
  }),
  peakCompute: workRate.optional().meta({
    meaning: "rate of 16-bit matrix products in the data sheet",
    otherwise: "`compute`",
    example: "312 TFLOPS",
  }),
  bandwidth: dataRate.meta({
    meaning: "achieved bandwidth of the main memory",
    example: "1.8 TB/s",
  }),
  peakBandwidth: dataRate.optional().meta({
    meaning: "memory bandwidth in the data sheet",
    otherwise: "`bandwidth`",
    example: "2 TB/s",
  }),
  memory: size.meta({ meaning: "memory capacity of the device", example: "80 GiB" }),
  power: power.meta({ meaning: "power under load", example: "350 W" }),
  link: dataRate.optional().meta({
    meaning: "rate of the link to the host, in one direction",
    otherwise: "GPU: a plan must have `host.link`; CPU: no link",
    example: "50 GB/s",
  }),
  expert: z
    .strictObject({
      size: size.meta({ meaning: "size of the weights of one expert", example: "36 MiB" }),
      times: times.meta({
        meaning: "pairs of tokens and time, ascending",
        example: "[[1, 30 us], [16, 31 us]]",
      }),
    })
    .optional()
    .meta({
      meaning: "measured times of one expert",
      otherwise: "from `compute` and `bandwidth`",
    }),
});

/** The contents of a device file, with quantities in base units. */
export type DeviceInput = DeepReadonly<z.output<typeof deviceSchema>>;

/** A device ready for the models; `link` is null where the file has none. */
export interface Device {
  readonly kind: DeviceInput["kind"];
  readonly processor: Processor;
  readonly link: Link | null;
}

/** The device that `input` describes. */
export function deviceOf(input: DeviceInput): Device {
  const sourced = (value: number, kind: RateClass): SourcedRate => ({
    value,
    class: kind,
    source: input.source,
  });
  const rates = (reached: number, peak: number | undefined): Processor["compute"] => ({
    peak: sourced(peak ?? reached, peak === undefined ? "measured" : "published"),
    effective: sourced(reached, "measured"),
  });
  const { title, link } = input;
  return {
    kind: input.kind,
    processor: {
      title,
      compute: rates(input.compute, input.peakCompute),
      bandwidth: rates(input.bandwidth, input.peakBandwidth),
      watts: sourced(input.power, "measured"),
      idle: idleOf[input.kind],
      memory: input.memory,
      expert: input.expert ?? null,
    },
    link: link === undefined ? null : { title: `link of ${title}`, rate: rates(link, undefined) },
  };
}

/** Reads a device file. @throws NeardataError `bad-input` with every problem. */
export function parseDevice(file: string, text: string): Device {
  const parsed = deviceSchema.safeParse(parseYaml(file, text), { reportInput: true });
  if (parsed.success) return deviceOf(parsed.data);
  throw inFile(file, issuesOf(parsed.error, deviceSchema));
}

/** The text of a device file. Parsing it gives the same device to six digits. */
export function deviceText(device: DeviceInput): string {
  const digits = (value: number): number => Number(value.toPrecision(6));
  const compute = (value: number): string => `${digits(value / 1e12)} TFLOPS`;
  const rate = (value: number): string => `${digits(value / 1e9)} GB/s`;
  const { expert, link, peakCompute, peakBandwidth } = device;
  return stringify({
    kind: device.kind,
    title: device.title,
    source: device.source,
    compute: compute(device.compute),
    ...(peakCompute === undefined ? {} : { peakCompute: compute(peakCompute) }),
    bandwidth: rate(device.bandwidth),
    ...(peakBandwidth === undefined ? {} : { peakBandwidth: rate(peakBandwidth) }),
    memory: `${device.memory} B`,
    power: `${device.power} W`,
    ...defined({
      link: link === undefined ? undefined : rate(link),
      expert:
        expert === undefined
          ? undefined
          : {
              size: `${expert.size} B`,
              times: expert.times.map(([n, t]) => [n, `${digits(t * 1e6)} us`]),
            },
    }),
  });
}
