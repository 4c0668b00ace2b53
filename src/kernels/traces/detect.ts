// SPDX-License-Identifier: Apache-2.0
// Detects the format of a memory trace: from `--trace-format`, or from its name and its first request if
// they are unambiguous.

import { inputError } from "../../base/errors.ts";
import { blockFormatOf } from "./block-traces.ts";
import { dramSim3 } from "./dramsim.ts";
import { dramSys, dramSysRelative } from "./dramsys.ts";
import type { MemoryFormat } from "./format.ts";
import { ramulator1, ramulatorLoadStore, ramulatorVector } from "./ramulator.ts";

/** Formats that are converted to neardata's format. */
export const memoryFormats: readonly MemoryFormat[] = [
  ramulatorLoadStore,
  ramulatorVector,
  ramulator1,
  dramSim3,
  dramSys,
  dramSysRelative,
];

/** neardata's format, which the native model reads. */
export const neardataFormat = "csv";
const neardataHeader = "id,arrival,op,addr";

/** Values of `--trace-format`. */
export const memoryFormatNames: readonly string[] = [
  neardataFormat,
  ...memoryFormats.map(({ name }) => name),
];

/** Traces that are known and not replayed, and why. */
const refused: readonly (readonly [outline: RegExp, sentence: string])[] = [
  [
    /^\d+\s+(0x[0-9a-f]+|\d+)(\s+(0x[0-9a-f]+|\d+))?$/i,
    "this is a trace of a processor (Ramulator's SimpleO3 or mode cpu: instructions between accesses, " +
      "address); its accesses depend on a model of cores and caches, which dram replay does not have. " +
      "Record the requests that reach the memory, such as `LD 0x12345680`.",
  ],
  [
    /^\d+\s+[RW]\s+(0x)?[0-9a-f]+(\s|$)/i,
    "this is a trace of USIMM or of NVMain; dram replay does not read it. Write `address READ cycle` or " +
      "`address WRITE cycle` (DRAMsim3), with cycles of the memory's clock.",
  ],
  [
    /^\{/,
    "this is JSON and not a trace; a flash facts file is for flash replay, a config for --config.",
  ],
];

/** Whether a line is a comment or has nothing on it. */
export function isSkipped(line: string): boolean {
  return line === "" || line.startsWith("#");
}

/**
 * The format of a trace whose first line with content is `line`; null for neardata's format.
 * @throws NeardataError `bad-input` if no format or several formats match, and for a format that
 * cannot be replayed.
 */
export function detectMemoryFormat(
  file: string,
  line: string,
  number: number,
): MemoryFormat | null {
  const where = `${file}:${number}`;
  const name = file.replace(/\.gz$/i, "");
  const outlined = memoryFormats.filter(({ outline }) => outline.test(line));
  const named = outlined.filter(({ suffix }) => suffix === undefined || suffix.test(name));
  const formats = named.length > 0 ? named : outlined;
  const [first, ...others] = formats;
  if (first !== undefined && others.length === 0) return first;
  if (first !== undefined) {
    const candidates = formats.map((one) => `${one.name} (${one.title})`).join(", ");
    throw inputError(
      where,
      `the trace may be of several formats: ${candidates}; --trace-format says which.`,
    );
  }
  if (looksOwn(line)) return null;
  const block = blockFormatOf(line);
  if (block !== undefined) {
    throw inputError(
      where,
      `this is ${block.title} (${block.columns}); dram replay replays requests to a memory, and no ` +
        "command converts requests to a disk into them.",
    );
  }
  const known = refused.find(([outline]) => outline.test(line));
  if (known !== undefined) throw inputError(where, known[1]);
  throw inputError(where, `this is no line of a memory trace that is read: ${examples()}.`);
}

function looksOwn(line: string): boolean {
  return /(^|,)\s*"?(id|arrival|op|addr)"?\s*(,|$)/i.test(line);
}

function examples(): string {
  const read = memoryFormats.filter(({ name }) => name !== dramSysRelative.name);
  return [
    `${neardataFormat} (${neardataHeader})`,
    ...read.map(({ example, name }) => `${name} (${example})`),
  ].join(", ");
}
