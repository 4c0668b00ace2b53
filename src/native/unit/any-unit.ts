// SPDX-License-Identifier: Apache-2.0
// A unit whose ports a caller drives: the ports as Verilator reports them, cached, and the plug-in.

import { readFile, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";

import { NeardataError, type Issue } from "../../base/errors.ts";
import { cached } from "../../base/files/cache.ts";
import { formatValue } from "../../base/format-value.ts";
import { isForeign } from "../compile/foreign-sources.ts";
import { jobSlots } from "../compile/job-slots.ts";
import { inRepository, rtlCacheDirectory } from "../../base/paths.ts";
import { verilatorVersion } from "../compile/verilator-version.ts";
import { hashOf, sourceClosure } from "../compile/source-hash.ts";
import { elaboration, verilate, type RtlBuild } from "./verilate.ts";
import { anyPorts, portsForShim, type AnyPorts } from "./any-ports.ts";
import { describeUnit } from "./describe.ts";
import { unitFields, type UnitFields } from "./fields.ts";
import { shimGenerator } from "./plugin.ts";
import type { UnitDescription } from "./ports.ts";

export type AnyBuild = Pick<
  RtlBuild,
  | "top"
  | "parameters"
  | "sources"
  | "includeDirectories"
  | "drawnContents"
  | "streams"
  | "defines"
  | "assertions"
>;

/** Ports of a top and their position in the words of its plug-in. */
export interface AnyTables {
  readonly ports: AnyPorts;
  readonly fields: UnitFields;
}

/** @throws NeardataError `tool-missing`, `build-failed`, `bad-input` where ports cannot be driven */
export async function tablesOf(build: AnyBuild): Promise<AnyTables> {
  const ports = anyPorts(await described(build), build.streams);
  return { ports, fields: unitFields(portsForShim(ports)) };
}

/** Path of the plug-in; as `verilate`. */
export async function buildAnyUnit(build: AnyBuild): Promise<string> {
  return verilate({ ...build, harness: [], kind: "sharedObject", plugin: "any" }, jobSlots());
}

async function described(build: AnyBuild): Promise<UnitDescription> {
  const { top } = build;
  const includes = [inRepository("rtl", "include"), ...(build.includeDirectories ?? [])];
  const args = elaboration(
    build,
    includes.map((path) => resolve(path)),
  );
  const files = sourceClosure([...build.sources, ...shimGenerator("any")], includes);
  const version = await verilatorVersion();
  const key = JSON.stringify([top, args, version]).replaceAll(inRepository(), "");
  const name = `${top}-ports-${hashOf(key, files).slice(0, 24)}.json`;
  const descriptionFile = await cached(rtlCacheDirectory(), name, async (work) => {
    const sources = build.sources.map((path) => resolve(path)).filter((path) => !isForeign(path));
    const unit = await describeUnit(top, [...args, ...sources], work);
    rejectParameters(build, unit);
    const file = join(work, "unit.json");
    await writeFile(file, JSON.stringify(unit));
    return file;
  });
  return JSON.parse(await readFile(descriptionFile, "utf8")) as UnitDescription;
}

/** @throws NeardataError `bad-input` with each parameter whose value Verilator would make another one of */
function rejectParameters({ top, parameters }: AnyBuild, { kinds = {} }: UnitDescription): void {
  const issues = Object.entries(parameters).flatMap(([name, value]): readonly Issue[] => {
    const where = `${top}: parameters.${name}`;
    const kind = kinds[name] ?? "other";
    if (kind === "whole" && typeof value === "number" && !Number.isSafeInteger(value)) {
      return [
        { where, message: `${String(value)} is not a whole number, and the parameter is one.` },
      ];
    }
    if (kind === "string" && typeof value === "number") {
      return [{ where, message: `${String(value)} is not a string, and the parameter is one.` }];
    }
    if (kind === "real" && typeof value === "string") {
      return [
        { where, message: `${formatValue(value)} is not a number, and the parameter is one.` },
      ];
    }
    return [];
  });
  if (issues.length > 0) throw new NeardataError("bad-input", issues);
}
