// SPDX-License-Identifier: Apache-2.0
// A near-data device in YAML: compute on a DIMM (`ndp`) or in a storage device (`csd`), with the rates
// that its programs reach, or with an RTL unit (a folder with unit.yaml) on which they are simulated.
// Beside GPUs and CPUs it is what `reproduce --device` puts in a paper's machine.

import { z } from "zod";
import { issuesOf, whenValid } from "../../base/issues.ts";
import { dataRate, power, size, workRate } from "../../base/quantity.ts";
import { parseYaml } from "../../base/yaml.ts";
import { inFile, NeardataError, type Issue } from "../../base/errors.ts";
import {
  bytesPerSecond,
  type Bytes,
  type BytesPerSecond,
  type FlopsPerSecond,
} from "../../base/units.ts";
import { deviceOf, deviceSchema, type Device } from "./device-file.ts";

const count = z.int().min(1).max(1024);
/** Examples of the keys that both kinds have. */
type Examples = Readonly<
  Record<"title" | "source" | "compute" | "unit" | "memory" | "power", string>
> & { readonly count: number };

const common = (example: Examples) => ({
  title: z.string().min(1).meta({ meaning: "title in reports", example: example.title }),
  source: z.string().min(1).meta({ meaning: "source of the numbers", example: example.source }),
  compute: workRate.optional().meta({
    meaning: "achieved rate of 16-bit products",
    example: example.compute,
    otherwise: "unlimited, or from `unit`",
  }),
  unit: z.string().min(1).optional().meta({
    meaning: "folder of an RTL unit; its simulation sets `compute` and `bandwidth`",
    otherwise: "none: `compute` and `bandwidth` of this file are used",
    example: example.unit,
  }),
  memory: size.meta({ meaning: "memory capacity of one device", example: example.memory }),
  power: power
    .optional()
    .meta({ meaning: "power under load", otherwise: "not counted", example: example.power }),
  count: count.optional().meta({
    meaning: "devices in the machine",
    otherwise: "from the paper",
    example: example.count,
  }),
});

interface FileStatement {
  readonly unit?: string | undefined;
  readonly compute?: FlopsPerSecond | null | undefined;
  readonly bandwidth?: BytesPerSecond | undefined;
}

/** Rates are written down, or those of an RTL unit. */
function rated<T extends z.ZodType<FileStatement>>(schema: T): T {
  return schema.superRefine(
    ({ unit, compute, bandwidth }, context) => {
      const addIssue = (key: string, message: string): void => {
        context.addIssue({ code: "custom", path: [key], message });
      };
      if (unit === undefined && bandwidth === undefined) {
        addIssue("bandwidth", "it is missing; a device has it, or an RTL unit in its place.");
      }
      if (unit === undefined) return;
      const why = "the simulation of the RTL unit gives this; leave it out.";
      if (bandwidth !== undefined) addIssue("bandwidth", why);
      if (compute !== undefined) addIssue("compute", why);
    },
    whenValid("unit", "compute", "bandwidth"),
  );
}

/** The schema of device files of DIMMs. */
export const ndpDeviceSchema = rated(
  z.strictObject({
    kind: z.literal("ndp").meta({ meaning: "kind of device: an NDP DIMM" }),
    ...common({
      title: "DIMM-NDP of TriMoE",
      source: "TriMoE, table 1",
      compute: "256 GFLOPS",
      unit: "examples/plain-gemv",
      memory: "128 GB",
      power: "10 W",
      count: 16,
    }),
    bandwidth: dataRate.optional().meta({
      meaning: "rate at which the unit reads its DIMM",
      otherwise: "from `unit`",
      example: "153.6 GB/s",
    }),
    hostBandwidth: dataRate.optional().meta({
      meaning: "rate between one DIMM and the host",
      otherwise: "from the paper",
      example: "38.4 GB/s",
    }),
    link: dataRate.optional().meta({
      meaning: "rate of a link between DIMMs, in one direction",
      otherwise: "from the paper",
      example: "25 GB/s",
    }),
  }),
);

/** The schema of device files of storage devices. */
export const csdDeviceSchema = rated(
  z.strictObject({
    kind: z.literal("csd").meta({ meaning: "kind of device: a computational storage device" }),
    ...common({
      title: "Drive",
      source: "its data sheet",
      compute: "20 GFLOPS",
      unit: "examples/finite-filter",
      memory: "2 TB",
      power: "25 W",
      count: 2,
    }),
    bandwidth: dataRate.optional().meta({
      meaning: "rate at which the device reads its flash",
      otherwise: "from `unit`",
      example: "11.2 GB/s",
    }),
    write: dataRate.optional().meta({
      meaning: "rate at which the device programs its flash",
      otherwise: "from the paper",
      example: "2 GB/s",
    }),
    link: dataRate.meta({
      meaning: "rate of the link to host or GPU, in one direction",
      example: "7 GB/s",
    }),
  }),
);

/** Rates from the simulation of an RTL unit. */
export interface UnitRates {
  readonly bandwidth: BytesPerSecond;
  readonly compute: FlopsPerSecond | null;
  /** SHA-256 of the unit's sources; null without an RTL unit. */
  readonly digest: string | null;
}

/** Simulates the RTL unit in `folder`, which the device file `file` names. */
export type UnitMeasure = (kind: "ndp" | "csd", folder: string, file: string) => Promise<UnitRates>;

interface NearDevice {
  readonly title: string;
  readonly source: string;
  readonly compute: FlopsPerSecond | null;
  readonly memory: Bytes;
  readonly count: number | null;
  readonly bandwidth: BytesPerSecond;
  /** SHA-256 of the RTL unit with these rates; null if the file has the rates. */
  readonly digest: string | null;
}

/** One unit of a DIMM. */
export interface NdpDevice extends NearDevice {
  readonly kind: "ndp";
  readonly hostBandwidth: BytesPerSecond | null;
  readonly link: BytesPerSecond | null;
}

/** One storage device. */
export interface CsdDevice extends NearDevice {
  readonly kind: "csd";
  readonly write: BytesPerSecond | null;
  readonly link: BytesPerSecond;
}

/** At most one device of each kind. */
export interface Devices {
  readonly gpu?: Device;
  readonly cpu?: Device;
  readonly ndp?: NdpDevice;
  readonly csd?: CsdDevice;
}

export const deviceKinds = ["gpu", "cpu", "ndp", "csd"] as const;
export type DeviceKind = (typeof deviceKinds)[number];

/** The title of a device. */
export function titleOf(device: Device | NdpDevice | CsdDevice): string {
  return "processor" in device ? device.processor.title : device.title;
}

/** A device that is complete except for the rates of its RTL unit. */
type Parsed =
  | { readonly device: Device | NdpDevice | CsdDevice }
  | {
      readonly unit: string;
      readonly kind: "ndp" | "csd";
      readonly with: (rates: UnitRates) => NdpDevice | CsdDevice;
    };

function parseOne(file: string, text: string): Parsed {
  const document = parseYaml(file, text);
  const kind: unknown =
    typeof document === "object" && document !== null && "kind" in document ? document.kind : null;
  const fail = (error: z.ZodError, schema: z.ZodType): NeardataError =>
    inFile(file, issuesOf(error, schema));
  switch (kind) {
    case "ndp": {
      const parsed = ndpDeviceSchema.safeParse(document, { reportInput: true });
      if (!parsed.success) throw fail(parsed.error, ndpDeviceSchema);
      const { hostBandwidth = null, link = null, count: n = null, unit, ...rest } = parsed.data;
      const device = { ...rest, hostBandwidth, link, count: n };
      return completed("ndp", unit, parsed.data, (rates) => ({ ...device, ...rates }));
    }
    case "csd": {
      const parsed = csdDeviceSchema.safeParse(document, { reportInput: true });
      if (!parsed.success) throw fail(parsed.error, csdDeviceSchema);
      const { write = null, count: n = null, unit, ...rest } = parsed.data;
      const device = { ...rest, write, count: n };
      return completed("csd", unit, parsed.data, (rates) => ({ ...device, ...rates }));
    }
    default: {
      const kinds = z.enum(deviceKinds);
      const known = z.looseObject({ kind: kinds }).safeParse(document, { reportInput: true });
      if (!known.success) throw fail(known.error, z.looseObject({ kind: kinds }));
      const parsed = deviceSchema.safeParse(document, { reportInput: true });
      if (!parsed.success) throw fail(parsed.error, deviceSchema);
      return { device: deviceOf(parsed.data) };
    }
  }
}

function completed(
  kind: "ndp" | "csd",
  unit: string | undefined,
  { bandwidth, compute = null }: FileStatement,
  complete: (rates: UnitRates) => NdpDevice | CsdDevice,
): Parsed {
  if (unit !== undefined) return { unit, kind, with: complete };
  // The schema has a bandwidth or a unit.
  return { device: complete({ bandwidth: bandwidth ?? bytesPerSecond(0), compute, digest: null }) };
}

/**
 * The devices of some files; RTL units are simulated when all files are sound.
 * @throws NeardataError `bad-input` with the problems of all files, and where two are of one kind.
 */
export async function parseDevices(
  files: readonly (readonly [file: string, text: string])[],
  measure: UnitMeasure,
): Promise<Devices> {
  const issues: Issue[] = [];
  const read: { kind: DeviceKind; file: string; parsed: Parsed }[] = [];
  for (const [file, text] of files) {
    try {
      const parsed = parseOne(file, text);
      const kind = "unit" in parsed ? parsed.kind : parsed.device.kind;
      const other = read.find((one) => one.kind === kind);
      if (other !== undefined) {
        const message = `two files have the kind ${kind}: ${other.file} and ${file}.`;
        issues.push({ where: "--device", message });
      }
      read.push({ kind, file, parsed });
    } catch (error) {
      if (!(error instanceof NeardataError) || error.code !== "bad-input") throw error;
      issues.push(...error.issues);
    }
  }
  if (issues.length > 0) throw new NeardataError("bad-input", issues);
  const devices: [DeviceKind, Device | NdpDevice | CsdDevice][] = [];
  for (const { kind, file, parsed } of read) {
    const device =
      "unit" in parsed ? parsed.with(await measure(parsed.kind, parsed.unit, file)) : parsed.device;
    devices.push([kind, device]);
  }
  return Object.fromEntries(devices);
}
