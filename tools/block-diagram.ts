// SPDX-License-Identifier: Apache-2.0
// Block diagrams of units as SVG: a box for each instance with its own instances inside, an arrow where
// one instance drives another. A solid arrow follows the order of the sources, a dashed arrow has the
// opposite direction.

import { readBlocks, type Block, type Instance } from "./rtl-blocks.ts";

const width = 196;
const line = 13;
const gap = { x: 74, y: 22 } as const;
/** Between rows and between the boxes of a row, where levels are rows. */
const rowGap = { x: 40, y: 52 } as const;
/** Space for arcs on both sides of rows. */
const rowMargin = 130;
/** Levels that fit side by side on a page; more levels are rows, one below the other. */
const maxColumns = 3;
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

/** Instances of `module` by level, each with its own instances to the depth given. */
function drawBlocks(blocks: ReadonlyMap<string, Block>, module: string, depth: number): string {
  const block = blocks.get(module);
  if (block === undefined) throw new Error(`no module ${module}`);
  const shown = block.instances.flatMap((one, i) => (small.includes(one.module) ? [] : [i]));
  const joins = block.joins.filter(([from, to]) => shown.includes(from) && shown.includes(to));
  const levels = levelsOf(shown, joins);
  const boxes = shown.flatMap((i) => {
    const instance = block.instances[i];
    if (instance === undefined) return [];
    const lines = [fileOf(blocks, instance), ...inside(blocks, instance, depth - 1, "")];
    const height = 24 + lines.length * line + 6;
    return [{ i, title: titleOf(instance), lines, height, level: levels.get(i) ?? 0 }];
  });
  const inRows = Math.max(...boxes.map(({ level }) => level)) >= maxColumns;
  const placed = inRows ? rows(boxes) : columns(boxes);
  const all = [...placed.values()];
  const size = {
    x: Math.max(...all.map(({ x }) => x)) + width + (inRows ? rowMargin : margin),
    y: Math.max(...all.map(({ y, height }) => y + height)) + margin,
  };
  return svg(size, [
    `<text class="top" x="${String(margin)}" y="22">${module} <tspan class="file">${block.file}</tspan></text>`,
    ...joins.map(([from, to]) => arrow(placed.get(from), placed.get(to), inRows)),
    ...all.map(boxText),
  ]);
}

type Levelled = Omit<Box, "x" | "y"> & { readonly i: number; readonly level: number };

/** A column for each level, from left to right. Every second one begins lower, so that arrows above it can be seen. */
function columns(boxes: readonly Levelled[]): ReadonlyMap<number, Box> {
  const bottom: number[] = [];
  return new Map(
    boxes.map((box) => {
      const y = bottom[box.level] ?? margin + 26 + (box.level % 2) * 40;
      bottom[box.level] = y + box.height + gap.y;
      return [box.i, { ...box, x: margin + box.level * (width + gap.x), y }];
    }),
  );
}

/** A row for each level, from top to bottom. Every second one begins further to the right. */
function rows(boxes: readonly Levelled[]): ReadonlyMap<number, Box> {
  const placed = new Map<number, Box>();
  let y = margin + 26;
  for (let level = 0; boxes.some((box) => box.level === level); level++) {
    const row = boxes.filter((box) => box.level === level);
    row.forEach((box, column) => {
      const x = rowMargin + (level % 2) * 60 + column * (width + rowGap.x);
      placed.set(box.i, { ...box, x, y });
    });
    y += Math.max(...row.map(({ height }) => height)) + rowGap.y;
  }
  return placed;
}

/** The level of each instance: the longest path to it along solid arrows. */
function levelsOf(
  shown: readonly number[],
  joins: readonly (readonly [from: number, to: number])[],
): ReadonlyMap<number, number> {
  const levels = new Map<number, number>();
  for (const i of shown) {
    const before = joins.filter(([from, to]) => to === i && from < i);
    levels.set(i, Math.max(0, ...before.map(([from]) => (levels.get(from) ?? 0) + 1)));
  }
  return levels;
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

function arrow(from: Box | undefined, to: Box | undefined, inRows: boolean): string {
  if (from === undefined || to === undefined) return "";
  const back = inRows ? from.y >= to.y : from.x >= to.x;
  const path = inRows ? downwards(from, to, back) : sideways(from, to, back);
  return `<path class="${back ? "back" : "on"}" marker-end="url(#head)" d="${path}"/>`;
}

function sideways(from: Box, to: Box, back: boolean): string {
  const [x1, x2] = back ? [from.x, to.x + width] : [from.x + width, to.x];
  // Arrows of one box leave and enter at different heights.
  const spread = (box: Box, other: Box): number =>
    box.y + 12 + ((other.x + 3 * other.y) % Math.max(1, box.height - 24));
  const [y1, y2] = [spread(from, to), spread(to, from)];
  const bend = Math.max(30, Math.abs(x2 - x1) / 2) * (back ? -1 : 1);
  return `M${String(x1)} ${String(y1)} C${String(x1 + bend)} ${String(y1)} ${String(x2 - bend)} ${String(y2)} ${String(x2)} ${String(y2)}`;
}

/** To the next row straight; to a later row in an arc on the right, and back in one on the left. */
function downwards(from: Box, to: Box, back: boolean): string {
  const next = to.y > from.y && to.y - from.y - from.height < 2 * rowGap.y;
  if (next) {
    const at = (box: Box, other: Box): number =>
      box.x + 40 + ((3 * other.x + other.y) % (width - 80));
    const [x1, x2, y1, y2] = [at(from, to), at(to, from), from.y + from.height, to.y];
    const bend = (y2 - y1) / 2;
    return `M${String(x1)} ${String(y1)} C${String(x1)} ${String(y1 + bend)} ${String(x2)} ${String(y2 - bend)} ${String(x2)} ${String(y2)}`;
  }
  const at = (box: Box, other: Box): number =>
    box.y + 8 + ((other.x + 3 * other.y) % Math.max(1, box.height - 16));
  const side = (box: Box): number => box.x + (back ? 0 : width);
  const [x1, x2, y1, y2] = [side(from), side(to), at(from, to), at(to, from)];
  const arc = (24 + Math.abs(y2 - y1) / 6) * (back ? -1 : 1);
  return `M${String(x1)} ${String(y1)} C${String(x1 + arc)} ${String(y1)} ${String(x2 + arc)} ${String(y2)} ${String(x2)} ${String(y2)}`;
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
