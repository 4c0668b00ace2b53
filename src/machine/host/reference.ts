// SPDX-License-Identifier: Apache-2.0
// Devices as plans name them: a built-in name, the path of a device file, or a device in place.

import { issuesOf } from "../../base/issues.ts";
import { inputError, NeardataError, type Issue } from "../../base/errors.ts";
import { didYouMean } from "../../base/nearest.ts";
import { formatValue } from "../../base/format-value.ts";
import {
  deviceOf,
  deviceSchema,
  parseDevice,
  type Device,
  type DeviceInput,
} from "./device-file.ts";
import { cpus, gpus, links } from "./devices.ts";
import type { ExpertCurve, Link, Processor } from "./devices.ts";

/** Reads a device file relative to the plan. */
export type ReadText = (path: string) => string;

/** A reference that was followed, or why it could not be. */
export type FileFact<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly issues: readonly Issue[] };

/** The device that `reference` means, of the wanted kind. Problems of a device file are thrown. */
export function findDevice(
  where: string,
  kind: DeviceInput["kind"],
  reference: unknown,
  read: ReadText,
): FileFact<Device> {
  if (typeof reference !== "string") {
    const parsed = deviceSchema.safeParse(reference, { reportInput: true });
    if (parsed.success) return ofKind(where, kind, deviceOf(parsed.data));
    const issues = issuesOf(parsed.error, deviceSchema);
    return { ok: false, issues: issues.map((i) => ({ ...i, where: joined(where, i.where) })) };
  }
  if (/\.ya?ml$/.test(reference)) {
    return ofKind(where, kind, parseDevice(reference, read(reference)));
  }
  const table: Readonly<Record<string, Processor>> = kind === "gpu" ? gpus : cpus;
  const processor = Object.hasOwn(table, reference) ? table[reference] : undefined;
  if (processor === undefined) return unknown(where, reference, Object.keys(table));
  return { ok: true, value: { kind, processor, link: null } };
}

/** The measured expert of a device file. @throws NeardataError `bad-input` where it has none. */
export function measuredExpert(
  where: string,
  kind: DeviceInput["kind"],
  reference: string,
  read: ReadText,
): ExpertCurve {
  const device = findDevice(where, kind, reference, read);
  if (!device.ok) throw new NeardataError("bad-input", device.issues);
  const { expert, title } = device.value.processor;
  if (expert === null) throw inputError(where, `${title} has no measured times of an expert.`);
  return expert;
}

/** The link of this name; the one of the GPU's file where no name is given. */
export function findLink(
  where: string,
  name: string | undefined,
  gpu: Device | null,
): FileFact<Link> {
  if (name === undefined) {
    if (gpu?.link !== undefined && gpu.link !== null) return { ok: true, value: gpu.link };
    const message = `this is missing; the GPU has no measured link. Known are ${names()}.`;
    return { ok: false, issues: [{ where, message }] };
  }
  const table: Readonly<Record<string, Link>> = links;
  const link = Object.hasOwn(table, name) ? table[name] : undefined;
  return link === undefined ? unknown(where, name, Object.keys(links)) : { ok: true, value: link };
}

function names(): string {
  return Object.keys(links).join(", ");
}

function unknown(where: string, name: string, known: readonly string[]): FileFact<never> {
  const message = `${formatValue(name)} is not one of ${known.join(", ")}, nor a .yaml file.${didYouMean(name, known)}`;
  return { ok: false, issues: [{ where, message }] };
}

function ofKind(where: string, kind: DeviceInput["kind"], device: Device): FileFact<Device> {
  if (device.kind === kind) return { ok: true, value: device };
  const message = `this describes a ${device.kind}, not a ${kind}.`;
  return { ok: false, issues: [{ where, message }] };
}

function joined(where: string, inner: string): string {
  return inner === "" ? where : `${where}.${inner}`;
}
