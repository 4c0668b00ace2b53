// SPDX-License-Identifier: Apache-2.0
// Attention datasets (format sparf-vectors-1): queries, keys and values of a head, and cases that
// choose a query, SparF's parameters and a page layout. One dataset a file, or a list of datasets
// over the tensors of one .safetensors file. Expected values are for whoever compares.

import { z } from "zod";

import { inputError, NeardataError, type Issue } from "../errors.ts";
import type { HeadCache } from "../golden/attention.ts";
import { halvesToNumbers } from "../golden/half.ts";
import type { SparfParameters } from "../golden/sparf.ts";
import { readBytes, type ByteSource } from "./bytes.ts";
import { readSafetensors } from "./safetensors.ts";

const count = z.int().min(1);
const halves = z.array(z.int().min(0).max(0xffff));

const caseSchema = z.object({
  id: z.string(),
  q: z.int().min(0),
  r: count,
  k: count,
  l: z.int().min(0),
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
 * Reads a dataset document. `openBeside` opens a file that lies beside it.
 * @throws NeardataError `bad-input` with every problem of the document.
 */
export function parseSparfDatasets(
  document: unknown,
  openBeside: (fileName: string) => ByteSource,
): readonly SparfDataset[] {
  const isCollection = typeof document === "object" && document !== null && "datasets" in document;
  if (isCollection) {
    const { data, datasets } = checked(collectionSchema, document);
    const source = openBeside(data.file);
    return datasets.map((dataset, i) => {
      const bits = tensorBits(dataset, source, `datasets.${i}`);
      return build(dataset, bits, `datasets.${i}.`);
    });
  }
  const dataset = checked(datasetSchema, document);
  return [build(dataset, ownBits(dataset, openBeside), "")];
}

interface HeadBits {
  readonly q: Uint16Array;
  readonly k: Uint16Array;
  readonly v: Uint16Array;
}

function checked<T>(schema: z.ZodType<T>, document: unknown): T {
  const parsed = schema.safeParse(document);
  if (parsed.success) return parsed.data;
  const issues = parsed.error.issues.map((issue) => ({
    where: issue.path.map(String).join("."),
    message: issue.message,
  }));
  throw new NeardataError("bad-input", issues);
}

/** Bits inside the document, or in the raw file it names: queries, keys, values. */
function ownBits(dataset: DatasetDocument, openBeside: (name: string) => ByteSource): HeadBits {
  const { q_bits: q, K_bits: k, V_bits: v, S, d_h: width, nq, data } = dataset;
  if (q !== undefined && k !== undefined && v !== undefined) {
    return { q: Uint16Array.from(q), k: Uint16Array.from(k), v: Uint16Array.from(v) };
  }
  if (data === undefined) {
    throw inputError("", "has neither q_bits, K_bits and V_bits nor a data file");
  }
  const source = openBeside(data.file);
  const wanted = 2 * width * (nq + 2 * S);
  if (source.size !== wanted) {
    const message = `has ${source.size} bytes; ${nq} queries and ${S} tokens of ${width} need ${wanted}`;
    throw inputError(data.file, message);
  }
  const all = halvesOf(readBytes(source, 0, wanted));
  const [keys, values] = [nq * width, (nq + S) * width];
  return { q: all.subarray(0, keys), k: all.subarray(keys, values), v: all.subarray(values) };
}

/** The query of the last row and the rows before and with it, from tensors by name. */
function tensorBits(dataset: DatasetDocument, source: ByteSource, where: string): HeadBits {
  const { tensors, S, d_h: width } = dataset;
  if (tensors === undefined) throw inputError(where, "does not name its tensors");
  const header = readSafetensors(source);
  const rows = (name: string, from: number, to: number): Uint16Array => {
    const tensor = header.tensors.get(name);
    if (tensor?.dtype !== "F16" || (tensor.shape[0] ?? 0) < to || tensor.shape[1] !== width) {
      throw inputError(
        source.name,
        `has no F16 tensor "${name}" of ${to} or more rows of ${width}`,
      );
    }
    const rowBytes = 2 * width;
    return halvesOf(readBytes(source, tensor.begin + from * rowBytes, (to - from) * rowBytes));
  };
  return { q: rows(tensors.q, S - 1, S), k: rows(tensors.k, 0, S), v: rows(tensors.v, 0, S) };
}

function halvesOf(raw: Uint8Array): Uint16Array {
  const view = new DataView(raw.buffer, raw.byteOffset, raw.byteLength);
  return Uint16Array.from({ length: raw.byteLength / 2 }, (_, i) => view.getUint16(2 * i, true));
}

function build(dataset: DatasetDocument, bits: HeadBits, where: string): SparfDataset {
  const { S, d_h: width, nq } = dataset;
  const sizes = [
    ["q_bits", bits.q, nq * width],
    ["K_bits", bits.k, S * width],
    ["V_bits", bits.v, S * width],
  ] as const;
  const issues: Issue[] = sizes.flatMap(([name, values, wanted]) => [
    ...(values.length === wanted
      ? []
      : [{ where: where + name, message: `holds ${values.length} values instead of ${wanted}` }]),
    ...(values.every((half) => (half & 0x7c00) !== 0x7c00)
      ? []
      : [{ where: where + name, message: "holds an infinity or NaN, which attention cannot use" }]),
  ]);
  dataset.cases.forEach((c, i) => issues.push(...caseIssues(dataset, c, `${where}cases.${i}`)));
  if (issues.length > 0) throw new NeardataError("bad-input", issues);
  const queries = halvesToNumbers(bits.q);
  return {
    id: dataset.id,
    cache: {
      length: S,
      width,
      keys: halvesToNumbers(bits.k),
      values: halvesToNumbers(bits.v),
    },
    queries: Array.from({ length: nq }, (_, i) => queries.slice(i * width, (i + 1) * width)),
    cases: dataset.cases.map(({ id, q, r, k, l, m, n, page_bytes: pageBytes }) => {
      return { id, query: q, r, k, l, m, n, pageBytes };
    }),
  };
}

function caseIssues(
  dataset: DatasetDocument,
  { q, r, m, n, page_bytes: pageBytes }: z.infer<typeof caseSchema>,
  where: string,
): Issue[] {
  const { d_h: width, nq } = dataset;
  const rules: readonly (readonly [boolean, string, string])[] = [
    [q < nq, "q", `is ${q}, but there are ${nq} queries`],
    [r <= width, "r", `is ${r}, more than the ${width} dimensions of a head`],
    [2 * m <= pageBytes, "m", `is ${m}, more dimensions than a page of ${pageBytes} bytes holds`],
    [
      2 * width * n <= pageBytes,
      "n",
      `is ${n}, but a page of ${pageBytes} bytes holds ${Math.floor(pageBytes / (2 * width))} tokens`,
    ],
  ];
  return rules
    .filter(([holds]) => !holds)
    .map(([, field, message]) => ({ where: `${where}.${field}`, message }));
}
