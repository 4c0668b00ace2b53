// SPDX-License-Identifier: Apache-2.0
// Assigns the ports of a unit to clock, reset, streams and strobes by their names (rule:
// docs/reference/unit-description.md). One error lists every port that breaks the rule.

import { NeardataError, type Issue } from "../../base/errors.ts";
import { didYouMean } from "../../base/nearest.ts";
import { bitsOf, isUnpacked, unpackedPart, type Port, type UnitDescription } from "./ports.ts";

/** Bits of `valid` are lanes: as many streams of one name, each with its part of every payload. */
export interface Stream {
  readonly name: string;
  /** From the point of view of the unit. */
  readonly direction: "input" | "output";
  readonly lanes: number;
  readonly valid: Port;
  /** Absent for observation streams (seen_*), which have no back-pressure. */
  readonly ready?: Port;
  readonly payload: readonly Port[];
}

export interface UnitPorts {
  readonly top: string;
  readonly parameters: UnitDescription["parameters"];
  readonly streams: readonly Stream[];
  /** Outputs that are not streams: quiet_o and events_o, if the unit has them. */
  readonly strobes: readonly Port[];
}

export const clock = "clk_i";
export const reset = "rst_ni";
/** The only stream that needs no payload: the end of a descriptor. */
const bareStream = "done";
/** Prefix of observation streams. */
const shown = "seen_";
const maxLanes = 32;
const maxEvents = 128;

/** @throws NeardataError `bad-input` with a sentence for each port that breaks the rule. */
export function unitPorts(unit: UnitDescription): UnitPorts {
  const issues: Issue[] = [];
  const wrong = (port: string, message: string): void => {
    issues.push({ where: `${unit.top}.${port}`, message });
  };
  checkClock(unit.ports, wrong);
  const ports = unit.ports.filter((port) => isSound(port, wrong));
  const all = new Map(ports.map((port) => [port.name, port]));
  const named = ports.filter(({ name }) => name !== clock && name !== reset && !isClock(name));
  const heads = named.flatMap((port) => headOf(port, all, wrong));
  const strobes = named.filter(isStrobe);
  for (const port of strobes) checkStrobe(port, wrong);
  const rest = named.filter((port) => !isStrobe(port) && handshake(port.name) === undefined);
  const owners = new Map(rest.map((port) => [port, ownerOf(port, named)]));
  for (const [port, owner] of owners) {
    if (owner === undefined) wrong(port.name, homeless(port, named));
  }
  const streams = heads.map((head): Stream => {
    const payload = rest.filter((port) => owners.get(port) === head.name);
    for (const port of payload) checkLanes(port, head, wrong);
    if (payload.length === 0 && head.name !== bareStream) {
      const like = `${head.name}_${suffixOf(head.direction)} or ${head.name}_*_${suffixOf(head.direction)}`;
      wrong(head.valid.name, `nothing comes with it: a stream has a payload, ${like}.`);
    }
    return { ...head, payload };
  });
  if (issues.length > 0) throw new NeardataError("bad-input", issues);
  return { top: unit.top, parameters: unit.parameters, streams, strobes };
}

type Wrong = (port: string, message: string) => void;

const suffixOf = (direction: "input" | "output"): string => (direction === "input" ? "i" : "o");
const stemOf = ({ name }: Port): string => name.replace(/_[io]$/, "");
const isClock = (name: string): boolean => /^clk(_|$)/.test(name) && name !== clock;

function checkClock(ports: readonly Port[], wrong: Wrong): void {
  const names = ports.map((port) => port.name);
  for (const [name, what] of [
    [clock, "clock"],
    [reset, "reset"],
  ] as const) {
    const port = ports.find((one) => one.name === name);
    if (port === undefined) {
      wrong(name, `the unit has no ${what}.${didYouMean(name, names)}`);
    } else if (port.direction !== "input" || bitsOf(port.type) !== 1) {
      wrong(name, `the ${what} is an input of one bit.`);
    }
  }
  for (const name of names.filter(isClock)) {
    wrong(name, `a second clock beside ${clock}: a unit has one.`);
  }
}

/** Whether a port can be looked at further. */
function isSound(port: Port, wrong: Wrong): boolean {
  const { name, direction, type } = port;
  if (direction === "inout") {
    wrong(name, "a port of both directions: a unit has inputs and outputs.");
    return false;
  }
  const other = isUnpacked(type) ? "an unpacked array" : unpackedPart(type);
  if (other !== undefined) {
    wrong(name, `${other} is no packed type: ports are vectors, structures and arrays of bits.`);
    return false;
  }
  if (name === reset) return true;
  if (name.includes("__") || !new RegExp(`^[a-z].*_${suffixOf(direction)}$`, "i").test(name)) {
    const letter = suffixOf(direction);
    wrong(name, `names of ${direction}s end in _${letter} and have single underscores.`);
    return false;
  }
  return true;
}

/** The stream whose valid or ready a name is. */
function handshake(name: string): readonly [stream: string, half: "valid" | "ready"] | undefined {
  const match = /^(.+)_(valid|ready)_[io]$/.exec(name);
  if (match === null) return undefined;
  return [match[1] ?? "", match[2] === "valid" ? "valid" : "ready"];
}

type Head = Omit<Stream, "payload">;

/** The stream of a valid; nothing for any other port, and for an invalid one. */
function headOf(port: Port, all: ReadonlyMap<string, Port>, wrong: Wrong): readonly Head[] {
  const role = handshake(port.name);
  if (role === undefined) return [];
  const [name, half] = role;
  const direction = port.direction === "output" ? "output" : "input";
  const lanes = bitsOf(port.type);
  if (half === "valid" && lanes > maxLanes) {
    wrong(port.name, `${String(lanes)} lanes: a stream has ${String(maxLanes)} at most.`);
    return [];
  }
  if (name.startsWith(shown)) {
    if (half === "valid" && direction === "output")
      return [{ name, direction, lanes, valid: port }];
    wrong(port.name, `streams named ${shown}* only show: they go out, and have no ready.`);
    return [];
  }
  const across = direction === "input" ? "o" : "i";
  const partnerName = `${name}_${half === "valid" ? "ready" : "valid"}_${across}`;
  const partner = all.get(partnerName);
  if (partner === undefined) {
    const hint = didYouMean(
      partnerName,
      [...all.keys()].filter((other) => handshake(other) === undefined),
    );
    wrong(port.name, `there is no ${partnerName}: a stream has valid and ready.${hint}`);
    return [];
  }
  if (half === "ready") return [];
  if (bitsOf(partner.type) !== lanes) {
    const widths = `${String(lanes)} bits and ${partnerName} ${String(bitsOf(partner.type))}`;
    wrong(port.name, `it has ${widths}: each lane has both.`);
    return [];
  }
  return [{ name, direction, lanes, valid: port, ready: partner }];
}

function isStrobe({ name, direction }: Port): boolean {
  return direction === "output" && /^(quiet|events)_o$/.test(name);
}

function checkStrobe(port: Port, wrong: Wrong): void {
  const bits = bitsOf(port.type);
  if (port.name === "quiet_o" && bits !== 1) wrong(port.name, "it is one bit.");
  if (port.name === "events_o" && bits > maxEvents) {
    wrong(port.name, `${String(bits)} events: a unit has ${String(maxEvents)} at most.`);
  }
}

/** The stream whose payload a port is: the one with the longest name that begins the port's. */
function ownerOf(port: Port, named: readonly Port[]): string | undefined {
  const stem = stemOf(port);
  return named
    .flatMap((other) => {
      const [stream, half] = handshake(other.name) ?? [];
      const fits = half === "valid" && other.direction === port.direction;
      return fits && stream !== undefined && `${stem}_`.startsWith(`${stream}_`) ? [stream] : [];
    })
    .sort((a, b) => b.length - a.length)[0];
}

function homeless(port: Port, named: readonly Port[]): string {
  const turned = named.some((other) => {
    const [stream, half] = handshake(other.name) ?? [];
    return half === "valid" && `${stemOf(port)}_`.startsWith(`${String(stream)}_`);
  });
  if (turned) return "its direction is not that of the valid of its stream.";
  const stems = named.flatMap((other) => handshake(other.name)?.[0] ?? []);
  const known = port.direction === "output" ? "quiet_o or events_o" : `${clock} or ${reset}`;
  const hint = didYouMean(stemOf(port), new Set(stems));
  return `it belongs to no stream and is not ${known}.${hint}`;
}

function checkLanes(port: Port, head: Head, wrong: Wrong): void {
  const { lanes } = head;
  if (lanes === 1) return;
  const parts = port.type.kind === "array" ? port.type.count : bitsOf(port.type) / lanes;
  const fits = port.type.kind === "array" ? parts === lanes : Number.isInteger(parts);
  if (fits && port.type.kind !== "struct") return;
  const what =
    port.type.kind === "array"
      ? `${String(port.type.count)} elements`
      : `${String(bitsOf(port.type))} bits`;
  wrong(port.name, `${what} are not one part for each of ${String(lanes)} lanes.`);
}
