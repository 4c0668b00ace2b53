// SPDX-License-Identifier: Apache-2.0
// A mapped netlist as Yosys writes it (cells with named pins, wires, plain assignments), as cells on
// numbered nets. Nets that an assignment joins are one net.

import { NeardataError } from "../../../base/errors.ts";

export interface GateCell {
  readonly type: string;
  /** Name of the instance; a flip-flop has the name of its register's bit, and `_reg`. */
  readonly name: string;
  /** Net by pin; a pin that is left open is missing. */
  readonly pins: Readonly<Record<string, number>>;
}

export interface GateNetlist {
  readonly nets: number;
  readonly cells: readonly GateCell[];
  /** Nets of each port, least significant first. */
  readonly inputs: ReadonlyMap<string, readonly number[]>;
  readonly outputs: ReadonlyMap<string, readonly number[]>;
}

/** A cell with pins of any width. */
export interface MappedCell extends Pick<GateCell, "type" | "name"> {
  /** In Verilog syntax: `#(.WIDTH(9))`, or an empty string. */
  readonly parameters: string;
  /** Nets of each pin that is connected, least significant first. */
  readonly pins: readonly (readonly [pin: string, nets: readonly number[]])[];
}

export interface MappedNetlist extends Omit<GateNetlist, "cells"> {
  readonly cells: readonly MappedCell[];
}

/** Nets 0 and 1 are constant. */
export const constantNets = 2;

/**
 * A netlist of gates, whose pins have one bit.
 * @throws NeardataError `check-failed` for text that Yosys does not write after mapping.
 */
export function parseNetlist(text: string): GateNetlist {
  const mapped = parseMapped(text);
  return {
    ...mapped,
    cells: mapped.cells.map(({ type, name, pins }) => ({
      type,
      name,
      pins: Object.fromEntries(
        pins.flatMap(([pin, nets]) => nets.slice(-1).map((net) => [pin, net])),
      ),
    })),
  };
}

/**
 * The module `top` of a text, or its only one. Cells may be instances of other modules.
 * @throws NeardataError `check-failed` for text that Yosys does not write after mapping.
 */
export function parseMapped(text: string, top?: string): MappedNetlist {
  const names = new Names();
  const cells: MappedCell[] = [];
  const ports: { readonly name: string; readonly input: boolean }[] = [];
  for (const raw of statementsOf(moduleIn(text, top))) {
    const statement = raw.trim();
    const declared = /^(wire|input|output)\s+(?:\[(\d+):(\d+)\]\s*)?(\\\S+ ?|\w+)$/.exec(statement);
    if (declared !== null) {
      const [, kind = "", high = "0", low = "0", name = ""] = declared;
      names.declare(name.trim(), Number(high), Number(low));
      if (kind !== "wire") ports.push({ name: name.trim(), input: kind === "input" });
    } else if (statement.startsWith("assign ")) {
      const cut = statement.indexOf(" = ");
      names.join(names.bits(statement.slice(7, cut)), names.bits(statement.slice(cut + 3)));
    } else if (!/^(module|endmodule)/.test(statement)) {
      cells.push(cellOf(statement, names));
    }
  }
  const net = (bit: number): number => names.find(bit);
  const portsOf = (input: boolean): ReadonlyMap<string, readonly number[]> =>
    new Map(
      ports
        .filter((p) => p.input === input)
        .map(({ name }) => [name.replace("\\", ""), [...names.bits(name)].reverse().map(net)]),
    );
  return {
    nets: names.count,
    cells: cells.map((cell) => ({
      ...cell,
      pins: cell.pins.map(([pin, bits]) => [pin, bits.map(net).reverse()] as const),
    })),
    inputs: portsOf(true),
    outputs: portsOf(false),
  };
}

function moduleIn(text: string, top: string | undefined): string {
  const modules = text.split(/^endmodule/m).slice(0, -1);
  if (top === undefined || modules.length === 1) return text;
  const module = modules.find((part) => part.includes(`\nmodule ${top}(`));
  if (module === undefined) throw unreadable(`nothing of ${top}`);
  return module;
}

/** Without comments and attributes; the last word of a file belongs to no statement. */
function statementsOf(text: string): readonly string[] {
  const plain = text.replaceAll(/\/\*[\s\S]*?\*\//g, "").replaceAll(/\(\*[\s\S]*?\*\)/g, "");
  return plain.replaceAll("endmodule", "").split(";").slice(0, -1);
}

function cellOf(statement: string, names: Names): MappedCell {
  const head = /^(\\\S+|\w+)\s+(?:(#\([\s\S]*?\n\s*\))\s+)?(\\\S+ |\w+)\s*\(/.exec(statement);
  if (head === null) throw unreadable(statement);
  const pins = [...statement.slice(head[0].length).matchAll(/\.(\w+)\(([^()]*)\)/g)];
  return {
    type: head[1] ?? "",
    name: (head[3] ?? "").trim().replace("\\", ""),
    parameters: head[2] ?? "",
    pins: pins.flatMap(([, pin = "", net = ""]) =>
      net.trim() === "" ? [] : [[pin, names.bits(net)] as const],
    ),
  };
}

function unreadable(what: string): NeardataError {
  return new NeardataError("check-failed", `the netlist says ${what.slice(0, 80)}`);
}

/** Prefix of a number in JavaScript. */
const radix = { h: "0x", b: "0b", d: "" } as const;

/** Bits by name, joined where assignments join them. */
class Names {
  readonly #vectors = new Map<string, { first: number; high: number; low: number }>();
  readonly #parent: number[] = [0, 1];

  get count(): number {
    return this.#parent.length;
  }

  declare(name: string, high: number, low: number): void {
    if (this.#vectors.has(name)) return;
    this.#vectors.set(name, { first: this.#parent.length, high, low });
    for (let bit = low; bit <= high; bit += 1) this.#parent.push(this.#parent.length);
  }

  /** Most significant first. */
  bits(expression: string): readonly number[] {
    const text = expression.trim();
    if (text.startsWith("{")) {
      return text
        .slice(1, -1)
        .split(",")
        .flatMap((part) => this.bits(part));
    }
    const constant = /^(\d+)'s?([hbd])([0-9a-fx]+)$/.exec(text);
    if (constant !== null) {
      const [, width = "1", base = "b", digits = "0"] = constant;
      const value = BigInt(radix[base as keyof typeof radix] + digits.replaceAll("x", "0"));
      const count = Number(width);
      return Array.from({ length: count }, (_, i) => Number((value >> BigInt(count - 1 - i)) & 1n));
    }
    const [, name = "", high, low] =
      /^(\\\S+|\w+)\s*(?:\[(\d+)(?::(\d+))?\])?$/.exec(text) ?? ([] as string[]);
    const vector = this.#vectors.get(name);
    if (vector === undefined) throw unreadable(text);
    const from = Number(high ?? vector.high);
    const to = Number(low ?? high ?? vector.low);
    return Array.from({ length: from - to + 1 }, (_, i) => vector.first + from - i - vector.low);
  }

  join(left: readonly number[], right: readonly number[]): void {
    left.forEach((bit, i) => {
      const [a, b] = [this.find(bit), this.find(right[i] ?? bit)];
      // A constant is always the representative of its set.
      if (a < constantNets) this.#parent[b] = a;
      else this.#parent[a] = b;
    });
  }

  find(bit: number): number {
    let at = bit;
    for (let next = this.#parent[at] ?? at; next !== at; next = this.#parent[at] ?? at) at = next;
    return at;
  }
}
