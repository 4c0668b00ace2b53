// SPDX-License-Identifier: Apache-2.0
// The functions and capacitances of Liberty cells: functions as JavaScript over 32 lanes of bits.
// Every capacitance that the library does not state is assumed here.

import { NeardataError } from "../../../base/errors.ts";
import { present } from "../../../base/present.ts";
import type { Library } from "../cells/liberty.ts";

/** The cells' pitch on which gates7.lib builds its areas, um2: one finger and its share of a row. */
const pitchArea = 0.01458;

/** fF of a minimum inverter's input, from the library's cell of that name (gates7.lib, INV_X1). */
export const fingerCapacitance = 0.62;

/** Wire load relative to the pins on a net: an assumption, as the netlist is not placed. */
export const wireFactor = 1;

/** Fingers of a flip-flop that follow its clock: two inverters and four transmission gates, assumed. */
const clockFingers = 6;

export interface CellOutput {
  readonly pin: string;
  /** The output for the cell's inputs in order; a flip-flop's output is its state. */
  readonly evaluate: (inputs: readonly number[]) => number;
}

export interface CellKind {
  readonly name: string;
  readonly inputs: readonly string[];
  /** fF by input. */
  readonly load: Readonly<Record<string, number>>;
  readonly outputs: readonly CellOutput[];
  /** Data and clock pins of a flip-flop; null for a gate. */
  readonly flipFlop: { readonly data: string; readonly clock: string } | null;
  /** fF charged inside the cell when its output changes: a finger as an inverter's input. */
  readonly delay: number;
  /** fF charged and discharged in every cycle. */
  readonly clocked: number;
}

/** Kinds by name, of those cells whose functions could be read. */
export function cellKinds({ text, cells }: Library): ReadonlyMap<string, CellKind> {
  const matches = [...text.matchAll(/^[ \t]*cell\s*\(\s*"?(\w+)"?\s*\)\s*\{/gm)];
  const kinds = matches.map((match, i) => {
    const name = match[1] ?? "";
    const body = text.slice(match.index, matches[i + 1]?.index);
    return [name, kindOf(name, body, cells.get(name)?.area ?? 0)] as const;
  });
  return new Map(kinds);
}

function kindOf(name: string, body: string, area: number): CellKind {
  const pins = [...body.matchAll(/^\s*pin\s*\(\s*"?(\w+)"?\s*\)\s*\{/gm)];
  const parts = pins.map((pin, i) => ({
    pin: pin[1] ?? "",
    text: body.slice(pin.index, pins[i + 1]?.index),
  }));
  const isOutput = (text: string): boolean => /direction\s*:\s*"?output/.test(text);
  const inputs = parts.filter((p) => !isOutput(p.text)).map((p) => p.pin);
  const load = Object.fromEntries(
    parts
      .filter((p) => !isOutput(p.text))
      .map((p) => [p.pin, Number(/\bcapacitance\s*:\s*([\d.]+)/.exec(p.text)?.[1] ?? 0)]),
  );
  const state = /\bff\s*\(\s*"?(\w+)"?\s*,\s*"?(\w+)"?\s*\)\s*\{([^}]*)\}/.exec(body);
  const [, on = "", inverse = "", rules = ""] = state ?? [];
  const word = (rule: string): string =>
    new RegExp(`${rule}\\s*:\\s*"?\\(?(!?\\w+)`).exec(rules)?.[1] ?? "";
  const flipFlop = state === null ? null : { data: word("next_state"), clock: word("clocked_on") };
  const variables = flipFlop === null ? inputs : [on];
  const outputs = parts
    .filter((p) => isOutput(p.text))
    .map(({ pin, text }) => {
      const expression = /[^_]function\s*:\s*"([^"]*)"/.exec(text)?.[1] ?? "";
      const rule = expression === inverse ? `!${on}` : expression;
      return { pin, evaluate: compile(rule, variables) };
    });
  const fingers = Math.max(0, Math.round(area / pitchArea) - 2);
  const clocked = flipFlop === null ? 0 : clockFingers;
  const clockLoad = flipFlop === null ? 0 : (load[flipFlop.clock] ?? 0) * (1 + wireFactor);
  return {
    name,
    inputs,
    load,
    outputs,
    flipFlop,
    delay: (fingers - clocked) * fingerCapacitance,
    clocked: clocked * fingerCapacitance + clockLoad,
  };
}

/** Liberty's operators are C's for bits, but for the inversion, a product by juxtaposition and `+`. */
function compile(rule: string, variables: readonly string[]): CellOutput["evaluate"] {
  if (rule === "1") return () => -1;
  if (rule === "0") return () => 0;
  let at = 0;
  const tokens = rule.match(/[A-Za-z_]\w*|[!'&*|+^()]/g) ?? [];
  type Term = (inputs: readonly number[]) => number;
  const atom = (): Term => {
    const token = tokens[at];
    at += 1;
    if (token === "!") {
      const inner = atom();
      return (v) => ~inner(v);
    }
    let term: Term;
    if (token === "(") {
      term = sum();
      at += 1;
    } else {
      const index = variables.indexOf(token ?? "");
      if (index < 0)
        throw new NeardataError("check-failed", `the function ${rule} names ${token ?? ""}`);
      term = (v) => present(v[index]);
    }
    while (tokens[at] === "'") {
      const inner = term;
      at += 1;
      term = (v) => ~inner(v);
    }
    return term;
  };
  const exclusive = (): Term => chain(atom, ["^"], (a, b) => a ^ b);
  const product = (): Term => chain(exclusive, ["&", "*"], (a, b) => a & b);
  const sum = (): Term => chain(product, ["|", "+"], (a, b) => a | b);
  const chain = (
    next: () => Term,
    signs: string[],
    join: (a: number, b: number) => number,
  ): Term => {
    let term = next();
    while (signs.includes(tokens.at(at) ?? "")) {
      at += 1;
      const [left, right] = [term, next()];
      term = (v) => join(left(v), right(v));
    }
    return term;
  };
  return sum();
}
