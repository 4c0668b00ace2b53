// SPDX-License-Identifier: Apache-2.0
// Delays of standard cells from the tables of a Liberty file (delay_model table_lookup): delays and
// slews over the slew of the input and the load of the output, setup times over the slews of data and
// clock. Where a pin has several tables, for conditions on other pins, all of them count.

import { defined } from "../../../base/defined.ts";
import { inputError } from "../../../base/errors.ts";
import { present } from "../../../base/present.ts";
import type { Library } from "../cells/liberty.ts";
import {
  edges,
  Table,
  type ByEdge,
  type CellClass,
  type CellTiming,
  type Delay,
} from "./cell-timing.ts";
import { parseLiberty, type Group } from "./liberty-groups.ts";

/** The cells by name. @throws NeardataError `bad-input` for a table that is not whole. */
export function libraryCells(library: Library): ReadonlyMap<string, CellTiming> {
  const root = parseLiberty(library.text);
  const templates = new Map(
    root.groups
      .filter(({ name }) => name === "lu_table_template")
      .map((group) => [group.args.at(0) ?? "", group]),
  );
  const reader: Reader = {
    path: library.path,
    templates,
    ps: library.timeUnit,
    fF: loadUnitOf(root),
  };
  const cells = root.groups.filter(({ name }) => name === "cell");
  return new Map(cells.map((cell) => [cell.args.at(0) ?? "", timingOf(reader, cell)]));
}

interface Reader {
  readonly path: string;
  readonly templates: ReadonlyMap<string, Group>;
  /** ps, and fF, of one unit of the file. */
  readonly ps: number;
  readonly fF: number;
}

function loadUnitOf(root: Group): number {
  const [count = "1", unit = "pf"] = root.attributes.get("capacitive_load_unit") ?? [];
  return Number(count) * (unit.toLowerCase() === "ff" ? 1 : 1000);
}

function attribute(group: Group, name: string): string {
  return group.attributes.get(name)?.[0] ?? "";
}

function timingOf(reader: Reader, cell: Group): CellTiming {
  const arcs: CellTiming["arcs"][number][] = [];
  const launches: CellTiming["launches"][number][] = [];
  const captures: CellTiming["captures"][number][] = [];
  const loads = new Map<string, number>();
  const inputs = cell.groups.filter(
    (group) => group.name === "pin" && attribute(group, "direction") === "input",
  );
  const gate = inputs.length === 1 ? "buffer" : "gate";
  for (const pin of cell.groups.filter(({ name }) => name === "pin")) {
    const name = pin.args.at(0) ?? "";
    if (attribute(pin, "direction") === "input") loads.set(name, loadOf(pin) * reader.fF);
    const timings = pin.groups.filter((group) => group.name === "timing");
    const holds = timings.filter((timing) => /^hold_/.test(attribute(timing, "timing_type")));
    const hold = holds.map((timing) =>
      byEdge(reader, timing, "rise_constraint", "fall_constraint"),
    );
    for (const timing of timings) {
      const type = attribute(timing, "timing_type") || "combinational";
      if (type === "setup_rising" || type === "setup_falling") {
        const setup = byEdge(reader, timing, "rise_constraint", "fall_constraint");
        const constraint = hold.find((table) => table !== null) ?? undefined;
        if (setup !== null) captures.push({ from: name, setup, ...defined({ hold: constraint }) });
        continue;
      }
      const isEdge = type === "rising_edge" || type === "falling_edge";
      const delay = delayOf(reader, timing, isEdge ? "register" : gate);
      if (delay === null) continue;
      if (isEdge) launches.push({ to: name, delay });
      else if (/^combinational/.test(type)) {
        for (const from of attribute(timing, "related_pin").split(/\s+/)) {
          arcs.push({ from, to: name, delay });
        }
      }
    }
  }
  return { arcs, launches, captures, loads, blockRam: false };
}

/** The larger one where edges differ. */
function loadOf(pin: Group): number {
  const values = ["capacitance", "rise_capacitance", "fall_capacitance"]
    .map((name) => Number(attribute(pin, name)))
    .filter(Number.isFinite);
  return Math.max(0, ...values);
}

function delayOf(reader: Reader, timing: Group, kind: CellClass): Delay | null {
  const delay = byEdge(reader, timing, "cell_rise", "cell_fall");
  const slew = byEdge(reader, timing, "rise_transition", "fall_transition");
  if (delay === null || slew === null) return null;
  const unateness = attribute(timing, "timing_sense");
  const sense =
    unateness === "positive_unate"
      ? "positive"
      : unateness === "negative_unate"
        ? "negative"
        : "either";
  return { sense, delay, slew, class: kind };
}

/** A table of a single edge is used for both. */
function byEdge(reader: Reader, timing: Group, rise: string, fall: string): ByEdge | null {
  const tables = [rise, fall].map((name) => {
    const group = timing.groups.find((inside) => inside.name === name);
    return group === undefined ? null : tableOf(reader, group);
  });
  const [first = null, second = null] = edges.map((edge) => tables[edge] ?? tables[1 - edge]);
  return first === null || second === null ? null : [first, second];
}

/** Axes that are the first index of a lookup. */
const firstAxes = /^(?:input_net_transition|constrained_pin_transition)$/;

function tableOf(reader: Reader, group: Group): Table {
  const template = reader.templates.get(group.args.at(0) ?? "");
  const axis = (i: 1 | 2): { readonly variable: string; readonly points: readonly number[] } => {
    const variable = template === undefined ? "" : attribute(template, `variable_${i}`);
    const points = listOf(
      group.attributes.get(`index_${i}`) ?? template?.attributes.get(`index_${i}`),
    );
    const unit = variable === "total_output_net_capacitance" ? reader.fF : reader.ps;
    return { variable, points: points.map((point) => point * unit) };
  };
  const [one, two] = [axis(1), axis(2)];
  const values = listOf(group.attributes.get("values")).map((value) => value * reader.ps);
  const isScalar = values.length === 1;
  const expected = Math.max(1, one.points.length) * Math.max(1, two.points.length);
  if (!values.every(Number.isFinite) || (!isScalar && values.length !== expected)) {
    const what = `${group.name} has ${values.length} values for ${expected} points of its table`;
    throw inputError(reader.path, `${what} ${group.args.at(0) ?? ""}.`);
  }
  if (isScalar) return new Table([0], [0], values);
  const onePoint = { points: [0] };
  const second = two.points.length === 0 ? onePoint : two;
  if (one.variable === "" || firstAxes.test(one.variable)) {
    return new Table(one.points, second.points, values);
  }
  // A table of the load, or of the clock's slew, alone; or one with its axes in the other order.
  const rows = one.points.length;
  const columns = second.points.length;
  const turned = Array.from({ length: rows * columns }, (_, i) => {
    const [column, row] = [Math.floor(i / rows), i % rows];
    return present(values[row * columns + column]);
  });
  return new Table(second.points, one.points, turned);
}

/** Numbers of `"1, 2", "3, 4"`. */
function listOf(words: readonly string[] = []): readonly number[] {
  return words
    .flatMap((word) => word.split(/[\s,]+/))
    .filter((word) => word !== "")
    .map(Number);
}
