// SPDX-License-Identifier: Apache-2.0
// Reads the ports of a top from `verilator --json-only`, which releases from 5.022 on have.

import { z } from "zod";

import { arrayOf, constant, portNamed, unpackedArray } from "./ports.ts";
import type { Member, ParameterKind, Port, PortType, UnitDescription } from "./ports.ts";
import { bitsType, bitTypes, parameterKind } from "./verilator-xml.ts";

const node = z.looseObject({
  type: z.string(),
  name: z.string().default(""),
  addr: z.string().default(""),
});
type Node = z.infer<typeof node>;

const document = z.looseObject({ modulesp: z.array(node), miscsp: z.array(node) });

/** The ports and parameters of `top` in a whole document; undefined if it has no such module. */
export function readJson(text: string, top: string): UnitDescription | undefined {
  const { modulesp, miscsp } = document.parse(JSON.parse(text));
  const module = modulesp.find((one) => one.type === "MODULE" && one["origName"] === top);
  if (module === undefined) return undefined;
  const table = miscsp.find((one) => one.type === "TYPETABLE");
  const types = new Map(children(table, "typesp").map((type) => [type.addr, type]));
  const variables = children(module, "stmtsp").filter((one) => one.type === "VAR");
  return {
    top,
    parameters: Object.fromEntries(variables.flatMap((one) => parameterOf(one, types))),
    kinds: Object.fromEntries(variables.flatMap((one) => kindOf(one, types))),
    ports: variables.flatMap((one) => portOf(one, types)),
  };
}

function children(parent: Node | undefined, key: string): readonly Node[] {
  const list = z.array(node).safeParse(parent?.[key]);
  return list.success ? list.data : [];
}

function text(of: Node, key: string): string {
  const value = of[key];
  return typeof value === "string" ? value : "";
}

function parameterOf(
  variable: Node,
  types: ReadonlyMap<string, Node>,
): readonly (readonly [string, number])[] {
  if (text(variable, "varType") !== "GPARAM") return [];
  const signed = types.get(text(variable, "dtypep"))?.["signed"] === true;
  const value = constant(children(variable, "valuep")[0]?.name ?? "", signed);
  return value === undefined ? [] : [[text(variable, "origName"), value]];
}

function kindOf(
  variable: Node,
  types: ReadonlyMap<string, Node>,
): readonly (readonly [string, ParameterKind])[] {
  if (text(variable, "varType") !== "GPARAM") return [];
  const type = types.get(text(variable, "dtypep"));
  const keyword = type === undefined ? "" : text(type, "keyword");
  return [[text(variable, "origName"), parameterKind(keyword)]];
}

const directions: Readonly<Record<string, Port["direction"]>> = {
  INPUT: "input",
  OUTPUT: "output",
  INOUT: "inout",
};

function portOf(variable: Node, types: ReadonlyMap<string, Node>): readonly Port[] {
  const direction = directions[text(variable, "direction")];
  if (direction === undefined) return [];
  const type = typeOf(text(variable, "dtypep"), types);
  return [portNamed(text(variable, "origName"), direction, type)];
}

function typeOf(address: string, types: ReadonlyMap<string, Node>): PortType {
  const type = types.get(address);
  if (type === undefined) {
    return { kind: "other", what: "a type that Verilator does not describe" };
  }
  const below = (): PortType => typeOf(text(type, "refDTypep"), types);
  switch (type.type) {
    case "BASICDTYPE":
      return basicType(type);
    case "REFDTYPE":
    case "ENUMDTYPE":
      return below();
    case "PACKARRAYDTYPE":
      return packedArray(type, below());
    case "STRUCTDTYPE":
      // Releases that have unpacked structures make classes of them; 5.006 packs all.
      if (type["packed"] === false) return { kind: "other", what: "an unpacked structure" };
      return { kind: "struct", members: membersOf(type, types) };
    case "UNIONDTYPE":
      return membersOf(type, types)[0]?.type ?? { kind: "other", what: "a union of nothing" };
    case "UNPACKARRAYDTYPE": {
      const [left, right] = rangeOf(text(type, "declRange")) ?? [0, 0];
      return unpackedArray(left, right, below());
    }
    default:
      return { kind: "other", what: `a ${type.type.replace(/DTYPE$/, "").toLowerCase()}` };
  }
}

function membersOf(type: Node, types: ReadonlyMap<string, Node>): readonly Member[] {
  return children(type, "membersp").map((member) => ({
    name: member.name,
    type: typeOf(text(member, "refDTypep"), types),
  }));
}

/** `[3:0]`, or undefined. */
function rangeOf(range: string): readonly [left: number, right: number] | undefined {
  const bounds = /^\[?(-?\d+):(-?\d+)\]?$/.exec(range);
  return bounds === null ? undefined : [Number(bounds[1]), Number(bounds[2])];
}

function packedArray(type: Node, element: PortType): PortType {
  const [left, right] = rangeOf(text(type, "declRange")) ?? [0, 0];
  return arrayOf(left, right, element);
}

function basicType(type: Node): PortType {
  const keyword = text(type, "keyword");
  if (!bitTypes.has(keyword)) return { kind: "other", what: `a ${keyword}` };
  const range = rangeOf(text(type, "range"));
  const bits = range === undefined ? 1 : Math.abs(range[0] - range[1]) + 1;
  return bitsType(bits, type["signed"] === true);
}
