// SPDX-License-Identifier: Apache-2.0
// Declarations of the RTL: parameters and ports of a module; constants, functions and packed structures
// of a package.

import { readFileSync } from "node:fs";
import { relative } from "node:path";

import { inRepository } from "../../src/base/paths.ts";
import { rtlFilesBelow } from "../../src/native/compile/rtl-sources.ts";
import { namesIn, valueOf, type Scope } from "./expression.ts";

/** A parameter or a constant. */
export interface Constant {
  readonly name: string;
  readonly expression: string;
}

export interface Port {
  readonly name: string;
  readonly direction: "input" | "output";
  /** An expression of parameters and constants. */
  readonly bits: string;
  /** `package::type_t` of a packed structure. */
  readonly structure: string | null;
}

export interface Module {
  readonly name: string;
  /** Relative to the repository. */
  readonly file: string;
  readonly parameters: readonly Constant[];
  /** Constants in the list of parameters that follow from the parameters. */
  readonly derived: readonly Constant[];
  readonly ports: readonly Port[];
}

/** A field of a packed structure; bits are counted from the structure's lowest. */
export interface StructureField {
  readonly name: string;
  readonly high: number;
  readonly low: number;
}

interface Package {
  readonly constants: ReadonlyMap<string, string>;
  readonly functions: ReadonlyMap<
    string,
    { readonly names: readonly string[]; readonly body: string }
  >;
  readonly structures: ReadonlyMap<string, string>;
}

const packages = new Map<string, Package>();

function pathOf(name: string): string {
  const path = rtlFilesBelow(".").find((file) => file.endsWith(`/${name}.sv`));
  if (path === undefined) throw new Error(`rtl has no file of ${name}`);
  return path;
}

function textOf(path: string): string {
  return readFileSync(path, "utf8").replaceAll(/\/\/.*|^ *`(?:ifdef|endif).*/gm, "");
}

/** Parameters and ports of a module, in the order of its file. */
export function readModule(name: string): Module {
  const path = pathOf(name);
  const header = /\bmodule\s+\w+\s*(?:#\s*\(([\s\S]*?)\n\))?\s*\(([\s\S]*?)\n\);/.exec(
    textOf(path),
  );
  if (header === null) throw new Error(`${name} has no list of ports`);
  const [, parameters = "", ports = ""] = header;
  const kind = (word: string): readonly Constant[] =>
    [...parameters.matchAll(new RegExp(`\\b${word}\\s+[\\w ]*?(\\w+)\\s*=\\s*([^\\n]*)`, "g"))].map(
      ([, constant = "", expression = ""]) => ({
        name: constant,
        expression: expression.trim().replace(/,$/, ""),
      }),
    );
  return {
    name,
    file: relative(inRepository(), path),
    parameters: kind("parameter"),
    derived: kind("localparam"),
    ports: ports
      .split(",")
      .map((line) => line.trim())
      .map((line): Port => {
        const match = /^(input|output)\s+(?:logic\s*(?:\[(.*):0\])?|(\w+::\w+))\s*(\w+)$/.exec(
          line,
        );
        if (match === null) throw new Error(`${name}: no port in "${line}"`);
        const [, direction, high, structure, port = ""] = match;
        return {
          name: port,
          direction: direction === "input" ? "input" : "output",
          bits: structure === undefined ? widthFrom(high) : String(sizeOf(structure)),
          structure: structure ?? null,
        };
      }),
  };
}

/** Bits of `[high:0]`. */
function widthFrom(high: string | undefined): string {
  if (high === undefined) return "1";
  return high.endsWith("-1")
    ? high.slice(0, -2)
    : /^\d+$/.test(high)
      ? String(Number(high) + 1)
      : `${high}+1`;
}

/** Constants of a package whose names begin so, with their values, in the order of its file. */
export function constantsOf(name: string, prefix: string): ReadonlyMap<string, number> {
  const { constants } = packageOf(name);
  const scope = scopeOf(name);
  return new Map(
    [...constants.keys()]
      .filter((constant) => constant.startsWith(prefix))
      .map((constant) => [constant, valueOf(constants.get(constant) ?? "", scope)]),
  );
}

/** The fields of `package::type_t`, the highest first. */
export function fieldsOf(structure: string): readonly StructureField[] {
  const [name = "", type = ""] = structure.split("::");
  const text = packageOf(name).structures.get(type);
  if (text === undefined) throw new Error(`there is no structure ${structure}`);
  const scope = scopeOf(name);
  const sizes = [...text.matchAll(/logic\s*(?:\[([^\]]*):0\])?\s*(\w+)\s*;/g)].map(
    ([, high, field = ""]) => ({ field, bits: valueOf(widthFrom(high), scope) }),
  );
  let above = sizes.reduce((sum, { bits }) => sum + bits, 0);
  return sizes.map(({ field, bits }) => {
    above -= bits;
    return { name: field, high: above + bits - 1, low: above };
  });
}

/** Bits of `package::type_t`. */
function sizeOf(structure: string): number {
  return (fieldsOf(structure)[0]?.high ?? -1) + 1;
}

/** Names as the file of a module or package sees them, its parameters with these values. */
export function scopeOf(
  name: string,
  module?: Module,
  values: Readonly<Record<string, number>> = {},
): Scope {
  const own = new Map<string, string>(
    module === undefined
      ? packageOf(name).constants
      : [...module.parameters, ...module.derived].map((one) => [one.name, one.expression]),
  );
  const constant = (word: string): number | undefined => {
    if (word in values) return values[word];
    const [outer = "", inner] = word.split("::");
    if (inner !== undefined) return scopeOf(outer).constant(inner);
    const expression = own.get(word);
    return expression === undefined ? undefined : valueOf(expression, { constant, call });
  };
  const call = (word: string, given: readonly number[]): number | undefined => {
    const [outer = "", inner] = word.split("::");
    if (inner !== undefined) return scopeOf(outer).call(inner, given);
    const found = module === undefined ? packageOf(name).functions.get(word) : undefined;
    if (found === undefined) return undefined;
    const named = new Map(found.names.map((argument, i) => [argument, given[i] ?? 0]));
    return valueOf(found.body, {
      constant: (inside) => named.get(inside) ?? constant(inside),
      call,
    });
  };
  return { constant, call };
}

/** Whether an expression has the same value whatever the parameters of the module are. */
export function isFixed(expression: string, module: Module): boolean {
  return namesIn(expression).every((name) => {
    if (module.parameters.some((one) => one.name === name)) return false;
    const derived = module.derived.find((one) => one.name === name);
    return derived === undefined || isFixed(derived.expression, module);
  });
}

function packageOf(name: string): Package {
  const known = packages.get(name);
  if (known !== undefined) return known;
  const text = textOf(pathOf(name));
  const read: Package = {
    constants: new Map(
      [
        ...text.matchAll(/\blocalparam\s+(?:[\w ]+?|logic\s*\[[^\]]*\])\s*(\w+)\s*=\s*([^;]*);/g),
      ].map(([, constant = "", expression = ""]) => [constant, expression.trim()]),
    ),
    functions: new Map(
      [
        ...text.matchAll(
          /function automatic int unsigned (\w+)\(([^)]*)\);\s*\1 = ([^;]*);\s*endfunction/g,
        ),
      ].map(([, called = "", list = "", body = ""]) => [
        called,
        { names: [...list.matchAll(/(\w+)\s*(?:,|$)/g)].map(([, one = ""]) => one), body },
      ]),
    ),
    structures: new Map(
      [...text.matchAll(/typedef struct packed \{([\s\S]*?)\}\s*(\w+);/g)].map(
        ([, body = "", type = ""]) => [type, body],
      ),
    ),
  };
  packages.set(name, read);
  return read;
}
