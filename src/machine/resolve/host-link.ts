// SPDX-License-Identifier: Apache-2.0
// The link of a storage device to its host, as scenarios choose it: PCIe 4.0 with packets and NVMe
// commands, or bytes alone.

import { z } from "zod";

import type { HostLink } from "../csd/csd-machine.ts";
import type { Issue } from "../../base/errors.ts";
import { bytes, bytesPerSecond, seconds } from "../../base/units.ts";
import type { DeepReadonly } from "../../base/deep-readonly.ts";
import { pcie, replyHeader } from "./links.ts";
import { plain, withUnit } from "../../base/quantity.ts";

const { duration, size } = plain;

/** Of PCIe: payloads and reads in powers of two. */
const [leastPayload, mostPayload] = [128, 4096];
const longestLatency = seconds(1e-3);
const lanes = 4;

/**
 * Four lanes (section VI-A of InstInfer). A device reads 512 bytes at a time (PCIe's default), with
 * at most 32 reads in flight (assumed; the round trip of four lanes covers nine). The host submits
 * 64 commands ahead.
 */
const defaultWires = pcie(lanes, "PCIe 4.0");
const defaultCommands = { reads: 32, depth: 64 };
export const defaultHostLink: HostLink = {
  wires: defaultWires,
  readRequest: bytes(512),
  replyHeader,
  commands: defaultCommands,
};

/** 7 GB/s from peer to peer (section VI-A) after 1 us (assumed): no packets, credits or commands. */
export const bareHostLink: HostLink = {
  wires: {
    ...pcie(lanes, "PCIe 4.0"),
    rate: bytesPerSecond(7e9),
    latency: seconds(1e-6),
    header: bytes(0),
    credits: 4096,
  },
  readRequest: bytes(512),
  replyHeader: bytes(0),
  commands: null,
};

/** The schema of a scenario's `attention.link`. */
export const hostLinkSchema = z
  .union([
    z.strictObject({
      lanes: z
        .int()
        .min(1)
        .max(16)
        .optional()
        .meta({ meaning: "lanes of PCIe 4.0", default: lanes }),
      latency: duration.optional().meta({
        meaning: "latency of a packet, one way",
        default: withUnit(defaultWires.latency, "ns"),
      }),
      payload: size.optional().meta({
        meaning: "maximum payload of a packet",
        default: withUnit(defaultWires.payload, "B"),
      }),
      readRequest: size.optional().meta({
        meaning: "maximum size of a read request",
        default: withUnit(defaultHostLink.readRequest, "B"),
      }),
      credits: z.int().min(1).max(65536).optional().meta({
        meaning: "credits: packets in the buffer of a receiver",
        default: defaultWires.credits,
      }),
      reads: z
        .int()
        .min(1)
        .max(65536)
        .optional()
        .meta({ meaning: "maximum outstanding reads of a device", default: defaultCommands.reads }),
      commands: z.enum(["nvme", "none"]).optional().meta({
        meaning:
          "commands on the link. `nvme`: doorbell, submission entry, page list, reads, completion entry; `none`: rows and outputs only",
        default: "nvme",
      }),
    }),
    z.literal("none"),
  ])
  .meta({
    meaning:
      "PCIe 4.0 link of each device to the host; `none`: 7 GB/s after 1 us, without packets, credits and commands",
    otherwise: "four lanes",
  });

/** The host link of a scenario, with quantities in base units. */
export type HostLinkContent = DeepReadonly<z.output<typeof hostLinkSchema>>;

/** Every rule that it breaks. */
export function hostLinkIssues(given: HostLinkContent | undefined): readonly Issue[] {
  if (given === undefined || given === "none") return [];
  const where = "attention.link";
  const issues: Issue[] = [];
  for (const key of ["payload", "readRequest"] as const) {
    const value = given[key];
    if (value === undefined) continue;
    const whole = Number.isInteger(Math.log2(value));
    if (whole && value >= leastPayload && value <= mostPayload) continue;
    const message = `PCIe has ${leastPayload} to ${mostPayload} bytes, a power of two, not ${value}.`;
    issues.push({ where: `${where}.${key}`, message });
  }
  if ((given.latency ?? 0) > longestLatency) {
    issues.push({ where: `${where}.latency`, message: "a packet takes a millisecond at most." });
  }
  const { readRequest, wires } = hostLinkOf(given);
  const needed = Math.ceil(readRequest / wires.payload);
  if (issues.length === 0 && wires.credits < needed) {
    const message = `the answer to a read of ${readRequest} bytes has ${needed} packets.`;
    issues.push({ where: `${where}.credits`, message });
  }
  return issues;
}

/** With every gap filled. */
export function hostLinkOf(given: HostLinkContent = {}): HostLink {
  if (given === "none") return bareHostLink;
  const usual = defaultHostLink;
  const wires = pcie(given.lanes ?? lanes, "PCIe 4.0");
  return {
    wires: {
      ...wires,
      latency: given.latency ?? wires.latency,
      payload: given.payload ?? wires.payload,
      credits: given.credits ?? wires.credits,
    },
    readRequest: given.readRequest ?? usual.readRequest,
    replyHeader: usual.replyHeader,
    commands:
      given.commands === "none"
        ? null
        : { ...defaultCommands, reads: given.reads ?? defaultCommands.reads },
  };
}
