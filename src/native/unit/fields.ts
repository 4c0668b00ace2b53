// SPDX-License-Identifier: Apache-2.0
// The ports of a unit as two flat arrays of 32-bit words, one of inputs and one of outputs, as
// sim/rtl/shim/unit_plugin.h has them. Every member of a structure is a field of its own that begins at a
// word; lanes of a stream and elements of an array are elements of their fields.

import { bitsOf, type Port, type PortType } from "./ports.ts";
import type { Stream, UnitPorts } from "./streams.ts";

export interface Field {
  /** `req_addr_o`; of a member `page_req_o.tag`, of an array in a structure `x_o.rows[1].a`. */
  readonly name: string;
  readonly bits: number;
  /** Two's complement. */
  readonly signed?: boolean;
  readonly count: number;
  /** In the port, of each element. */
  readonly lsbs: readonly number[];
  /** The word at which the first element begins; each element occupies whole words. */
  readonly offset: number;
}

export interface PortFields {
  readonly port: Port;
  readonly bits: number;
  readonly fields: readonly Field[];
  /**
   * For payload: the word of its stream's valid. The payload is meaningful while that valid is not
   * 0.
   */
  readonly valid?: number;
}

export interface FieldTable {
  readonly ports: readonly PortFields[];
  readonly words: number;
}

export interface UnitFields {
  readonly inputs: FieldTable;
  readonly outputs: FieldTable;
}

export const wordsOf = (bits: number): number => Math.ceil(bits / 32);

/** Tables of a unit's ports: handshakes first, then payloads, then strobes. */
export function unitFields(unit: UnitPorts): UnitFields {
  const into = unit.streams.filter(({ direction }) => direction === "input");
  const out = unit.streams.filter(({ direction }) => direction === "output");
  return { inputs: table(into, out, []), outputs: table(out, into, unit.strobes) };
}

function table(
  sent: readonly Stream[],
  taken: readonly Stream[],
  strobes: readonly Port[],
): FieldTable {
  let words = 0;
  const place = (port: Port, lanes: number, valid?: number): PortFields => {
    const fields = leaves(port, lanes).map((leaf): Field => {
      const field = { ...leaf, offset: words };
      words += leaf.count * wordsOf(leaf.bits);
      return field;
    });
    const placed = { port, bits: bitsOf(port.type), fields };
    return valid === undefined ? placed : { ...placed, valid };
  };
  const ports = [
    ...sent.flatMap(({ valid, payload, lanes }) => {
      const handshake = place(valid, 1);
      const at = handshake.fields[0]?.offset ?? 0;
      return [handshake, ...payload.map((port) => place(port, lanes, at))];
    }),
    ...taken.flatMap(({ ready }) => (ready === undefined ? [] : [place(ready, 1)])),
    ...strobes.map((port) => place(port, 1)),
  ];
  return { ports, words };
}

type Leaf = Omit<Field, "offset">;

/** The fields of a port; those of lanes, and of the elements of an array, have one for each. */
function leaves({ name, type }: Port, lanes: number): readonly Leaf[] {
  if (type.kind === "array") {
    const width = bitsOf(type.element);
    const first = Array.from({ length: type.count }, (_, i) => elementLsb(type, i, width));
    return spread(members(name, type.element, 0), first);
  }
  if (lanes > 1) {
    const bits = bitsOf(type) / lanes;
    return spread(
      [{ name, bits, lsb: 0 }],
      Array.from({ length: lanes }, (_, i) => i * bits),
    );
  }
  return spread(members(name, type, 0), [0]);
}

interface Part {
  readonly name: string;
  readonly bits: number;
  readonly signed?: boolean;
  readonly lsb: number;
}

const spread = (parts: readonly Part[], starts: readonly number[]): readonly Leaf[] =>
  parts.map(({ name, bits, signed = false, lsb }) => ({
    name,
    bits,
    ...(signed ? { signed } : {}),
    count: starts.length,
    lsbs: starts.map((start) => start + lsb),
  }));

function elementLsb(
  { count, ascending }: Extract<PortType, { kind: "array" }>,
  index: number,
  width: number,
): number {
  return (ascending ? count - 1 - index : index) * width;
}

function members(name: string, type: PortType, lsb: number): readonly Part[] {
  switch (type.kind) {
    case "bits":
      return [{ name, bits: type.bits, ...(type.signed === true ? { signed: true } : {}), lsb }];
    case "other":
      return [{ name, bits: 0, lsb }];
    case "array": {
      const width = bitsOf(type.element);
      return Array.from({ length: type.count }, (_, i) =>
        members(`${name}[${String(i)}]`, type.element, lsb + elementLsb(type, i, width)),
      ).flat();
    }
    case "struct": {
      let from = lsb + bitsOf(type);
      return type.members.flatMap((member) => {
        from -= bitsOf(member.type);
        return members(`${name}.${member.name}`, member.type, from);
      });
    }
  }
}
