// SPDX-License-Identifier: Apache-2.0
// What the ports of any unit are for that somebody drives from a test: streams by their names, and every
// other port by itself. Looser than the rule for units of machines (streams.ts): names need no suffix, a
// stream may lack ready, and what belongs to no stream is a port to be set or looked at.

import { NeardataError, type Issue } from "../../errors.ts";
import { didYouMean } from "../../nearest.ts";
import { bitsOf, unpackedPart, type Port, type UnitDescription } from "./ports.ts";
import { clock, reset, type Stream, type UnitPorts } from "./streams.ts";

export interface AnyPorts {
  readonly top: string;
  readonly parameters: UnitDescription["parameters"];
  readonly streams: readonly Stream[];
  /** Inputs and outputs of no stream. */
  readonly inputs: readonly Port[];
  readonly outputs: readonly Port[];
}

/** @throws NeardataError `bad-input` with a sentence for each port that cannot be driven. */
export function anyPorts(unit: UnitDescription): AnyPorts {
  const { top, parameters } = unit;
  const issues = [...missingClock(unit), ...unit.ports.flatMap((port) => unsound(top, port))];
  if (issues.length > 0) throw new NeardataError("bad-input", issues);
  const ports = unit.ports.filter(({ name }) => name !== clock && name !== reset);
  const heads = ports.flatMap((port) => headOf(port, ports));
  const used = new Set(heads.flatMap(({ valid, ready }) => [valid, ...(ready ? [ready] : [])]));
  const rest = ports.filter((port) => !used.has(port));
  const owners = new Map(rest.map((port) => [port, ownerOf(port, heads)]));
  const streams = heads.map((head): Stream => {
    const payload = rest.filter((port) => owners.get(port) === head);
    return { ...head, payload };
  });
  const alone = rest.filter((port) => owners.get(port) === undefined);
  return {
    ...{ top, parameters, streams },
    inputs: alone.filter(({ direction }) => direction === "input"),
    outputs: alone.filter(({ direction }) => direction === "output"),
  };
}

/** The same as what tables and shims are made of: a port by itself is a field that is always there. */
export function portsForShim(unit: AnyPorts): UnitPorts {
  const set = unit.inputs.map((port): Stream => ({
    ...{ name: port.name, direction: "input", lanes: 1, valid: port, payload: [] },
  }));
  const { top, parameters } = unit;
  return { top, parameters, streams: [...unit.streams, ...set], strobes: unit.outputs };
}

const stemOf = ({ name }: Port): string => name.replace(/_[io]$/, "");

function missingClock({ top, ports }: UnitDescription): readonly Issue[] {
  const names = ports.map(({ name }) => name);
  return [clock, reset].flatMap((name) => {
    const port = ports.find((one) => one.name === name);
    if (port?.direction === "input" && bitsOf(port.type) === 1) return [];
    const what = name === clock ? "clock" : "reset (active low, synchronous)";
    const message = `the unit has no input ${name} of one bit, its ${what}.${didYouMean(name, names)}`;
    return [{ where: top, message }];
  });
}

function unsound(top: string, { name, direction, type }: Port): readonly Issue[] {
  const where = `${top}.${name}`;
  const other = unpackedPart(type);
  if (direction === "inout")
    return [{ where, message: "a port of both directions is not driven." }];
  if (name.includes("__")) return [{ where, message: "names of ports have single underscores." }];
  if (other === undefined) return [];
  return [
    {
      where,
      message: `${other} is no packed type: ports are vectors, structures and arrays of bits.`,
    },
  ];
}

type Head = Omit<Stream, "payload">;

/** The stream that begins at a valid; nothing at any other port. */
function headOf(port: Port, all: readonly Port[]): readonly Head[] {
  const stem = stemOf(port);
  if (!stem.endsWith("_valid")) return [];
  const name = stem.slice(0, -"_valid".length);
  const direction = port.direction === "output" ? "output" : "input";
  const lanes = bitsOf(port.type);
  const ready = all.find(
    (one) => stemOf(one) === `${name}_ready` && one.direction !== port.direction,
  );
  const fits = ready === undefined || bitsOf(ready.type) === lanes;
  if (name === "" || lanes > 32 || !fits) return [];
  const head = { name, direction, lanes, valid: port } as const;
  return [ready === undefined ? head : { ...head, ready }];
}

/** The stream with the longest name that begins the port's, and whose lanes it has. */
function ownerOf(port: Port, heads: readonly Head[]): Head | undefined {
  const stem = stemOf(port);
  return heads
    .filter(({ name, valid, lanes }) => {
      if (valid.direction !== port.direction || !`${stem}_`.startsWith(`${name}_`)) return false;
      if (lanes === 1) return true;
      if (port.type.kind === "array") return port.type.count === lanes;
      return port.type.kind === "bits" && bitsOf(port.type) % lanes === 0;
    })
    .sort((a, b) => b.name.length - a.name.length)[0];
}
