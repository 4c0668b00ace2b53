// SPDX-License-Identifier: Apache-2.0
// Facts files (format flash-facts-1): a device, requests as rows, and expected results. Only device
// and requests are read; expected results are for comparison. Rows may have any order: each has its
// submission time, and results are listed by row.

import { z } from "zod";

import { issuesOf } from "../../base/issues.ts";
import { inFile, type Issue } from "../../base/errors.ts";
import { formatValue } from "../../base/format-value.ts";
import { grouped } from "../../base/grouped.ts";
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
  const columnIssues = [
    ...columnNames
      .filter((name) => !columns.includes(name))
      .map((name) => ({ where: "columns", message: `lacks the column ${name}` })),
    ...columns
      .filter((name, i) => columns.indexOf(name) !== i)
      .map((name) => ({ where: "columns", message: `has the column ${name} twice` })),
  ];
  const place = new Map(columns.map((name, i) => [name, i]));
  const erases = requests.some((row) => row[place.get("op") ?? -1] === "E");
  const issues = [
    ...columnIssues,
    ...deviceIssues(config, "config", erases),
    // Rows have no meaning without their columns.
    ...(columnIssues.length === 0 ? rowIssues(requests, place, config) : []),
  ];
  // Rows that break another rule have no order.
  if (issues.length > 0) throw inFile(file, issues);
  const table = toTable(requests, place);
  const disorder = orderIssues(table);
  if (disorder.length > 0) throw inFile(file, disorder);
  return {
    id: id ?? "facts",
    device: config,
    timeUnit: time_unit ?? `1/${config.ticks_per_ns} ns`,
    requests: table,
  };
}

type Row = readonly (number | string)[];
type FlashLocations = ReadonlyMap<Column, number>;

function rowIssues(rows: readonly Row[], places: FlashLocations, device: FlashDevice): Issue[] {
  const place = (column: Column): number => places.get(column) ?? -1;
  const limits = (
    [
      ["submit", latestSubmit, "ticks"],
      ["batch", 0xffffffff, "a batch number"],
      ["ch", device.channels - 1, "a channel of the device"],
      ["die", device.dies_per_channel - 1, "a die of the channel"],
      ["plane", device.planes_per_die - 1, "a plane of the die"],
      ["block", 0xffffffff, "a block number"],
      ["page", 0xffffffff, "a page number"],
      ["bytes", device.page_bytes, "bytes of a page"],
    ] as const
  ).map(([column, largest, what]) => ({ column, at: place(column), largest, what }));
  const [op, bytes] = [place("op"), place("bytes")];
  const issues: Issue[] = [];
  let unlisted = 0;
  rows.forEach((row, index) => {
    const problems: string[] = [];
    for (const { column, at, largest, what } of limits) {
      const value = row[at];
      if (Number.isInteger(value) && Number(value) >= 0 && Number(value) <= largest) continue;
      problems.push(
        `${column} ${formatValue(value)} is not ${what} (a whole number from 0 to ${largest})`,
      );
    }
    if (!operations.includes(String(row[op])))
      problems.push(`op ${formatValue(row[op])} is none of R, W and E`);
    if (row.length !== places.size) {
      problems.push(`has ${String(row.length)} values for ${String(places.size)} columns`);
    }
    if (Number(row[bytes]) % 2 === 1) {
      problems.push("bytes is odd, but the bus moves two bytes at a time");
    }
    if (problems.length === 0) return;
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
    if (kind === "R") continue;
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
  const column = (name: Column): Float64Array => {
    const at = places.get(name) ?? -1;
    const values = new Float64Array(rows.length);
    rows.forEach((cells, i) => (values[i] = Number(cells[at])));
    return values;
  };
  const [submits, batches, op] = [column("submit"), column("batch"), places.get("op") ?? -1];
  const row = orderOf(submits, batches);
  const where = new Uint32Array(rows.length * placeColumns.length);
  placeColumns.forEach((name, f) => {
    const values = column(name);
    row.forEach((r, i) => (where[i * placeColumns.length + f] = present(values[r])));
  });
  return {
    count: rows.length,
    submit: new Float64Array(rows.length).map((_, i) => present(submits[present(row[i])])),
    batch: new Uint32Array(rows.length).map((_, i) => present(batches[present(row[i])])),
    operation: new Uint8Array(rows.length).map((_, i) =>
      operations.indexOf(String(rows[present(row[i])]?.[op])),
    ),
    where,
    row,
  };
}

/** Rows by submit time, and the rows of one time by batch, in the order of a batch's first row. */
function orderOf(submits: Float64Array, batches: Float64Array): Uint32Array {
  const submit = (row: number): number => present(submits[row]);
  const row = new Uint32Array(submits.length).map((_, i) => i);
  if (submits.some((time, i) => i > 0 && submit(i - 1) > time)) {
    row.sort((a, b) => submit(a) - submit(b) || a - b);
  }
  for (let from = 0, to = 1; from < row.length; from = to, to += 1) {
    const time = submit(present(row[from]));
    while (to < row.length && submit(present(row[to])) === time) to += 1;
    if (to - from < 2) continue;
    const batchesOfTime = grouped([...row.subarray(from, to)], (r) => present(batches[r]));
    row.set(batchesOfTime.flat(), from);
  }
  return row;
}
