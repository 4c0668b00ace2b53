// SPDX-License-Identifier: Apache-2.0
// The roles of the ports of any unit under test: streams by their names, and every other port separately; streams with
// other names may be declared. The rule is less strict than the rule for units of machines (streams.ts): names need no
// suffix, a stream may lack ready, and a port outside of a stream can be written or read.

import { NeardataError, type Issue } from "../../base/errors.ts";
import { didYouMean } from "../../base/nearest.ts";
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

/** Streams by name, with the names of ports that do not follow from the name of the stream. */
export type DescribedStreams = Readonly<
  Record<
    string,
    { readonly valid?: string; readonly ready?: string; readonly payload?: readonly string[] }
  >
>;

/** @throws NeardataError `bad-input` with a sentence for each port that cannot be driven. */
export function anyPorts(unit: UnitDescription, described: DescribedStreams = {}): AnyPorts {
  const { top, parameters } = unit;
  const issues = [...missingClock(unit), ...unit.ports.flatMap((port) => unsound(top, port))];
  if (issues.length > 0) throw new NeardataError("bad-input", issues);
  const ports = unit.ports.filter(({ name }) => name !== clock && name !== reset);
  const describedOnes = describedHeads(top, described, ports);
  const taken = new Set(describedOnes.flatMap(({ valid, ready }) => [valid, ready]));
  const heads = [
    ...describedOnes,
    ...ports
      .filter((port) => !taken.has(port))
      .flatMap((port) => headOf(port, ports))
      .filter(({ name }) => !Object.hasOwn(described, name)),
  ];
  const used = new Set(heads.flatMap(({ valid, ready }) => [valid, ...(ready ? [ready] : [])]));
  const rest = ports.filter((port) => !used.has(port));
  const describedOwners = describedPayload(top, described, describedOnes, rest);
  const owners = new Map(
    rest.map((port) => [port, describedOwners.get(port) ?? ownerOf(port, heads)]),
  );
  const streams = heads.map((head): Stream => {
    const payload = rest.filter((port) => owners.get(port) === head);
    return { ...head, payload };
  });
  const alone = rest.filter((port) => owners.get(port) === undefined);
  return {
    top,
    parameters,
    streams,
    inputs: alone.filter(({ direction }) => direction === "input"),
    outputs: alone.filter(({ direction }) => direction === "output"),
  };
}

/**
 * The ports in the form that tables and shims use: a port without a stream is a field that is
 * always valid.
 */
export function portsForShim(unit: AnyPorts): UnitPorts {
  const set = unit.inputs.map((port): Stream => ({
    name: port.name,
    direction: "input",
    lanes: 1,
    valid: port,
    payload: [],
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
  if (other === undefined) return [];
  return [
    {
      where,
      message: `${other} is not a type of a port: ports are vectors, packed structures and arrays of them.`,
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

const named = (port: Port, name: string): boolean => port.name === name || stemOf(port) === name;

/** The described streams, by their valid. */
function describedHeads(
  top: string,
  described: DescribedStreams,
  ports: readonly Port[],
): readonly Head[] {
  const issues: Issue[] = [];
  const heads = Object.entries(described).flatMap(([name, { valid, ready }]): readonly Head[] => {
    const where = `${top}: streams.${name}`;
    const find = (port: string): Port | undefined => {
      const match = ports.find((one) => named(one, port));
      const hint = (): string =>
        didYouMean(
          port,
          ports.map((one) => one.name),
        );
      if (match === undefined)
        issues.push({ where, message: `there is no port ${port}.${hint()}` });
      return match;
    };
    const head = find(valid ?? `${name}_valid`);
    const natural = ports.find((one) => named(one, `${name}_ready`));
    const back = ready === undefined ? natural : find(ready);
    if (head === undefined) return [];
    const direction = head.direction === "output" ? "output" : "input";
    const lanes = bitsOf(head.type);
    if (back !== undefined && (back.direction === direction || bitsOf(back.type) !== lanes)) {
      issues.push({ where, message: `${back.name} is no ready of ${head.name}.` });
    }
    if (lanes > 32) issues.push({ where, message: `${head.name} has more than 32 bits.` });
    const all = { name, direction, lanes, valid: head } as const;
    return [back === undefined ? all : { ...all, ready: back }];
  });
  if (issues.length > 0) throw new NeardataError("bad-input", issues);
  return heads;
}

/** The described stream of each port of a payload. */
function describedPayload(
  top: string,
  described: DescribedStreams,
  heads: readonly Head[],
  rest: readonly Port[],
): ReadonlyMap<Port, Head> {
  const owners = new Map<Port, Head>();
  const issues: Issue[] = [];
  for (const head of heads) {
    for (const name of described[head.name]?.payload ?? []) {
      const where = `${top}: streams.${head.name}`;
      const port = rest.find((one) => named(one, name));
      const names = rest.map((one) => one.name);
      if (port === undefined) {
        issues.push({ where, message: `there is no port ${name}.${didYouMean(name, names)}` });
      } else if (port.direction !== head.direction) {
        issues.push({
          where,
          message: `${port.name} has another direction than ${head.valid.name}.`,
        });
      } else if (owners.has(port)) {
        issues.push({ where, message: `${port.name} goes with another stream already.` });
      } else if (head.lanes > 1) {
        issues.push({
          where,
          message: `${head.valid.name} has lanes: their parts go by their names.`,
        });
      } else {
        owners.set(port, head);
      }
    }
  }
  if (issues.length > 0) throw new NeardataError("bad-input", issues);
  return owners;
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
