// SPDX-License-Identifier: Apache-2.0
// A device in YAML: a GPU or a CPU of the user's own, with the rates that its programs reach. It can
// stand wherever the name of a built-in device can.

import { stringify } from "yaml";
import { z } from "zod";
import { issuesOf } from "../../base/issues.ts";
import { dataRate, duration, power, size, workRate } from "../../base/quantity.ts";
import { parseYaml } from "../../base/yaml.ts";
import { inFile } from "../../base/errors.ts";
import type { Bytes, BytesPerSecond, FlopsPerSecond, Seconds } from "../../base/units.ts";
import { idleOf, type Link, type Processor, type RateClass, type SourcedRate } from "./devices.ts";

/** A device as its file says it, with units. */
export interface DeviceInput {
  readonly kind: "gpu" | "cpu";
  readonly title: string;
  readonly source: string;
  readonly compute: FlopsPerSecond;
  readonly peakCompute?: FlopsPerSecond | undefined;
  readonly bandwidth: BytesPerSecond;
  readonly peakBandwidth?: BytesPerSecond | undefined;
  readonly memory: Bytes;
  readonly power: number;
  readonly link?: BytesPerSecond | undefined;
  readonly expert?:
    { readonly size: Bytes; readonly times: readonly (readonly [number, Seconds])[] } | undefined;
}

/** Of a batch, as a plan has them (../policy/plan.ts). */
const mostTokens = 1_000_000;
const mostPoints = 10_000;

const times: z.ZodType<readonly (readonly [number, Seconds])[]> = z
  .array(z.tuple([z.int().min(1).max(mostTokens), duration]))
  .max(mostPoints)
  .min(2, { error: "a curve has at least two points." })
  .refine((points) => points.every(([n], i) => i === 0 || n > (points[i - 1]?.[0] ?? 0)), {
    error: "the token counts of a curve ascend.",
  })
  .refine((points) => points.every(([, t], i) => i === 0 || t >= (points[i - 1]?.[1] ?? 0)), {
    error: "more tokens never take less time.",
  });

/** The schema of a device; also of one that is written in place. */
export const deviceSchema: z.ZodType<DeviceInput> = z.strictObject({
  kind: z.enum(["gpu", "cpu"]).describe("what the device is"),
  title: z.string().min(1).describe("for people"),
  source: z.string().min(1).describe("where the numbers come from"),
  compute: workRate.describe("what 16-bit matrix products reach"),
  peakCompute: workRate.optional().describe("the data sheet's"),
  bandwidth: dataRate.describe("what programs reach of the main memory"),
  peakBandwidth: dataRate.optional().describe("the data sheet's"),
  memory: size.describe("of the device"),
  power: power.describe("under load"),
  link: dataRate.optional().describe("to the host, in one direction"),
  expert: z
    .strictObject({
      size: size.describe("weights of one expert"),
      times: times.describe("tokens and the time of the expert for them, ascending"),
    })
    .optional()
    .describe("time of one expert against tokens"),
});

/** The schema of device files of GPUs and CPUs as a JSON Schema document. */
export function deviceJsonSchema(): unknown {
  return z.toJSONSchema(deviceSchema, { io: "input", unrepresentable: "any" });
}

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

/** The text of a device file; reading it gives the same device to six digits. */
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
    ...(link === undefined ? {} : { link: rate(link) }),
    ...(expert === undefined
      ? {}
      : {
          expert: {
            size: `${expert.size} B`,
            times: expert.times.map(([n, t]) => [n, `${digits(t * 1e6)} us`]),
          },
        }),
  });
}
