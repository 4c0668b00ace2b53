// SPDX-License-Identifier: Apache-2.0
// Reads the ports of a top from `verilator --xml-only`, which releases up to 5.044 have.

import { Parser } from "htmlparser2";

import { present } from "../../base/present.ts";
import { arrayOf, constant, portNamed, unpackedArray } from "./ports.ts";
import type { Member, ParameterKind, Port, PortType, UnitDescription } from "./ports.ts";

/** An element of the type table. */
interface TypeNode {
  readonly tag: string;
  readonly attributes: Readonly<Record<string, string>>;
  /** Constants of its range, left and right. */
  readonly range: number[];
  readonly members: { readonly name: string; readonly type: string }[];
}

interface Variable {
  readonly attributes: Readonly<Record<string, string>>;
  value?: string;
}

/** The ports and parameters of `top` in a whole document; undefined if it has no such module. */
export function readXml(text: string, top: string): UnitDescription | undefined {
  const types = new Map<string, TypeNode>();
  const variables: Variable[] = [];
  const path: string[] = [];
  let inside = false; // the module
  const names: string[] = [];
  let variable: Variable | undefined;
  let type: TypeNode | undefined;

  const inTable = (): boolean => path.at(-1) === "typetable";
  const parser = new Parser(
    {
      onopentag: (tag, attributes) => {
        const { name = "", origName = "", id = "" } = attributes;
        if (tag === "module" && origName === top) {
          inside = true;
          names.push(top);
        } else if (inside && tag === "var" && path.at(-1) === "module") {
          variable = { attributes };
          variables.push(variable);
        } else if (tag === "const") {
          if (variable !== undefined && path.at(-1) === "var") variable.value = name;
          if (type !== undefined && path.at(-1) === "range") type.range.push(constant(name) ?? 0);
        } else if (inTable()) {
          type = { tag, attributes, range: [], members: [] };
          types.set(id, type);
        } else if (tag === "memberdtype" && type !== undefined) {
          type.members.push({ name, type: attributes["sub_dtype_id"] ?? "" });
        }
        path.push(tag);
      },
      onclosetag: (tag) => {
        path.pop();
        if (tag === "module") inside = false;
        if (tag === "var") variable = undefined;
        if (inTable()) type = undefined;
      },
    },
    { xmlMode: true, decodeEntities: true },
  );
  parser.end(text);
  if (names.length === 0) return undefined;
  return {
    top,
    parameters: Object.fromEntries(variables.flatMap((one) => parameterOf(one, types))),
    kinds: Object.fromEntries(variables.flatMap((one) => kindOf(one, types))),
    ports: variables.flatMap((one) => portOf(one, types)),
  };
}

function parameterOf(
  { attributes, value = "" }: Variable,
  types: ReadonlyMap<string, TypeNode>,
): readonly (readonly [string, number])[] {
  if (attributes["param"] !== "true") return [];
  const type = types.get(attributes["dtype_id"] ?? "");
  const number = constant(value, type?.attributes["signed"] === "true");
  return number === undefined ? [] : [[attributes["origName"] ?? "", number]];
}

function kindOf(
  { attributes }: Variable,
  types: ReadonlyMap<string, TypeNode>,
): readonly (readonly [string, ParameterKind])[] {
  if (attributes["param"] !== "true") return [];
  const name = types.get(attributes["dtype_id"] ?? "")?.attributes["name"] ?? "";
  return [[attributes["origName"] ?? "", parameterKind(name)]];
}

/** By the keyword of its type. */
export function parameterKind(keyword: string): ParameterKind {
  if (bitTypes.has(keyword)) return "whole";
  if (keyword === "real" || keyword === "double") return "real";
  return keyword === "string" ? "string" : "other";
}

function portOf({ attributes }: Variable, types: ReadonlyMap<string, TypeNode>): readonly Port[] {
  const { dir, origName = "", dtype_id: type = "" } = attributes;
  if (dir !== "input" && dir !== "output" && dir !== "inout") return [];
  return [portNamed(origName, dir, typeOf(type, types))];
}

function typeOf(id: string, types: ReadonlyMap<string, TypeNode>): PortType {
  const node = types.get(id);
  if (node === undefined) return { kind: "other", what: "a type that Verilator does not describe" };
  const { tag, attributes, range, members } = node;
  const below = (): PortType => typeOf(attributes["sub_dtype_id"] ?? "", types);
  switch (tag) {
    case "basicdtype":
      return basicType(attributes);
    case "refdtype":
    case "enumdtype":
      return below();
    case "packarraydtype":
      return arrayOf(present(range[0]), present(range[1]), below());
    case "structdtype":
      return {
        kind: "struct",
        members: members.map((m): Member => ({ name: m.name, type: typeOf(m.type, types) })),
      };
    case "uniondtype":
      return typeOf(members[0]?.type ?? "", types);
    case "unpackarraydtype":
      return unpackedArray(present(range[0]), present(range[1]), below());
    default:
      return { kind: "other", what: `a ${tag.replace(/dtype$/, "")}` };
  }
}

/** A vector; a bit by itself has no sign. */
export function bitsType(bits: number, signed: boolean): PortType {
  return signed && bits > 1 ? { kind: "bits", bits, signed } : { kind: "bits", bits };
}

/** Types of bits; of others the name. */
export const bitTypes: ReadonlySet<string> = new Set(
  ["logic", "bit", "int", "integer", "byte", "shortint", "longint"].concat("time"),
);

function basicType({ name = "", left, right, signed }: Readonly<Record<string, string>>): PortType {
  if (!bitTypes.has(name)) return { kind: "other", what: `a ${name}` };
  const bits =
    left === undefined || right === undefined ? 1 : Math.abs(Number(left) - Number(right)) + 1;
  return bitsType(bits, signed === "true");
}
