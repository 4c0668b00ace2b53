// SPDX-License-Identifier: Apache-2.0
// A machine as a picture: one box per part, one arrow per edge with its type of message; for a run also
// the messages of each edge and the utilisation of each part's ports. dagre computes the layout.

import dagre from "@dagrejs/dagre";
import type { EdgeFamily, MachineFamilies, PartFamily } from "../../machine/machine-families.ts";
import { frequency, widthOf } from "./machine-text.ts";
import { busiestPort, rateText, shareText, type MachineRun } from "./machine-traffic.ts";
import type { Seconds } from "../../base/units.ts";
import { escapeHtml } from "../../base/escape.ts";

interface Point {
  readonly x: number;
  readonly y: number;
}

/** Pixels of a character and a line of the small font, as every browser's sans-serif has them at most. */
const letter = 6.2;
const lineHeight = 15;
const padding = 10;
const margin = 16;
const heading = 44;

/** A machine to draw, and the time of its run, if it ran. */
interface Drawn {
  readonly title: string;
  readonly machine: MachineFamilies;
  readonly time?: Seconds;
}

/** Machines one below the other, each with its title and clocks; `id` is unlike that of other pictures. */
export function machinesSvg(machines: readonly Drawn[], id = "machines"): string {
  const drawn = machines.map((one) => ({
    ...one,
    ...placed(one.machine, `${id}-tip`, one.time ?? null),
  }));
  const width = Math.ceil(Math.max(...drawn.map((one) => one.width)));
  let y = 0;
  const groups = drawn.map(({ title, machine, marks, height }) => {
    const clocks = machine.clocks.map(({ name, hertz }) => `${name} ${frequency(hertz)}`);
    const group = `<g transform="translate(0 ${String(y)})">
<text class="title" x="${String(margin)}" y="22">${escapeHtml(title)}</text>
<text class="small" x="${String(margin)}" y="38">clocks: ${escapeHtml(clocks.join(", "))}</text>
<g transform="translate(0 ${String(heading)})">
${marks.join("\n")}
</g>
</g>`;
    y += Math.ceil(height) + heading;
    return group;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${String(width)} ${String(y)}" width="${String(width)}" height="${String(y)}" role="img" class="${id}">
<style>
.${id} text { font: 11px sans-serif; fill: #1b1b1b; }
.${id} .title { font-size: 15px; font-weight: bold; }
.${id} .small { fill: #555; }
.${id} .name { font-weight: bold; }
.${id} .part { fill: #eef3fa; stroke: #33507a; }
.${id} .edge { fill: none; stroke: #777; }
.${id} .back { fill: #fff; }
</style>
<defs><marker id="${id}-tip" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="7" markerHeight="7" orient="auto"><path d="M0 0 8 4 0 8z" fill="#777"/></marker></defs>
<rect class="back" width="${String(width)}" height="${String(y)}"/>
${groups.join("\n")}
</svg>
`;
}

interface Placed {
  readonly marks: readonly string[];
  readonly width: number;
  readonly height: number;
}

/** Width of the text of a report. A wider picture would be shrunk, and its text with it. */
const pageWidth = 928;

/** From left to right, or from top to bottom if that is too wide for a page. */
function placed(machine: MachineFamilies, tip: string, time: Seconds | null): Placed {
  const wide = laidOut(machine, tip, time, "LR");
  return wide.width <= pageWidth ? wide : laidOut(machine, tip, time, "TB");
}

function laidOut(
  machine: MachineFamilies,
  tip: string,
  time: Seconds | null,
  rankdir: "LR" | "TB",
): Placed {
  const graph = new dagre.graphlib.Graph({ multigraph: true, directed: true });
  graph.setGraph({
    rankdir,
    nodesep: 24,
    edgesep: 10,
    ranksep: 40,
    marginx: margin,
    marginy: margin,
  });
  const run = time === null ? null : { machine, time };
  const boxes = machine.parts.map((part) => ({ part, lines: linesOf(part, run) }));
  for (const { part, lines } of boxes) graph.setNode(part.name, sizeOf(lines));
  machine.edges.forEach((edge, number) => {
    const { width, height } = sizeOf([labelOf(edge, run)]);
    const label = { width, height: height - padding, labelpos: "c" };
    graph.setEdge(edge.fromPart, edge.toPart, label, String(number));
  });
  dagre.layout(graph);
  const edges = machine.edges.map((edge, number) => {
    const { points, ...label } = graph.edge(edge.fromPart, edge.toPart, String(number));
    // The types of the library lack the position of a label.
    const { x, y } = label as unknown as Point;
    return arrow(edge, points, { x, y }, tip, run);
  });
  const parts = boxes.map(({ part, lines }) => box(lines, graph.node(part.name)));
  const { width = 0, height = 0 } = graph.graph();
  return { marks: [...edges, ...parts], width, height };
}

type Box = Point & { readonly width: number; readonly height: number };

function linesOf(part: PartFamily, run: MachineRun | null): readonly string[] {
  const { name, count, kind, clock } = part;
  const title = count === 1 ? name : `${name} (${String(count)})`;
  const busy = run === null ? [] : [`busiest port ${shareText(busiestPort(run, part))}`];
  return [title, ...(kind === name ? [] : [kind]), `${clock} clock`, ...busy];
}

function labelOf(edge: EdgeFamily, run: MachineRun | null): string {
  const many = edge.count === 1 ? "" : `${String(edge.count)} x `;
  const over = run === null ? "" : `: ${rateText(edge, run.time)}`;
  return `${many}${edge.message}${widthOf(edge)}${over}`;
}

function sizeOf(lines: readonly string[]): { readonly width: number; readonly height: number } {
  const longest = Math.max(...lines.map((line) => line.length));
  return { width: longest * letter + 2 * padding, height: lines.length * lineHeight + padding };
}

function box(lines: readonly string[], { x, y, width, height }: Box): string {
  const top = y - height / 2;
  const texts = lines.map((line, i) => {
    const at = top + padding / 2 + (i + 0.75) * lineHeight;
    const look = i === 0 ? "name" : "small";
    return `<text class="${look}" text-anchor="middle" x="${px(x)}" y="${px(at)}">${escapeHtml(line)}</text>`;
  });
  return `<rect class="part" rx="4" x="${px(x - width / 2)}" y="${px(top)}" width="${px(width)}" height="${px(height)}"/>
${texts.join("\n")}`;
}

function arrow(
  edge: EdgeFamily,
  points: readonly Point[],
  label: Point,
  tip: string,
  run: MachineRun | null,
): string {
  const path = points.map(({ x, y }, i) => `${i === 0 ? "M" : "L"}${px(x)} ${px(y)}`).join("");
  const text = labelOf(edge, run);
  const half = (text.length * letter) / 2;
  const ends = `${edge.fromPart}.${edge.fromPort} to ${edge.toPart}.${edge.toPort}, holds ${String(edge.capacity)}`;
  return `<path class="edge" d="${path}" marker-end="url(#${tip})"><title>${escapeHtml(ends)}</title></path>
<rect class="back" x="${px(label.x - half)}" y="${px(label.y - 8)}" width="${px(2 * half)}" height="14"/>
<text class="small" text-anchor="middle" x="${px(label.x)}" y="${px(label.y + 3)}">${escapeHtml(text)}</text>`;
}

function px(value: number): string {
  return value.toFixed(1);
}
