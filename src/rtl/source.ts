// SPDX-License-Identifier: Apache-2.0
// The files of a unit that is driven from TypeScript.

import { existsSync, readdirSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

import { inputError, NeardataError, type Issue } from "../errors.ts";
import { inRepository } from "../native/paths.ts";
import { ownPath, rtlFilesBelow, rtlSources, unknownUses } from "../native/compile/rtl-sources.ts";
import type { AnyBuild } from "../native/unit/any-unit.ts";
import type { UnitSource } from "./types.ts";

/** @throws NeardataError `bad-input` with every file and folder that is not there */
export function buildOf(source: UnitSource): AnyBuild {
  const { top, sources = [], includes = [], rtl, parameters = {} } = source;
  const uses = (source.uses ?? []).map(ownPath);
  if (!/^[A-Za-z_]\w*$/.test(top)) throw inputError("top", `"${top}" is no name of a module.`);
  const from = folderOf(source.from);
  const places = sources.map((path) => resolve(from, path));
  const over = rtl === undefined ? undefined : resolve(from, rtl);
  const folders = [...places.filter(isFolder), ...(over === undefined ? [] : [over])];
  const issues = [
    ...missing("sources", places),
    ...(over === undefined ? [] : missing("rtl", [over])),
    ...missing(
      "includes",
      includes.map((path) => resolve(from, path)),
    ),
    ...unknownUses(uses),
    ...(sources.length + uses.length === 0 && rtl === undefined
      ? [{ where: "sources", message: "a unit is made of sources, of uses or of rtl." }]
      : []),
  ];
  if (issues.length > 0) throw new NeardataError("bad-input", issues);
  const own = [...places, ...(over === undefined ? [] : [over])].flatMap(filesAt);
  const known = over !== undefined && uses.length === 0 ? ownFolders() : uses;
  const isFile = (name: string): boolean => name.endsWith(".sv");
  return {
    top,
    ...(source.streams === undefined ? {} : { streams: source.streams }),
    ...(source.defines === undefined ? {} : { defines: source.defines }),
    parameters: definedOf(parameters),
    sources: rtlSources(
      known.filter((name) => !isFile(name)),
      known.filter(isFile),
      own,
    ),
    includeDirectories: [...includes.map((path) => resolve(from, path)), ...folders],
  };
}

function definedOf(
  parameters: Readonly<Record<string, number | undefined>>,
): Readonly<Record<string, number>> {
  return Object.fromEntries(
    Object.entries(parameters).flatMap(([name, value]) => {
      if (value === undefined) return [];
      if (Number.isSafeInteger(value)) return [[name, value] as const];
      throw inputError(`parameters.${name}`, `${String(value)} is no whole number.`);
    }),
  );
}

/** A folder, or that of a module by its URL. */
function folderOf(from: string | undefined): string {
  if (from === undefined) return resolve(".");
  return from.startsWith("file:") ? dirname(fileURLToPath(from)) : resolve(from);
}

const isFolder = (path: string): boolean =>
  statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;

function missing(where: string, paths: readonly string[]): readonly Issue[] {
  return paths
    .filter((path) => !existsSync(path))
    .map((path) => ({ where, message: `there is no ${path}.` }));
}

/** Folders of neardata's RTL with modules; a folder stands for all below it. */
function ownFolders(): readonly string[] {
  return readdirSync(inRepository("rtl")).filter((name) => rtlFilesBelow(name).length > 0);
}

/** A file, or all SystemVerilog and waivers of a folder, packages first. */
function filesAt(path: string): readonly string[] {
  if (!isFolder(path)) return [path];
  return readdirSync(path)
    .filter((name) => /\.(?:sv|v|vlt)$/.test(name))
    .sort()
    .map((name) => join(path, name));
}
