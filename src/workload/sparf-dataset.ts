// SPDX-License-Identifier: Apache-2.0
// Attention datasets (format sparf-vectors-1): queries, keys and values of a head, and cases that
// choose a query, SparF's parameters and a page layout. One dataset a file, or a list of datasets
// over the tensors of one .safetensors file. Expected values are for comparison.

import { z } from "zod";

import { issuesOf } from "../base/issues.ts";
import { inFile, inputError, type Issue } from "../base/errors.ts";
import type { HeadCache } from "../golden/attention/attention.ts";
import { halvesToNumbers } from "../golden/half.ts";
import type { SparfParameters } from "../golden/attention/sparf.ts";
import { formatValue } from "../base/format-value.ts";
import { readBytes, type ByteSource } from "../base/bytes.ts";
import { readSafetensors, type SafetensorsHeader } from "./safetensors.ts";

/** Beyond any memory, and small enough that sizes computed from counts are exact integers. */
const maxCount = 2 ** 24;
const count = z.int().min(1).max(maxCount);
const halves = z.array(z.int().min(0).max(0xffff));

const caseSchema = z.object({
  id: z.string(),
  q: z.int().min(0),
  r: count,
  k: count,
  l: z.int().min(0).max(maxCount),
  m: count,
  n: count,
  page_bytes: count.multipleOf(2),
});

const datasetSchema = z.object({
  id: z.string(),
  S: count,
  d_h: count,
  nq: count,
  cases: z.array(caseSchema).min(1),
  q_bits: halves.optional(),
  K_bits: halves.optional(),
  V_bits: halves.optional(),
  data: z.object({ file: z.string() }).optional(),
  tensors: z.object({ q: z.string(), k: z.string(), v: z.string() }).optional(),
});

const collectionSchema = z.object({
  data: z.object({ file: z.string() }),
  datasets: z.array(datasetSchema).min(1),
});

type DatasetDocument = z.infer<typeof datasetSchema>;

/** One case: which query, how much to select, how pages are laid out. */
export interface SparfCase extends SparfParameters {
  readonly id: string;
  /** Row of `queries`. */
  readonly query: number;
  readonly m: number;
  readonly n: number;
  readonly pageBytes: number;
}

/** A head's cache and the cases over it; every value is a binary16. */
export interface SparfDataset {
  readonly id: string;
  readonly cache: HeadCache;
  /** Rows of `cache.width`. */
  readonly queries: readonly Float64Array[];
  readonly cases: readonly SparfCase[];
}

/**
 * Reads a dataset document. `openBeside` opens a file in the directory of the document `file`.
 * @throws NeardataError `bad-input` with every problem of the document or of the file that it
 * names.
 */
export function parseSparfDatasets(
  document: unknown,
  openBeside: (fileName: string) => ByteSource,
  file: string,
): readonly SparfDataset[] {
  const isCollection = typeof document === "object" && document !== null && "datasets" in document;
  const placed = isCollection
    ? tensorDatasets(checked(collectionSchema, document, file), openBeside, file)
    : [neardataDataset(checked(datasetSchema, document, file), openBeside, file)];
  const issues = [
    ...placed.flatMap(({ dataset, bits, where }) => datasetIssues(dataset, bits, where)),
    ...repeated(
      placed.flatMap(({ dataset: { cases }, where }) =>
        cases.map(({ id }, i) => ({ id, where: `${where}cases[${i}].id` })),
      ),
    ),
    ...repeated(placed.map(({ dataset: { id }, where }) => ({ id, where: `${where}id` }))),
  ];
  if (issues.length > 0) throw inFile(file, issues);
  return placed.map(({ dataset, bits }) => build(dataset, bits));
}

interface HeadBits {
  readonly q: Uint16Array;
  readonly k: Uint16Array;
  readonly v: Uint16Array;
}

/** A dataset with its values, and the path of its keys in the document. */
interface Placed {
  readonly dataset: DatasetDocument;
  readonly bits: HeadBits;
  readonly where: string;
}

function checked<T>(schema: z.ZodType<T>, document: unknown, file: string): T {
  const parsed = schema.safeParse(document, { reportInput: true });
  if (parsed.success) return parsed.data;
  throw inFile(file, issuesOf(parsed.error, schema));
}

function repeated(names: readonly { readonly id: string; readonly where: string }[]): Issue[] {
  const seen = new Set<string>();
  return names.flatMap(({ id, where }) => {
    if (seen.has(id)) return [{ where, message: `${formatValue(id)} occurs twice.` }];
    seen.add(id);
    return [];
  });
}

function tensorDatasets(
  { data, datasets }: z.infer<typeof collectionSchema>,
  openBeside: (name: string) => ByteSource,
  file: string,
): readonly Placed[] {
  const source = openBeside(data.file);
  const header = readSafetensors(source);
  return datasets.map((dataset, i) => {
    const place = `datasets[${i}]`;
    if (dataset.tensors === undefined) {
      throw inputError(`${file}: ${place}`, "this does not name its tensors.");
    }
    return { dataset, bits: tensorBits(dataset, dataset.tensors, header), where: `${place}.` };
  });
}

/** Bits inside the document, or in the raw file it names: queries, keys, values. */
function neardataDataset(
  dataset: DatasetDocument,
  openBeside: (name: string) => ByteSource,
  file: string,
): Placed {
  const { q_bits: q, K_bits: k, V_bits: v, S, d_h: width, nq, data } = dataset;
  const given = [q, k, v].filter((bits) => bits !== undefined).length;
  if (given !== (data === undefined ? 3 : 0)) {
    throw inputError(file, "this has to have q_bits, K_bits and V_bits, or else a data file.");
  }
  if (data === undefined) {
    const halvesIn = (bits: readonly number[] = []): Uint16Array => Uint16Array.from(bits);
    return { dataset, bits: { q: halvesIn(q), k: halvesIn(k), v: halvesIn(v) }, where: "" };
  }
  const source = openBeside(data.file);
  const wanted = 2 * width * (nq + 2 * S);
  if (source.size !== wanted) {
    const message = `this has ${source.size} bytes; ${nq} queries and ${S} tokens of ${width} need ${wanted}.`;
    throw inputError(source.name, message);
  }
  const all = halvesOf(readBytes(source, 0, wanted));
  const [keys, values] = [nq * width, (nq + S) * width];
  const bits = { q: all.subarray(0, keys), k: all.subarray(keys, values), v: all.subarray(values) };
  return { dataset, bits, where: "" };
}

/** The query of the last row and the rows before and with it, from tensors by name. */
function tensorBits(
  { S, d_h: width }: DatasetDocument,
  names: { readonly q: string; readonly k: string; readonly v: string },
  { source, tensors }: SafetensorsHeader,
): HeadBits {
  const rows = (name: string, from: number, to: number): Uint16Array => {
    const tensor = tensors.get(name);
    const [length = 0, ...rest] = tensor?.shape ?? [];
    if (tensor?.dtype !== "F16" || length < to || rest.length !== 1 || rest[0] !== width) {
      const message = `this has no F16 tensor ${formatValue(name)} of ${to} or more rows of ${width}.`;
      throw inputError(source.name, message);
    }
    const rowBytes = 2 * width;
    return halvesOf(readBytes(source, tensor.begin + from * rowBytes, (to - from) * rowBytes));
  };
  return { q: rows(names.q, S - 1, S), k: rows(names.k, 0, S), v: rows(names.v, 0, S) };
}

function halvesOf(raw: Uint8Array): Uint16Array {
  const view = new DataView(raw.buffer, raw.byteOffset, raw.byteLength);
  return Uint16Array.from({ length: raw.byteLength / 2 }, (_, i) => view.getUint16(2 * i, true));
}

/** Problems of a well-formed dataset. */
function datasetIssues(dataset: DatasetDocument, bits: HeadBits, where: string): readonly Issue[] {
  const { S, d_h: width, nq, cases } = dataset;
  const sizes = [
    ["q_bits", bits.q, nq * width],
    ["K_bits", bits.k, S * width],
    ["V_bits", bits.v, S * width],
  ] as const;
  return [
    ...sizes.flatMap(([name, values, wanted]) => [
      ...(values.length === wanted
        ? []
        : [
            {
              where: where + name,
              message: `this has ${values.length} values instead of ${wanted}.`,
            },
          ]),
      ...(values.every((half) => (half & 0x7c00) !== 0x7c00)
        ? []
        : [{ where: where + name, message: "attention takes no infinity and no NaN." }]),
    ]),
    ...cases.flatMap((one, i) => caseIssues(dataset, one, `${where}cases[${i}]`)),
  ];
}

function build({ id, S, d_h: width, nq, cases }: DatasetDocument, bits: HeadBits): SparfDataset {
  const queries = halvesToNumbers(bits.q);
  return {
    id,
    cache: {
      length: S,
      width,
      keys: halvesToNumbers(bits.k),
      values: halvesToNumbers(bits.v),
    },
    queries: Array.from({ length: nq }, (_, i) => queries.slice(i * width, (i + 1) * width)),
    cases: cases.map(({ id, q, r, k, l, m, n, page_bytes: pageBytes }) => {
      return { id, query: q, r, k, l, m, n, pageBytes };
    }),
  };
}

function caseIssues(
  { d_h: width, nq }: DatasetDocument,
  { q, r, m, n, page_bytes: pageBytes }: z.infer<typeof caseSchema>,
  where: string,
): readonly Issue[] {
  const dims = Math.floor(pageBytes / 2);
  const tokens = Math.floor(pageBytes / (2 * width));
  const rules: readonly (readonly [string, number, number, string])[] = [
    ["q", q, nq - 1, `the last of ${nq} queries`],
    ["r", r, width, "the dimensions of a head"],
    ["m", m, dims, `the dimensions in a page of ${pageBytes} bytes`],
    ["n", n, tokens, `the tokens in a page of ${pageBytes} bytes`],
  ];
  return rules
    .filter(([, given, most]) => given > most)
    .map(([field, given, most, what]) => ({
      where: `${where}.${field}`,
      message: `${given} is more than ${most}, ${what}.`,
    }));
}
