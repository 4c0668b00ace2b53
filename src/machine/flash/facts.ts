// SPDX-License-Identifier: Apache-2.0
// Facts files (format flash-facts-1): a device, requests as rows, and expected results. Only device
// and requests are read; expected results are for comparison. Rows may have any order: each has its
// submission time, and results are listed by row.

import { z } from "zod";

import { issuesOf } from "../../base/issues.ts";
import { inFile, type Issue } from "../../base/errors.ts";
import { formatValue } from "../../base/format-value.ts";
import { present } from "../../base/present.ts";
import { deviceIssues, flashDeviceSchema, type FlashDevice } from "./device.ts";

/** Requests in order of arrival, column by column; `place` maps back to the row in the file. */
export interface RequestTable {
  readonly count: number;
  readonly submit: Float64Array;
  readonly batch: Uint32Array;
  readonly operation: Uint8Array;
  readonly where: Uint32Array;
  readonly row: Uint32Array;
}

/** A facts file that obeys every rule. */
export interface FlashFacts {
  readonly id: string;
  readonly device: FlashDevice;
  readonly timeUnit: string;
  readonly requests: RequestTable;
}

const columnNames = [
  "submit",
  "batch",
  "op",
  "ch",
  "die",
  "plane",
  "block",
  "page",
  "bytes",
] as const;
type Column = (typeof columnNames)[number];
/** Columns of a page's place, in the addon's order (`FlashPage`). */
const placeColumns: readonly Column[] = ["ch", "die", "plane", "block", "page", "bytes"];

/** Weeks of nanoseconds; a later completion still fits in 63 bits. */
const latestSubmit = 2 ** 52;
const operations = ["R", "W", "E"];

const documentSchema = z.object({
  format: z.literal("flash-facts-1"),
  id: z.string().optional(),
  config: flashDeviceSchema,
  time_unit: z.string().optional(),
  columns: z.array(z.enum(columnNames)),
  requests: z.array(z.array(z.union([z.number(), z.string()]))).min(1),
});

/** At most this many bad rows are listed one by one. */
const listedRows = 20;

/**
 * Reads a facts document.
 * @throws NeardataError `bad-input` with every problem of the document.
 */
export function parseFacts(document: unknown, file = ""): FlashFacts {
  const parsed = documentSchema.safeParse(document, { reportInput: true });
  if (!parsed.success) throw inFile(file, issuesOf(parsed.error, documentSchema));
  const { config, columns, requests, id, time_unit } = parsed.data;
  const missing = columnNames.filter((name) => !columns.includes(name));
  const place = new Map(columns.map((name, i) => [name, i]));
  const erases = requests.some((row) => row[place.get("op") ?? -1] === "E");
  const issues = [
    ...missing.map((name) => ({ where: "columns", message: `lacks the column ${name}` })),
    ...columns
      .filter((name, i) => columns.indexOf(name) !== i)
      .map((name) => ({ where: "columns", message: `has the column ${name} twice` })),
    ...deviceIssues(config, "config", erases),
    ...(missing.length === 0 ? rowIssues(requests, place, config) : []),
  ];
  // Rows that break another rule have no order.
  if (issues.length === 0) issues.push(...orderIssues(toTable(requests, place)));
  if (issues.length > 0) throw inFile(file, issues);
  return {
    id: id ?? "facts",
    device: config,
    timeUnit: time_unit ?? `1/${config.ticks_per_ns} ns`,
    requests: toTable(requests, place),
  };
}

type Row = readonly (number | string)[];
type FlashLocations = ReadonlyMap<Column, number>;

function cell(row: Row, places: FlashLocations, column: Column): number | string | undefined {
  return row[places.get(column) ?? -1];
}

function rowIssues(rows: readonly Row[], places: FlashLocations, device: FlashDevice): Issue[] {
  const limits: readonly (readonly [Column, number, string])[] = [
    ["submit", latestSubmit, "ticks"],
    ["batch", 0xffffffff, "a batch number"],
    ["ch", device.channels - 1, "a channel of the device"],
    ["die", device.dies_per_channel - 1, "a die of the channel"],
    ["plane", device.planes_per_die - 1, "a plane of the die"],
    ["block", 0xffffffff, "a block number"],
    ["page", 0xffffffff, "a page number"],
    ["bytes", device.page_bytes, "bytes of a page"],
  ];
  const issues: Issue[] = [];
  let unlisted = 0;
  rows.forEach((row, index) => {
    const problems = limits.flatMap(([column, largest, what]) => {
      const value = cell(row, places, column);
      if (Number.isInteger(value) && Number(value) >= 0 && Number(value) <= largest) return [];
      return [
        `${column} ${formatValue(value)} is not ${what} (a whole number from 0 to ${largest})`,
      ];
    });
    const op = cell(row, places, "op");
    if (!operations.includes(String(op)))
      problems.push(`op ${formatValue(op)} is none of R, W and E`);
    if (row.length !== places.size) {
      problems.push(`has ${String(row.length)} values for ${String(places.size)} columns`);
    }
    if (Number(cell(row, places, "bytes")) % 2 === 1) {
      problems.push("bytes is odd, but the bus moves two bytes at a time");
    }
    const room = Math.max(0, listedRows - issues.length);
    issues.push(
      ...problems.slice(0, room).map((message) => ({ where: `requests.${index}`, message })),
    );
    unlisted += Math.max(0, problems.length - room);
  });
  if (unlisted > 0) {
    issues.push({ where: "requests", message: `${unlisted} more problems of this kind` });
  }
  return issues;
}

/**
 * Programs of a block in a wrong order. NAND programs the pages of a block in ascending order, each
 * once between two erases. The contents of a block before the first row are unknown.
 */
function orderIssues({ count, operation, where, row }: RequestTable): Issue[] {
  const last = new Map<string, number>();
  const issues: Issue[] = [];
  const width = placeColumns.length;
  for (let i = 0; i < count; i += 1) {
    const kind = operations[present(operation[i])];
    const at = where.subarray(i * width, (i + 1) * width);
    const [channel = 0, die = 0, plane = 0, block = 0, page = 0] = at;
    const key = [channel, die, plane, block].join(":");
    if (kind === "E") last.delete(key);
    if (kind !== "W") continue;
    const before = last.get(key);
    last.set(key, page);
    if (before === undefined || before < page) continue;
    const message =
      `programs page ${page} of block ${block} (channel ${channel}, die ${die}, plane ${plane}) after ` +
      `page ${before}; NAND takes the pages of a block in ascending order, each once between erases`;
    issues.push({ where: `requests.${present(row[i])}`, message });
  }
  if (issues.length <= listedRows) return issues;
  const unlisted = issues.length - listedRows;
  const more = { where: "requests", message: `${unlisted} more problems of this kind` };
  return [...issues.slice(0, listedRows), more];
}

/** Rows by submit time; at one time batches in order of appearance, each batch side by side. */
function toTable(rows: readonly Row[], places: FlashLocations): RequestTable {
  const value = (row: number, column: Column): number =>
    Number(cell(rows[row] ?? [], places, column));
  const firstRow = new Map<string, number>();
  const group = rows.map((_, row) => {
    const key = `${value(row, "submit")}:${value(row, "batch")}`;
    const first = firstRow.get(key) ?? row;
    firstRow.set(key, first);
    return first;
  });
  const row = Uint32Array.from(rows.keys()).sort(
    (a, b) =>
      value(a, "submit") - value(b, "submit") || present(group[a]) - present(group[b]) || a - b,
  );
  const where = new Uint32Array(rows.length * placeColumns.length);
  row.forEach((r, i) => {
    placeColumns.forEach((field, f) => (where[i * placeColumns.length + f] = value(r, field)));
  });
  const operation = Uint8Array.from(row, (r) =>
    operations.indexOf(String(cell(rows[r] ?? [], places, "op"))),
  );
  return {
    count: rows.length,
    submit: Float64Array.from(row, (r) => value(r, "submit")),
    batch: Uint32Array.from(row, (r) => value(r, "batch")),
    operation,
    where,
    row,
  };
}
