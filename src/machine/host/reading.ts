// SPDX-License-Identifier: Apache-2.0
// Converts the output of measure.py into a device file. Times of an expert are made monotonic in
// the number of tokens; a time that would need more bandwidth or compute than was measured fails
// the check.

import { z } from "zod";
import { issuesOf } from "../../base/issues.ts";
import { NeardataError, type Issue } from "../../base/errors.ts";
import { bytes, bytesPerSecond, flopsPerSecond, seconds } from "../../base/units.ts";
import type { Bytes, Seconds } from "../../base/units.ts";
import type { DeviceInput } from "./device-file.ts";

/** Units and bounds are those of a device file (../../config/quantity.ts). */
const rate = z.number().min(1e3).max(1e18);
const workRate = z.number().min(1e6).max(1e21);
const size = z
  .number()
  .min(1)
  .max(2 ** 50);
const count = z.int().min(1).max(1_000_000);

const measuredSchema = z.object({
  format: z.literal("neardata-calibration"),
  version: z.literal(1),
  device: z.object({
    kind: z.enum(["gpu", "cpu"]),
    name: z.string().min(1),
    memory_bytes: size.nullable(),
    power_watts: z.number().positive().max(1e9).nullable(),
  }),
  software: z.object({ torch: z.string(), driver: z.string().nullable(), date: z.string() }),
  conditions: z
    .object({
      threads: count,
      cores: count.nullable(),
      clock: z.enum(["wall time", "processor time"]),
      statistic: z.enum(["median", "best"]),
      load: z.number().min(0).max(1e6),
      frequency_hz: workRate.nullable(),
    })
    .optional(),
  expert: z.object({
    hidden: count.optional(),
    intermediate: count.optional(),
    bytes: size.int(),
    points: z
      .array(z.object({ tokens: count, seconds: z.number().min(1e-15).max(1e9) }))
      .min(2, { error: "at least two token counts are needed." })
      .refine((list) => list.every((p, i) => i === 0 || p.tokens > (list[i - 1]?.tokens ?? 0)), {
        error: "token counts ascend.",
      }),
  }),
  rates: z.object({
    gemm_flops_per_second: workRate,
    gemv_bytes_per_second: rate,
    memory_bytes_per_second: rate,
  }),
  link: z.object({ to_device_bytes_per_second: rate, to_host_bytes_per_second: rate }).nullable(),
});

/** Facts that a measurement cannot provide and the user may. */
export interface CalibrationOptions {
  readonly title?: string | undefined;
  readonly memory?: Bytes | undefined;
  readonly watts?: number | undefined;
}

/** Measured rates vary between runs; a point may exceed them by this much. */
const slack = 1.1;

/**
 * The device that was measured.
 * @throws NeardataError `bad-input` for a document that is not a measurement, or that lacks a value
 * without an option; `check-failed` for times that contradict the measured rates.
 */
export function calibratedDevice(
  document: unknown,
  where: string,
  options: CalibrationOptions,
): DeviceInput {
  const parsed = measuredSchema.safeParse(document, { reportInput: true });
  if (!parsed.success) throw placed("bad-input", where, issuesOf(parsed.error, measuredSchema));
  const { device, expert, rates, link } = parsed.data;
  const memory = options.memory ?? device.memory_bytes;
  const watts = options.watts ?? device.power_watts;
  const missing = (what: string, flag: string): Issue => ({
    where: `device.${what}`,
    message: `this was not measured; give it with ${flag}.`,
  });
  const lacks = [
    ...(memory === null ? [missing("memory_bytes", "--memory")] : []),
    ...(watts === null ? [missing("power_watts", "--power")] : []),
  ];
  if (memory === null || watts === null) throw placed("bad-input", where, lacks);
  const bandwidth = Math.max(rates.memory_bytes_per_second, rates.gemv_bytes_per_second);
  const implausible = expert.points.flatMap(({ tokens, seconds: time }, i): readonly Issue[] => {
    const at = `expert.points[${i}]`;
    const read = expert.bytes / time;
    const worked = (expert.bytes * tokens) / time;
    return [
      ...(read > slack * bandwidth
        ? [{ where: at, message: "the weights were read faster than the memory gives them." }]
        : []),
      ...(worked > slack * rates.gemm_flops_per_second
        ? [{ where: at, message: "the work was done faster than the largest product." }]
        : []),
    ];
  });
  if (implausible.length > 0) throw placed("check-failed", where, implausible);
  return {
    kind: device.kind,
    title: options.title ?? device.name,
    source: sourceOf(parsed.data, options),
    compute: flopsPerSecond(rates.gemm_flops_per_second),
    bandwidth: bytesPerSecond(bandwidth),
    memory: bytes(memory),
    power: watts,
    link: link === null ? undefined : bytesPerSecond(link.to_device_bytes_per_second),
    expert: { size: bytes(expert.bytes), times: rising(expert.points) },
  };
}

/** Date, software and conditions of the measurement, and the values that were not measured. */
function sourceOf(
  { device, software, conditions }: z.infer<typeof measuredSchema>,
  { memory, watts }: CalibrationOptions,
): string {
  const driver = software.driver === null ? "" : `, driver ${software.driver}`;
  const given = [
    ...(memory === undefined ? [] : ["memory"]),
    ...(watts === undefined ? [] : ["power"]),
  ];
  return [
    `measured on ${software.date} with PyTorch ${software.torch}${driver}`,
    ...(conditions === undefined || device.kind === "gpu" ? [] : [conditionsText(conditions)]),
    ...(given.length === 0 ? [] : [`${given.join(" and ")} given by hand`]),
  ].join("; ");
}

type Conditions = NonNullable<z.infer<typeof measuredSchema>["conditions"]>;

function conditionsText(of: Conditions): string {
  const cores = of.cores === null ? "" : ` of ${of.cores} cores`;
  const clock = of.frequency_hz === null ? "" : ` at ${(of.frequency_hz / 1e9).toFixed(1)} GHz`;
  const threads = `${of.threads} thread${of.threads === 1 ? "" : "s"}${cores}${clock}`;
  return `${threads}, ${of.statistic} ${of.clock} of the repetitions, load of the machine ${of.load.toFixed(1)}`;
}

/** Each time at least the one before: a slower kernel for fewer tokens is not used. */
function rising(
  points: readonly { readonly tokens: number; readonly seconds: number }[],
): readonly (readonly [number, Seconds])[] {
  let least = Infinity;
  return points
    .toReversed()
    .map(({ tokens, seconds: time }): readonly [number, Seconds] => {
      least = Math.min(least, time);
      return [tokens, seconds(least)];
    })
    .reverse();
}

function placed(
  code: "bad-input" | "check-failed",
  file: string,
  issues: readonly Issue[],
): NeardataError {
  return new NeardataError(
    code,
    issues.map(({ where, message }) => ({
      where: where === "" ? file : `${file}: ${where}`,
      message,
    })),
  );
}
