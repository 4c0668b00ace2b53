// SPDX-License-Identifier: Apache-2.0
// The header of a .safetensors file: 8 bytes of length, JSON, then tensor data without gaps.
// Format: https://huggingface.co/docs/safetensors. Tensor data is never read here. Later versions of the
// format add types: a tensor of a type that is not known keeps its place, and a reader that needs it refuses it.

import { z } from "zod";
import { NeardataError } from "../base/errors.ts";
import { readJson } from "../base/json.ts";
import type { Issue } from "../base/errors.ts";
import { readBytes } from "../base/bytes.ts";
import type { ByteSource } from "../base/bytes.ts";
import { cut, formatValue } from "../base/format-value.ts";

/** The location of one tensor; `begin` and `end` are offsets in the file. */
export interface TensorEntry {
  readonly name: string;
  /** As the file has it; perhaps a type that nothing here can read. */
  readonly dtype: string;
  readonly shape: readonly number[];
  readonly begin: number;
  readonly end: number;
}

/** The tensors of one file by name. */
export interface SafetensorsHeader {
  readonly source: ByteSource;
  readonly tensors: ReadonlyMap<string, TensorEntry>;
  /** Notes for people: `__metadata__`. */
  readonly metadata: Readonly<Record<string, string>>;
}

/** The reference implementation refuses longer headers as well. */
const longestHeader = 100_000_000;
const maxIssues = 20;

const bitsOfType: Readonly<Record<string, number>> = {
  F64: 64,
  F32: 32,
  F16: 16,
  BF16: 16,
  F8_E4M3: 8,
  F8_E5M2: 8,
  F8_E8M0: 8,
  F8_E4M3FNUZ: 8,
  F8_E5M2FNUZ: 8,
  F6_E2M3: 6,
  F6_E3M2: 6,
  F4: 4,
  I64: 64,
  I32: 32,
  I16: 16,
  I8: 8,
  U64: 64,
  U32: 32,
  U16: 16,
  U8: 8,
  BOOL: 8,
  C64: 64,
};

const count = z.int().nonnegative();
const entrySchema = z.strictObject({
  dtype: z.string(),
  shape: z.array(count),
  data_offsets: z.tuple([count, count]),
});

/** Notes for people, which the format allows in addition to tensors. */
const metadataSchema = z.record(z.string(), z.string());

/** Reads and checks a header. @throws NeardataError `bad-input` with every problem of the file. */
export function readSafetensors(source: ByteSource): SafetensorsHeader {
  const fail = (message: string): NeardataError =>
    new NeardataError("bad-input", [{ where: source.name, message }]);
  if (source.size < 8) {
    throw fail(`a safetensors file has at least 8 bytes, this one has ${source.size}.`);
  }
  const prefix = readBytes(source, 0, 8);
  const length = Number(new DataView(prefix.buffer).getBigUint64(0, true));
  if (length > longestHeader || length > source.size - 8) {
    throw fail(
      `the header claims ${length} bytes, the file has ${source.size - 8} after its length: ` +
        "it is truncated, or not a safetensors file.",
    );
  }
  const document = parseJson(readBytes(source, 8, length), fail);
  const dataBegin = 8 + length;
  const issues: Issue[] = [];
  const tensors = new Map<string, TensorEntry>();
  let metadata: Readonly<Record<string, string>> = {};
  for (const [name, value] of Object.entries(document)) {
    if (name === "__metadata__") {
      const notes = metadataSchema.safeParse(value);
      if (notes.success) metadata = notes.data;
      else issues.push({ where: source.name, message: "__metadata__ is not an object of texts." });
      continue;
    }
    const entry = readEntry(name, value, dataBegin, source.size);
    if (typeof entry === "string") {
      issues.push({ where: source.name, message: `tensor ${formatValue(name)} ${entry}` });
    } else {
      tensors.set(name, entry);
    }
  }
  if (issues.length === 0) issues.push(...coverageIssues(source, dataBegin, [...tensors.values()]));
  if (issues.length > 0) throw new NeardataError("bad-input", shorten(issues, source.name));
  return { source, tensors, metadata };
}

function parseJson(
  raw: Uint8Array,
  fail: (message: string) => NeardataError,
): Readonly<Record<string, unknown>> {
  let text: string;
  try {
    text = new TextDecoder("utf-8", { fatal: true }).decode(raw);
  } catch {
    throw fail("the header is not JSON: it is not UTF-8 text.");
  }
  const read = readJson(text);
  if (!read.ok) throw fail(`the header is not JSON: ${read.problem}`);
  const object = z.record(z.string(), z.unknown()).safeParse(read.value);
  if (!object.success) throw fail("the header is not a JSON object of tensors.");
  return object.data;
}

/** The entry, or its problem as the rest of a sentence. */
function readEntry(
  name: string,
  value: unknown,
  dataBegin: number,
  fileSize: number,
): TensorEntry | string {
  const parsed = entrySchema.safeParse(value);
  if (!parsed.success) {
    return "does not say dtype, shape and data_offsets (and nothing else) as the format demands.";
  }
  const { dtype, shape, data_offsets: offsets } = parsed.data;
  const [begin, end] = offsets;
  const dataBytes = fileSize - dataBegin;
  if (begin > end) return `ends (${end}) before it begins (${begin}).`;
  if (end > dataBytes) {
    return `ends at byte ${end} of the data, the file has ${dataBytes}: it is truncated.`;
  }
  const bits = Object.hasOwn(bitsOfType, dtype) ? bitsOfType[dtype] : undefined;
  const wanted = (shape.reduce((product, n) => product * n, 1) * (bits ?? 0)) / 8;
  if (bits !== undefined && wanted !== end - begin) {
    return `of shape [${cut(shape.join(", "))}] and type ${dtype} needs ${wanted} bytes, its offsets hold ${end - begin}.`;
  }
  return { name, dtype, shape, begin: dataBegin + begin, end: dataBegin + end };
}

/** Tensors must neither overlap nor leave bytes between them. */
function coverageIssues(
  source: ByteSource,
  dataBegin: number,
  tensors: readonly TensorEntry[],
): readonly Issue[] {
  const issues: Issue[] = [];
  const say = (message: string): void => {
    issues.push({ where: source.name, message });
  };
  let at = dataBegin;
  let before: string | null = null;
  for (const tensor of [...tensors].sort((a, b) => a.begin - b.begin || a.end - b.end)) {
    if (tensor.begin < at && before !== null) {
      say(
        `tensors ${formatValue(before)} and ${formatValue(tensor.name)} overlap by ${at - tensor.begin} bytes.`,
      );
    } else if (tensor.begin > at) {
      say(
        `${tensor.begin - at} bytes before tensor ${formatValue(tensor.name)} belong to no tensor.`,
      );
    }
    at = Math.max(at, tensor.end);
    before = tensor.name;
  }
  if (at < source.size) say(`the last ${source.size - at} bytes belong to no tensor.`);
  return issues;
}

function shorten(issues: readonly Issue[], where: string): readonly Issue[] {
  if (issues.length <= maxIssues) return issues;
  const rest = issues.length - maxIssues;
  return [...issues.slice(0, maxIssues), { where, message: `and ${rest} more of the kind.` }];
}
