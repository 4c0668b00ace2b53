// SPDX-License-Identifier: Apache-2.0
// Sound inputs in the formats of others: memory traces and a configuration of Ramulator 2 for
// `dram replay`, routes for `policy layer`, requests for `lm batch`, block traces for `flash replay`.

import { gzipSync } from "node:zlib";
import type { Document, ValidInput } from "../input.ts";
import { json, yaml } from "./documents.ts";

const text = (lines: readonly string[]): Document => ({
  kind: "text",
  text: `${lines.join("\n")}\n`,
});
const csv = (lines: readonly string[]): Document => ({
  kind: "csv",
  rows: lines.map((line) => line.split(",")),
});

const addresses = Array.from({ length: 12 }, (_, i) => (i * 7919 * 64) % 2 ** 24);
const hex = (n: number): string => `0x${n.toString(16)}`;
const write = (i: number): boolean => i % 3 === 0;

const memoryTraces: Readonly<Record<string, readonly string[]>> = {
  "loadstore.trace": addresses.map((a, i) => `${write(i) ? "ST" : "LD"} ${hex(a)}`),
  "vector.trace": addresses.map((_, i) => `${write(i) ? "W" : "R"} 0,${i % 4},3,1,${i},${i % 128}`),
  "ramulator1.trace": addresses.map((a, i) => `${hex(a)} ${write(i) ? "W" : "R"}`),
  "dramsim3.trace": addresses.map((a, i) => `${hex(a)} ${write(i) ? "WRITE" : "READ"} ${3 * i}`),
  "dramsys.stl": [
    "# cycles",
    ...addresses.map((a, i) => `${i}:\t${write(i) ? "write" : "read"}\t${hex(a)}`),
  ],
};

const replay = (config: string, requests: string, ...more: readonly string[]): ValidInput => ({
  command: "dram replay",
  name: requests,
  outputs: ["cmd.csv"],
  weight: 0.5,
  words: ["--config", config, "--requests", requests, "--commands", "cmd.csv", ...more],
  files: {},
});

const memory: readonly ValidInput[] = Object.entries(memoryTraces).map(([name, lines]) => ({
  ...replay("c.json", name, ...(name === "dramsys.stl" ? ["--trace-clock", "800"] : ["--json"])),
  files: { "c.json": json({ preset: "TriMoE" }), [name]: text(lines) },
}));

const ramulator = {
  Frontend: { impl: "LoadStoreTrace", clock_ratio: 1, path: "x.trace" },
  MemorySystem: {
    impl: "GenericDRAM",
    clock_ratio: 1,
    DRAM: {
      impl: "DDR5",
      org: { preset: "DDR5_16Gb_x8", channel: 1, rank: 2 },
      timing: { preset: "DDR5_3200AN", nRCD: 25, tRAS: 32.5 },
      RFM: { BRC: 2 },
    },
    Controller: {
      impl: "Generic",
      Scheduler: { impl: "FRFCFS" },
      RefreshManager: { impl: "AllBank" },
      RowPolicy: { impl: "ClosedRowPolicy", cap: 4 },
      plugins: [],
    },
    AddrMapper: { impl: "MOP4CLXOR" },
  },
};
const configuration: ValidInput = {
  ...replay("c.yaml", "r.trace", "--trace-format", "ramulator2-loadstore"),
  name: "a Ramulator 2 configuration",
  weight: 1,
  files: {
    "c.yaml": yaml(ramulator),
    "r.trace": text(memoryTraces["loadstore.trace"] ?? []),
  },
};

const chosen = [3, 8, 100, 3].flatMap((expert) => [0, 7].map((layer) => `${layer},${expert}`));
const load = Array.from({ length: 160 }, (_, expert) => (expert * 7) % 5);
const routeFiles: Readonly<Record<string, Document>> = {
  "choices.csv": csv(["layer,expert", ...chosen]),
  "counts.csv": csv(["layer_id,expert_id,count", "3,0,412", "3,18,97", "4,21,56"]),
  "sglang.json": json({ rank: 0, logical_count: [[load], [load]] }),
  "vllm.json": json({
    id: "cmpl-1",
    prompt_routed_experts: [[[1, 5]], [[2, 5]]],
    choices: [{ index: 0, routed_experts: [[[7, 1]], [[9, 3]]] }],
  }),
};
const routes: readonly ValidInput[] = Object.entries(routeFiles).map(([name, document]) => ({
  command: "policy layer",
  name,
  outputs: [],
  weight: 0.5,
  words: [name, "--model", "deepseek-v2", "--json"],
  files: { [name]: document },
}));

const azure = [
  "TIMESTAMP,NumImages,ContextTokens,GeneratedTokens",
  "2024-05-10 00:00:00.009930+00:00,0,1,1",
  "2024-05-10 00:00:00.061930+00:00,0,2,1",
];
const requestFiles: Readonly<Record<string, Document>> = {
  "azure.csv": csv(azure),
  "azure.csv.gz": { kind: "bytes", bytes: gzipSync(azure.join("\n")) },
  "mooncake.jsonl": text(
    [0, 52].map((timestamp, i) =>
      JSON.stringify({ timestamp, input_length: 1 + i, output_length: 1, hash_ids: [i] }),
    ),
  ),
  "burstgpt.csv": csv([
    "Timestamp,Session ID,Elapsed time,Model,Request tokens,Response tokens,Total tokens,Log Type",
    "5.0,,2.5,ChatGPT,1,1,2,API log",
    "6.0,,2.5,ChatGPT,9,0,9,API log",
    "9.25,,1.25,GPT-4,2,1,3,API log",
  ]),
};
const requests: readonly ValidInput[] = Object.entries(requestFiles).map(([name, document]) => ({
  // Some seconds each: a whole model serves them.
  command: "lm batch",
  name,
  outputs: [],
  weight: 0.2,
  words: ["--trace", name, "--requests", "2", "--attention", "dense", "--json"],
  files: { [name]: document },
}));

const blockFiles: Readonly<Record<string, Document>> = {
  "msr.csv": csv([
    "128166372003061629,usr,0,Read,7014609920,24576,41286",
    "128166372016382155,usr,0,Write,2657792,512,1963",
  ]),
  "mqsim.trace": text(["0 0 36 8 1", "1000 0 44 8 0"]),
};
const blocks: readonly ValidInput[] = Object.entries(blockFiles).map(([name, document]) => ({
  command: "flash replay",
  name,
  outputs: ["out.json"],
  weight: 0.3,
  code: 2,
  words: [name, "--out", "out.json"],
  files: { [name]: document },
}));

export const traceInputs: readonly ValidInput[] = [
  ...memory,
  configuration,
  ...routes,
  ...requests,
  ...blocks,
];
