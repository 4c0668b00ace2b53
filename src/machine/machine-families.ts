// SPDX-License-Identifier: Apache-2.0
// A machine as people look at it: parts that are alike but for a number in their names are one, with how
// many there are, and so are the edges between them.

import { grouped } from "../base/grouped.ts";
import { present } from "../base/present.ts";
import type { MachineEdge, MachineGraph, MachinePart } from "./machine-graph.ts";

/** Parts of one kind; `name` has the range of their numbers. */
export interface PartFamily extends Pick<MachinePart, "kind" | "subsystem" | "clock"> {
  readonly name: string;
  readonly count: number;
}

/** Edges between two families. */
export interface EdgeFamily extends Pick<
  MachineEdge,
  "message" | "dataBytes" | "fromClock" | "toClock" | "capacity" | "latency"
> {
  /** Names of families. */
  readonly fromPart: string;
  readonly toPart: string;
  readonly fromPort: string;
  readonly toPort: string;
  readonly count: number;
  /** Over all of them. */
  readonly messages: number;
}

export interface MachineFamilies {
  readonly clocks: MachineGraph["clocks"];
  readonly parts: readonly PartFamily[];
  readonly edges: readonly EdgeFamily[];
}

export function familiesOf({ clocks, parts, edges }: MachineGraph): MachineFamilies {
  const groups = grouped(parts, ({ name, kind, subsystem, clock, ports }) =>
    JSON.stringify([
      ...[pattern(name), kind, pattern(subsystem), clock],
      ...ports.map((port) => [pattern(port.name), port.joined].join()),
    ]),
  );
  const families = groups.map((members): readonly [readonly MachinePart[], PartFamily] => {
    const [first] = members;
    const { kind, subsystem, clock } = first;
    const name = ranged(members.map((part) => part.name));
    return [members, { name, count: members.length, kind, subsystem, clock }];
  });
  const familyOf = new Map(
    families.flatMap(([members, { name }]) => members.map((part) => [part.name, name] as const)),
  );
  const nameOf = (part: string): string => familyOf.get(part) ?? part;
  const alike = grouped(edges, (edge) =>
    JSON.stringify([
      ...[nameOf(edge.from.part), pattern(edge.from.port)],
      ...[nameOf(edge.to.part), pattern(edge.to.port), edge.message],
      ...[edge.dataBytes, edge.capacity, edge.latency],
    ]),
  );
  return {
    clocks,
    parts: families.map(([, family]) => family),
    edges: alike.map((members): EdgeFamily => {
      const [first] = members;
      const { from: _from, to: _to, ...rules } = first;
      return {
        ...rules,
        fromPart: nameOf(first.from.part),
        toPart: nameOf(first.to.part),
        fromPort: ranged(members.map(({ from }) => from.port)),
        toPort: ranged(members.map(({ to }) => to.port)),
        count: members.length,
        messages: members.reduce((sum, { messages }) => sum + messages, 0),
      };
    }),
  };
}

function pattern(name: string): string {
  return name.replace(/\d+/g, "#");
}

/** Names of one pattern as one, with the range of every number that is not the same in all. */
function ranged(names: readonly string[]): string {
  const numbers = names.map((name) => (name.match(/\d+/g) ?? []).map(Number));
  let place = 0;
  return present(names[0]).replace(/\d+/g, () => {
    const numbersAt = numbers.map((list) => present(list[place]));
    place += 1;
    const [least, most] = [Math.min(...numbersAt), Math.max(...numbersAt)];
    return least === most ? String(least) : `${String(least)}-${String(most)}`;
  });
}
