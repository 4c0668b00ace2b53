// SPDX-License-Identifier: Apache-2.0
// A timing diagram as SVG: signals of a waveform in some of its cycles. A payload is shown in cycles in which
// it is valid, a handshake has a mark in the row of its valid.

import { formatBits } from "../../src/rtl/waves/picture.ts";
import type { Waves, WaveSignal } from "../../src/rtl/waves/fst.ts";

/** A row of a diagram: some bits of a port. */
export interface Row {
  readonly label: string;
  readonly port: string;
  /** Default: all bits. */
  readonly bits?: readonly [high: number, low: number];
  /** The row, by its label, without which the value does not matter. */
  readonly valid?: string;
  /** Of a valid: the row of its ready; a handshake is marked. Its own label: every cycle of it counts. */
  readonly ready?: string;
}

export interface Diagram {
  readonly title: string;
  readonly rows: readonly Row[];
  /** Ascending; cycles left out between two of them are a grey column. */
  readonly cycles: readonly number[];
}

const size = { cycle: 46, gap: 22, row: 24, names: 190, top: 52, swing: 14, foot: 14 } as const;
const colours = {
  line: "#0550ae",
  box: "#116329",
  mark: "#dafbe1",
  grid: "#d0d7de",
  gap: "#eaeef2",
  text: "#1f2328",
} as const;
/** Letters of a value that fit in a cycle, and digits that are shown of a wide value. */
const letters = { width: 6.6, least: 4 } as const;

interface Column {
  /** Absent: cycles that are left out. */
  readonly cycle: number | null;
  readonly x: number;
  readonly width: number;
}

/** Around each of these cycles so many before and behind it; holes of a single cycle are filled. */
export function cyclesAround(
  centres: readonly number[],
  before: number,
  behind: number,
): readonly number[] {
  const shown = new Set(
    centres.flatMap((centre) =>
      Array.from({ length: before + behind + 1 }, (_, i) => Math.max(0, centre - before + i)),
    ),
  );
  const all = [...shown].sort((a, b) => a - b);
  return all.flatMap((cycle, i) => {
    const next = all[i + 1];
    return next === cycle + 2 ? [cycle, cycle + 1] : [cycle];
  });
}

/** @throws Error where the waveform lacks a port */
export function drawDiagram({ signals }: Waves, { title, rows, cycles }: Diagram): string {
  const columns = columnsOf(cycles);
  const values = new Map(
    rows.map((row) => [row.label, columns.map(({ cycle }) => valueIn(signals, row, cycle))]),
  );
  const last = columns.at(-1);
  const width = (last === undefined ? size.names : last.x + last.width) + 10;
  const height = size.top + rows.length * size.row + size.foot;
  const body = rows.map((row, i) => rowOf(row, size.top + i * size.row, columns, values));
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" font-family="monospace" font-size="11">
<rect width="100%" height="100%" fill="#fff"/>
<text x="10" y="18" font-size="13" font-weight="bold" fill="${colours.text}">${escaped(title)}</text>
${grid(columns, height)}
${body.join("\n")}
</svg>
`;
}

function columnsOf(cycles: readonly number[]): readonly Column[] {
  const columns: Column[] = [];
  let x: number = size.names;
  cycles.forEach((cycle, i) => {
    const before = cycles[i - 1];
    if (before !== undefined && cycle > before + 1) {
      columns.push({ cycle: null, x, width: size.gap });
      x += size.gap;
    }
    columns.push({ cycle, x, width: size.cycle });
    x += size.cycle;
  });
  return columns;
}

function grid(columns: readonly Column[], height: number): string {
  const bottom = height - size.foot;
  const cells = columns.map(({ cycle, x, width }) =>
    cycle === null
      ? `<rect x="${x}" y="${size.top - 6}" width="${width}" height="${bottom - size.top + 6}" fill="${colours.gap}"/>`
      : `<text x="${x + width / 2}" y="${size.top - 12}" text-anchor="middle" fill="#57606a">${cycle}</text>` +
        `<path d="M${x} ${size.top - 6}V${bottom}" stroke="${colours.grid}"/>`,
  );
  return `<text x="${size.names - 10}" y="${size.top - 12}" text-anchor="end" fill="#57606a">cycle</text>${cells.join("")}`;
}

/** Bits of the row before the closing edge of a cycle; null in a gap. */
function valueIn(signals: readonly WaveSignal[], row: Row, cycle: number | null): string | null {
  if (cycle === null) return null;
  const signal = signals.find(({ name }) => name === row.port);
  if (signal === undefined) throw new Error(`the waveform has no port ${row.port}`);
  const whole = signal.changes.findLast(({ time }) => time <= 2 * cycle)?.value ?? "x";
  if (row.bits === undefined) return whole;
  const [high, low] = row.bits;
  const all = whole.padStart(signal.width, "0");
  return all.slice(all.length - 1 - high, all.length - low);
}

type Values = ReadonlyMap<string, readonly (string | null)[]>;

function rowOf(row: Row, top: number, columns: readonly Column[], values: Values): string {
  const { label, valid, ready } = row;
  const own = values.get(label) ?? [];
  const name = `<text x="${size.names - 10}" y="${top + 16}" text-anchor="end" fill="${colours.text}">${escaped(label)}</text>`;
  const isHigh = (of: string | undefined, i: number): boolean =>
    of !== undefined && values.get(of)?.[i] === "1";
  const marks = columns.map(({ x, width }, i) =>
    isHigh(label, i) && isHigh(ready, i)
      ? `<rect x="${x}" y="${top + 2}" width="${width}" height="${size.row - 4}" fill="${colours.mark}"/>`
      : "",
  );
  const shape =
    own.find((value) => value !== null)?.length === 1 && valid === undefined
      ? lineOf(own, columns, top)
      : boxesOf(
          own.map((value, i) => (valid === undefined || isHigh(valid, i) ? value : null)),
          columns,
          top,
        );
  return name + marks.join("") + shape;
}

function lineOf(
  values: readonly (string | null)[],
  columns: readonly Column[],
  top: number,
): string {
  const high = top + (size.row - size.swing) / 2;
  let open = false;
  const path = columns.map(({ x, width }, i) => {
    const value = values[i];
    if (value === null || value === undefined) {
      open = false;
      return "";
    }
    const y = value === "1" ? high : high + size.swing;
    const step = `${open ? "L" : "M"}${x} ${y}H${x + width}`;
    open = true;
    return step;
  });
  return `<path d="${path.join("")}" fill="none" stroke="${colours.line}" stroke-width="1.5"/>`;
}

/** A box for as long as a value holds. */
function boxesOf(
  values: readonly (string | null)[],
  columns: readonly Column[],
  top: number,
): string {
  const [high, low] = [top + (size.row - size.swing) / 2, top + (size.row + size.swing) / 2];
  const middle = (high + low) / 2;
  const boxes: string[] = [];
  for (let i = 0; i < columns.length;) {
    const [value, begin] = [values[i], columns[i]];
    let end = i + 1;
    while (end < columns.length && values[end] === value && columns[end]?.cycle !== null) end += 1;
    const last = columns[end - 1];
    i = end;
    if (value === null || value === undefined || begin === undefined || last === undefined)
      continue;
    const [left, right] = [begin.x, last.x + last.width];
    boxes.push(
      `<path d="M${left} ${middle}L${left + 3} ${high}H${right - 3}L${right} ${middle}L${right - 3} ${low}H${left + 3}Z" fill="#fff" stroke="${colours.box}"/>` +
        `<text x="${(left + right) / 2}" y="${middle + 4}" text-anchor="middle" fill="${colours.text}"><title>${formatBits(value)}</title>${fitted(formatBits(value), right - left)}</text>`,
    );
  }
  return boxes.join("");
}

/** A value, or the last of its digits that fit. */
function fitted(value: string, width: number): string {
  const short = value.replace(/^0+(?=.)/, "");
  const most = Math.max(letters.least, Math.floor((width - 10) / letters.width));
  return short.length <= most ? short : `…${short.slice(-(most - 1))}`;
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
}
