// SPDX-License-Identifier: Apache-2.0
// A machine as text: its clocks, its parts, and its edges with what a message carries.

import { present } from "../../base/present.ts";
import type { EdgeFamily, MachineFamilies } from "../../machine/machine-families.ts";

/** A multiplicity; empty for one. */
const times = (count: number): string => (count === 1 ? "" : `${String(count)} x`);

export function machineText(title: string, { clocks, parts, edges }: MachineFamilies): string {
  const rates = clocks.map(({ name, hertz }) => `${name} ${frequency(hertz)}`);
  const kinds = parts.map(({ name, count, kind, clock }) => [
    times(count),
    name,
    kind === name ? "" : kind,
    `${clock} clock`,
  ]);
  const ways = edges.map((edge) => [times(edge.count), endsOf(edge), ...rulesOf(edge)]);
  return [
    title,
    `clocks: ${rates.join(", ")}`,
    `parts:\n${columns(kinds)}`,
    `edges:\n${columns(ways)}`,
  ].join("\n");
}

/** Both ends of an edge by part and port. */
function endsOf({ fromPart, fromPort, toPart, toPort }: EdgeFamily): string {
  return `${fromPart}.${fromPort} -> ${toPart}.${toPort}`;
}

function rulesOf({ message, capacity, latency, toClock, ...edge }: EdgeFamily): readonly string[] {
  return [
    `${message}${widthOf(edge)}`,
    `holds ${String(capacity)}`,
    `seen after ${String(latency)} ${latency === 1 ? "edge" : "edges"} of ${toClock}`,
  ];
}

/** The data of a message; empty where it has none, or not always as much. */
export function widthOf({ dataBytes }: Pick<EdgeFamily, "dataBytes">): string {
  return dataBytes === 0 ? "" : `, ${String(dataBytes)} B`;
}

/** In MHz below a gigahertz. */
export function frequency(hertz: number): string {
  return hertz < 1e9 ? `${String(hertz / 1e6)} MHz` : `${String(hertz / 1e9)} GHz`;
}

function columns(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, i) => Math.max(...rows.map((row) => row[i]?.length ?? 0)));
  return rows
    .map((row) => `  ${row.map((cell, i) => cell.padEnd(present(widths[i]))).join("  ")}`.trimEnd())
    .join("\n");
}
