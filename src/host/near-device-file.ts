// SPDX-License-Identifier: Apache-2.0
// A near-data device in YAML: compute on a DIMM (`ndp`) or in a storage device (`csd`), with the rates
// that its programs reach. Beside GPUs and CPUs it is what `reproduce --device` puts in a paper's machine.

import { z } from "zod";
import { issuesOf } from "../config/issues.ts";
import { dataRate, power, size, workRate } from "../config/quantity.ts";
import { parseYaml } from "../config/yaml.ts";
import { inFile, NeardataError, type Issue } from "../errors.ts";
import type { Bytes, BytesPerSecond, FlopsPerSecond } from "../units.ts";
import { deviceOf, deviceSchema, type Device } from "./device-file.ts";

const count = z.int().min(1).max(1024);
const common = {
  title: z.string().min(1).describe("for people"),
  source: z.string().min(1).describe("where the numbers come from"),
  compute: workRate
    .optional()
    .describe("what 16-bit products reach; unbounded where it is missing"),
  memory: size.describe("of one device"),
  power: power.optional().describe("under load"),
  count: count.optional().describe("devices in the machine; the paper's where it is missing"),
};

const ndpSchema = z.strictObject({
  kind: z.literal("ndp"),
  ...common,
  bandwidth: dataRate.describe("what the unit reads of its own DIMM"),
  hostBandwidth: dataRate.optional().describe("what one DIMM gives the host"),
  link: dataRate.optional().describe("of one link between DIMMs, in one direction"),
});

const csdSchema = z.strictObject({
  kind: z.literal("csd"),
  ...common,
  bandwidth: dataRate.describe("what the device reads of its own flash"),
  write: dataRate.optional().describe("what its flash takes"),
  link: dataRate.describe("to host or GPU, in one direction"),
});

interface NearDevice {
  readonly title: string;
  readonly source: string;
  readonly compute: FlopsPerSecond | null;
  readonly memory: Bytes;
  readonly count: number | null;
  readonly bandwidth: BytesPerSecond;
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

/** What a device is called. */
export function titleOf(device: Device | NdpDevice | CsdDevice): string {
  return "processor" in device ? device.processor.title : device.title;
}

function parseOne(file: string, text: string): Device | NdpDevice | CsdDevice {
  const document = parseYaml(file, text);
  const kind: unknown =
    typeof document === "object" && document !== null && "kind" in document ? document.kind : null;
  const fail = (error: z.ZodError, schema: z.ZodType): NeardataError =>
    inFile(file, issuesOf(error, schema));
  switch (kind) {
    case "ndp": {
      const parsed = ndpSchema.safeParse(document, { reportInput: true });
      if (!parsed.success) throw fail(parsed.error, ndpSchema);
      const { compute = null, hostBandwidth = null, link = null, count: n = null } = parsed.data;
      return { ...parsed.data, compute, hostBandwidth, link, count: n };
    }
    case "csd": {
      const parsed = csdSchema.safeParse(document, { reportInput: true });
      if (!parsed.success) throw fail(parsed.error, csdSchema);
      const { compute = null, write = null, count: n = null } = parsed.data;
      return { ...parsed.data, compute, write, count: n };
    }
    default: {
      const kinds = z.enum(deviceKinds);
      const known = z.looseObject({ kind: kinds }).safeParse(document, { reportInput: true });
      if (!known.success) throw fail(known.error, z.looseObject({ kind: kinds }));
      const parsed = deviceSchema.safeParse(document, { reportInput: true });
      if (!parsed.success) throw fail(parsed.error, deviceSchema);
      return deviceOf(parsed.data);
    }
  }
}

/**
 * The devices of some files.
 * @throws NeardataError `bad-input` with the problems of all files, and where two are of one kind.
 */
export function parseDevices(files: readonly (readonly [file: string, text: string])[]): Devices {
  const issues: Issue[] = [];
  const found: { device: Device | NdpDevice | CsdDevice; file: string }[] = [];
  for (const [file, text] of files) {
    try {
      const device = parseOne(file, text);
      const other = found.find((one) => one.device.kind === device.kind);
      if (other !== undefined) {
        const message = `this is a ${device.kind}, as ${other.file} is; one of a kind is used.`;
        issues.push({ where: file, message });
      }
      found.push({ device, file });
    } catch (error) {
      if (!(error instanceof NeardataError) || error.code !== "bad-input") throw error;
      issues.push(...error.issues);
    }
  }
  if (issues.length > 0) throw new NeardataError("bad-input", issues);
  return Object.fromEntries(found.map(({ device }) => [device.kind, device]));
}
