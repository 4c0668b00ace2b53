// SPDX-License-Identifier: Apache-2.0
// Sound inputs of `dram replay` and `dram bench`.

import { gzipSync } from "node:zlib";
import type { ValidInput } from "../input.ts";
import { json } from "./documents.ts";

const config = {
  name: "mixed",
  preset: "TriMoE",
  rate_MTps: 4800,
  timing_nCK: { nBL: 8, nCL: 40, nRCD: 34, nRP: 34, nRAS: 77, nRC: 111, nRFC1: 708, nREFI: 1000 },
  organization: {
    channels: 2,
    ranks_per_channel: 2,
    bankgroups: 8,
    banks_per_bankgroup: 4,
    rows: 65536,
    column_addresses_per_row: 128,
    channel_width_bits: 32,
    prefetch: 16,
  },
  semantics: { base: "jedec", spareQueueEntry: true },
  address_mapper: "MOP4CLXOR",
  scheduler: "FRFCFS",
  row_policy: "ClosedRowPolicy",
  closed_row_cap: 4,
  refresh: "AllBank",
  queues: { nominal_size: 32, effective_capacity_read: 32, effective_capacity_write: 32 },
  write_low_watermark: 0.2,
  write_high_watermark: 0.8,
  injection: { policy: "global_fifo", max_accepts_per_cycle: 1 },
};

const rows = [
  ["id", "arrival", "op", "addr"],
  ...Array.from({ length: 24 }, (_, i) => [
    ...[String(i), String(3 * i), i % 3 === 0 ? "W" : "R"],
    `0x${((i * 7919 * 64) % 2 ** 24).toString(16)}`,
  ]),
];
const csv = `${rows.map((row) => row.join(",")).join("\n")}\n`;

const words = (requests: string): readonly string[] => [
  ...["--config", "c.json", "--requests", requests],
  ...["--commands", "cmd.csv", "--completions", "comp.csv.gz"],
];
const outputs = ["cmd.csv", "comp.csv.gz"];

export const dramInputs: readonly ValidInput[] = [
  {
    command: "dram replay",
    name: "plain",
    words: [...words("r.csv"), "--json"],
    outputs,
    files: { "c.json": json(config), "r.csv": { kind: "csv", rows } },
    weight: 3,
  },
  {
    command: "dram replay",
    name: "gzip",
    words: words("r.csv.gz"),
    outputs,
    files: {
      "c.json": json({ preset: "DDR5-4800AN" }),
      "r.csv.gz": { kind: "bytes", bytes: gzipSync(csv) },
    },
  },
  {
    command: "dram bench",
    name: "few",
    files: {},
    outputs: [],
    weight: 0.3,
    words: ["--requests", "20", "--repeats", "1", "--json"],
  },
];
