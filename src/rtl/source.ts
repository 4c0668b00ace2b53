// SPDX-License-Identifier: Apache-2.0
// The files of a unit that is driven from TypeScript.

import { existsSync, readdirSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

import { defined } from "../base/defined.ts";
import { inputError, NeardataError, type Issue } from "../base/errors.ts";
import { isForeign } from "../native/compile/foreign-sources.ts";
import { inRepository } from "../base/paths.ts";
import { rtlPath, rtlFilesBelow, rtlSources, unknownUses } from "../native/compile/rtl-sources.ts";
import type { AnyBuild } from "../native/unit/any-unit.ts";
import { formatValue } from "../base/format-value.ts";
import type { UnitSource } from "./types.ts";

/** @throws NeardataError `bad-input` with every file and folder that is not there */
export function buildOf(source: UnitSource): AnyBuild {
  const { top, includes = [], rtl, parameters = {}, defines = [] } = source;
  const uses = (source.uses ?? []).filter((name) => !isForeign(name)).map(rtlPath);
  const sources = [...(source.sources ?? []), ...(source.uses ?? []).filter(isForeign)];
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
    ...strangeDefines(defines),
    ...(sources.length + uses.length === 0 && rtl === undefined
      ? [{ where: "sources", message: "a unit is made of sources, of uses or of rtl." }]
      : []),
  ];
  if (issues.length > 0) throw new NeardataError("bad-input", issues);
  const files = [...places, ...(over === undefined ? [] : [over])].flatMap(filesAt);
  const known = over !== undefined && uses.length === 0 ? ownFolders() : uses;
  const isFile = (name: string): boolean => name.endsWith(".sv");
  return {
    top,
    ...defined({ streams: source.streams, defines: defines.length === 0 ? undefined : defines }),
    parameters: definedOf(parameters),
    sources: rtlSources(
      known.filter((name) => !isFile(name)),
      known.filter(isFile),
      files,
    ),
    includeDirectories: [...includes.map((path) => resolve(from, path)), ...folders],
  };
}

/**
 * Legal characters of a string parameter: Verilator's command line loses quotes and backslashes.
 */
const plainString = /^[ !#-[\]-~]*$/;

function definedOf(
  parameters: Readonly<Record<string, number | string | undefined>>,
): Readonly<Record<string, number | string>> {
  const issues: Issue[] = [];
  const all = Object.entries(parameters).flatMap(([name, value]) => {
    if (value === undefined) return [];
    const where = `parameters.${name}`;
    if (!/^[A-Za-z_]\w*$/.test(name)) {
      issues.push({ where, message: "it is not the name of a parameter." });
    } else if (typeof value === "string" && !plainString.test(value)) {
      const message = `${formatValue(value)} has a quote, a backslash or a character that is not ASCII in it.`;
      issues.push({ where, message });
    } else if (typeof value !== "string" && !isNumber(value)) {
      issues.push({ where, message: `${String(value)} is not a number.` });
    }
    return [[name, value] as const];
  });
  if (issues.length > 0) throw new NeardataError("bad-input", issues);
  return Object.fromEntries(all);
}

/** A number that Verilator reads with the same value. */
function isNumber(value: unknown): boolean {
  if (typeof value !== "number" || !Number.isFinite(value)) return false;
  return !Number.isInteger(value) || Number.isSafeInteger(value);
}

/** `NAME` or `NAME=value`; the value is one word of the command line, with any characters. */
function strangeDefines(defines: readonly string[]): readonly Issue[] {
  return defines.flatMap((define, i) => {
    if (/^[A-Za-z_]\w*(?:=[^\u0000-\u001f"\\]*)?$/.test(define)) return [];
    const message = `${formatValue(define)} is not a macro such as NAME or NAME=value, without quotes and backslashes.`;
    return [{ where: `defines[${String(i)}]`, message }];
  });
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

/** Directories of neardata's RTL with modules; a directory includes all below it. */
function ownFolders(): readonly string[] {
  return readdirSync(inRepository("rtl"), { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && rtlFilesBelow(entry.name).length > 0)
    .map(({ name }) => name);
}

/** A file, or all SystemVerilog and waivers of a folder, packages first. */
function filesAt(path: string): readonly string[] {
  if (!isFolder(path)) return [path];
  return readdirSync(path)
    .filter((name) => /\.(?:sv|v|vlt)$/.test(name))
    .sort()
    .map((name) => join(path, name));
}
