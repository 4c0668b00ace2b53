// SPDX-License-Identifier: Apache-2.0
// Block diagrams of units as SVG: a box for each instance with its own instances inside, an arrow where
// one instance drives another. A solid arrow follows the order of the sources, a dashed arrow goes back.

import { readBlocks, type Block, type Instance } from "./rtl-blocks.ts";

const width = 196;
const line = 13;
const gap = { x: 74, y: 22 } as const;
const margin = 16;

interface Box {
  readonly title: string;
  readonly lines: readonly string[];
  readonly x: number;
  readonly y: number;
  readonly height: number;
}

/** Modules with a diagram, and how many levels of instances it shows. */
const drawn = {
  dimm_ndp: 2,
  relayout_unit: 2,
  sparf_engine: 2,
  sparf_head_front: 2,
  sparf_kernel: 2,
  transposition_buffer: 1,
} as const;
/** Modules that every unit instantiates; a diagram leaves them out. */
const small = ["ndp_events", "clock_gate", "round_robin", "skid_buffer", "sram_1r1w", "sram_1rw"];

/** The diagrams of the RTL sources: the name of each file in `docs`, and its SVG. */
export function blockDiagrams(): ReadonlyMap<string, string> {
  const blocks = readBlocks();
  return new Map(
    Object.entries(drawn).map(([module, depth]) => [
      `blocks-${module}.svg`,
      drawBlocks(blocks, module, depth),
    ]),
  );
}

/** Instances of `module` in columns, each with its own instances to the depth given. */
function drawBlocks(blocks: ReadonlyMap<string, Block>, module: string, depth: number): string {
  const block = blocks.get(module);
  if (block === undefined) throw new Error(`no module ${module}`);
  const shown = block.instances.flatMap((one, i) => (small.includes(one.module) ? [] : [i]));
  const joins = block.joins.filter(([from, to]) => shown.includes(from) && shown.includes(to));
  const columns = columnsOf(shown, joins);
  const boxes = new Map<number, Box>();
  const bottom: number[] = [];
  for (const i of shown) {
    const instance = block.instances[i];
    if (instance === undefined) continue;
    const column = columns.get(i) ?? 0;
    const lines = [fileOf(blocks, instance), ...inside(blocks, instance, depth - 1, "")];
    // Every second column begins lower, so that arrows above it can be seen.
    const y = bottom[column] ?? margin + 26 + (column % 2) * 40;
    const height = 24 + lines.length * line + 6;
    boxes.set(i, {
      title: titleOf(instance),
      lines,
      x: margin + column * (width + gap.x),
      y,
      height,
    });
    bottom[column] = y + height + gap.y;
  }
  const size = {
    x: 2 * margin + bottom.length * (width + gap.x) - gap.x,
    y: Math.max(...bottom) - gap.y + margin,
  };
  return svg(size, [
    `<text class="top" x="${String(margin)}" y="22">${module} <tspan class="file">${block.file}</tspan></text>`,
    ...joins.map(([from, to]) => arrow(boxes.get(from), boxes.get(to))),
    ...[...boxes.values()].map(boxText),
  ]);
}

/** The column of each instance: the longest path to it along solid arrows. */
function columnsOf(
  shown: readonly number[],
  joins: readonly (readonly [from: number, to: number])[],
): ReadonlyMap<number, number> {
  const columns = new Map<number, number>();
  for (const i of shown) {
    const before = joins.filter(([from, to]) => to === i && from < i);
    columns.set(i, Math.max(0, ...before.map(([from]) => (columns.get(from) ?? 0) + 1)));
  }
  return columns;
}

function titleOf({ module, many }: Instance): string {
  return many ? `${module} ×n` : module;
}

function fileOf(blocks: ReadonlyMap<string, Block>, { module }: Instance): string {
  return (blocks.get(module)?.file ?? "").replace(/^rtl\//, "");
}

function inside(
  blocks: ReadonlyMap<string, Block>,
  { module }: Instance,
  depth: number,
  indent: string,
): readonly string[] {
  if (depth === 0) return [];
  const seen = new Set<string>();
  return (blocks.get(module)?.instances ?? []).flatMap((one) => {
    if (small.includes(one.module) || seen.has(one.module)) return [];
    seen.add(one.module);
    return [
      `${indent}\u2022 ${titleOf(one)}`,
      ...inside(blocks, one, depth - 1, `${indent}\u00a0\u00a0\u00a0`),
    ];
  });
}

function arrow(from: Box | undefined, to: Box | undefined): string {
  if (from === undefined || to === undefined) return "";
  const back = from.x >= to.x;
  const [x1, x2] = back ? [from.x, to.x + width] : [from.x + width, to.x];
  // Arrows of one box leave and enter at different heights.
  const spread = (box: Box, other: Box): number =>
    box.y + 12 + ((other.x + 3 * other.y) % Math.max(1, box.height - 24));
  const [y1, y2] = [spread(from, to), spread(to, from)];
  const bend = Math.max(30, Math.abs(x2 - x1) / 2) * (back ? -1 : 1);
  const path = `M${String(x1)} ${String(y1)} C${String(x1 + bend)} ${String(y1)} ${String(x2 - bend)} ${String(y2)} ${String(x2)} ${String(y2)}`;
  return `<path class="${back ? "back" : "on"}" marker-end="url(#head)" d="${path}"/>`;
}

function boxText({ title, lines, x, y, height }: Box): string {
  const at = (row: number): string => String(y + 30 + row * line);
  return [
    `<rect x="${String(x)}" y="${String(y)}" width="${String(width)}" height="${String(height)}" rx="4"/>`,
    `<text class="title" x="${String(x + 8)}" y="${String(y + 17)}">${title}</text>`,
    ...lines.map(
      (text, row) =>
        `<text class="${row === 0 ? "file" : "part"}" x="${String(x + 8)}" y="${at(row)}">${text}</text>`,
    ),
  ].join("\n");
}

function svg(size: { readonly x: number; readonly y: number }, parts: readonly string[]): string {
  const box = `0 0 ${String(size.x)} ${String(size.y)}`;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="${box}" width="${String(size.x)}" font-family="sans-serif" font-size="11">
<style>rect{fill:#f6f8fa;stroke:#57606a}path.on,path.back{fill:none;stroke:#0969da;opacity:.55}path.back{stroke:#bc4c00;stroke-dasharray:4 3}text{fill:#1f2328}.top{font-size:16px;font-weight:bold}.title{font-size:13px;font-weight:bold}.file{font-size:10px;font-weight:normal;fill:#57606a}</style>
<rect width="100%" height="100%" style="fill:#fff;stroke:none"/>
<defs><marker id="head" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="6" markerHeight="6" orient="auto"><path d="M0 0L8 4L0 8z" fill="#57606a"/></marker></defs>
${parts.filter((part) => part !== "").join("\n")}
</svg>
`;
}
