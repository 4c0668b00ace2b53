// SPDX-License-Identifier: Apache-2.0
// A waveform's last cycles as a picture: ports of the unit, of many those that changed in them, one below the other, bits
// as lines and words as boxes with their hexadecimal values. The clock has two times of the waveform a cycle.

import { escapeHtml } from "../../base/escape.ts";
import type { Waves, WaveSignal } from "./fst.ts";

/** Cycles of a picture, and its rows at most. */
const maxCycles = 24;
const maxRows = 40;
/** Digits of a value in the picture. */
const maxDigits = 32;
/** Cycles of the picture after the last change of a port. */
const after = 2;
const size = { cycle: 34, row: 22, names: 190, top: 24, swing: 13 } as const;
const clock = "clk_i";

/** The value of a port in a cycle. */
export interface WavePort {
  readonly name: string;
  readonly width: number;
  /** By cycle of the picture. */
  readonly values: readonly string[];
}

export interface WavePicture {
  /** The first cycle of the picture. */
  readonly from: number;
  readonly ports: readonly WavePort[];
  /** Ports that changed too, beyond the rows that fit. */
  readonly more: number;
  /** A standalone SVG element. */
  readonly svg: string;
}

/** The last cycles in which a port changed; nothing of a waveform in which none did. */
export function lastCycles({ signals, end }: Waves): WavePicture | null {
  const ports = signals.filter(({ name }) => name !== clock);
  const moved = ports.flatMap(({ changes }) => changes.at(-1)?.time ?? []);
  const last = Math.min(Math.floor(end / 2), Math.floor(Math.max(-1, ...moved) / 2) + after);
  if (moved.length === 0 || last < 0) return null;
  const first = Math.floor(Math.min(...ports.flatMap(({ changes }) => changes[0]?.time ?? [])) / 2);
  const from = Math.max(first, last - maxCycles + 1);
  const cycles = Array.from({ length: last - from + 1 }, (_, i) => from + i);
  const all = ports.map((port) => ({
    name: port.name,
    width: port.width,
    values: cycles.map((cycle) => valueAt(port, 2 * cycle)),
  }));
  const busy = all.filter(({ values }) => new Set(values).size > 1);
  if (busy.length === 0) return null;
  const shown = (all.length <= maxRows ? all : busy).slice(0, maxRows);
  return {
    from,
    ports: shown,
    more: Math.max(0, busy.length - shown.length),
    svg: drawn(from, shown),
  };
}

/** The value before the edge of the cycle, which decides the transfers at the edge. */
function valueAt({ changes }: WaveSignal, time: number): string {
  return changes.findLast((change) => change.time <= time)?.value ?? "x";
}

/** A bit as it is, a word in hexadecimal; x where any bit is unknown. */
export function formatBits(bits: string): string {
  if (bits.length === 1) return bits;
  if (!/^[01]+$/.test(bits)) return "x";
  const digits = bits.padStart(4 * Math.ceil(bits.length / 4), "0").match(/.{4}/g) ?? [];
  return digits.map((four) => Number.parseInt(four, 2).toString(16)).join("");
}

function drawn(from: number, ports: readonly WavePort[]): string {
  const count = ports[0]?.values.length ?? 0;
  const width = size.names + count * size.cycle + 8;
  const height = size.top + ports.length * size.row + 8;
  const grid = Array.from({ length: count }, (_, i) => {
    const x = size.names + i * size.cycle;
    const label = `<text x="${x + size.cycle / 2}" y="14" text-anchor="middle" opacity="0.7">${from + i}</text>`;
    const line = `<path d="M${x} ${size.top - 4}V${height}" stroke="currentColor" opacity="0.15"/>`;
    return (i % 4 === 0 ? label : "") + line;
  });
  const rows = ports.map((port, i) => rowOf(port, size.top + i * size.row));
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" ` +
    `font-family="system-ui, sans-serif" font-size="11" fill="currentColor">${grid.join("")}${rows.join("")}</svg>`
  );
}

function rowOf({ name, width, values }: WavePort, top: number): string {
  const middle = top + size.row / 2;
  const title = `<text x="${size.names - 8}" y="${middle + 4}" text-anchor="end">${escapeHtml(name)}</text>`;
  return title + (width === 1 ? lineOf(values, top) : boxesOf(values, top));
}

function lineOf(values: readonly string[], top: number): string {
  const high = top + (size.row - size.swing) / 2;
  const level = (value: string): number =>
    value === "1" ? high : value === "0" ? high + size.swing : high + size.swing / 2;
  const steps = values.map((value, i) => {
    const x = size.names + i * size.cycle;
    return `${i === 0 ? "M" : "L"}${x} ${level(value)}H${x + size.cycle}`;
  });
  return `<path d="${steps.join("")}" fill="none" stroke="var(--series-1, #0072b2)" stroke-width="1.5"/>`;
}

/** A box for the duration of a value. */
function boxesOf(values: readonly string[], top: number): string {
  const high = top + (size.row - size.swing) / 2;
  const low = high + size.swing;
  const boxes: string[] = [];
  for (let i = 0; i < values.length;) {
    let end = i + 1;
    while (end < values.length && values[end] === values[i]) end += 1;
    const [left, right] = [size.names + i * size.cycle, size.names + end * size.cycle];
    const middle = (high + low) / 2;
    const outline = `M${left} ${middle}L${left + 3} ${high}H${right - 3}L${right} ${middle}L${right - 3} ${low}H${left + 3}Z`;
    const value = formatBits(values[i] ?? "x");
    const most = Math.min(maxDigits, Math.floor((right - left - 8) / 7));
    const text = value.length > most ? `${value.slice(0, Math.max(1, most - 1))}~` : value;
    boxes.push(
      `<path d="${outline}" fill="none" stroke="var(--series-3, #009e73)"/>` +
        `<text x="${(left + right) / 2}" y="${middle + 4}" text-anchor="middle"><title>${value}</title>${text}</text>`,
    );
    i = end;
  }
  return boxes.join("");
}
