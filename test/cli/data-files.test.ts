// SPDX-License-Identifier: Apache-2.0
// Files of data of every command that reads some: hostile contents are refused with the file and the
// place in it, and files that are changed anywhere are read or refused.

import { writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { flashPresets } from "../../src/machine/flash/presets.ts";
import { writeNpy } from "../../src/workload/npy.ts";
import { changed, describeFormats, out, type Format } from "../helpers/hostile-formats.ts";
import type { HostileFile } from "../helpers/hostile.ts";
import { bits16, safetensors, type TestTensor } from "../helpers/safetensors.ts";

const one = 0x3c00;
const aCase = { id: "a", q: 0, r: 1, k: 2, l: 0, m: 2, n: 2, page_bytes: 16 };
const dataset = {
  id: "own",
  S: 2,
  d_h: 2,
  nq: 1,
  cases: [aCase],
  q_bits: [one, 0],
  K_bits: [0, one, one, 0],
  V_bits: [one, one, 0, 0],
};
const tensors = { q: "q", k: "k", v: "v" };
const collection = {
  data: { file: "h.safetensors" },
  datasets: [{ id: "h", S: 2, d_h: 2, nq: 1, cases: [aCase], tensors }],
};
const head = bits16("F16", [2, 2], [one, 0, 0, one]);

const columns = ["submit", "batch", "op", "ch", "die", "plane", "block", "page", "bytes"];
const read = [0, 0, "R", 0, 0, 0, 0, 0, 4096];
const facts = {
  format: "flash-facts-1",
  columns,
  requests: [read, [5, 1, "W", 1, 0, 0, 0, 1, 4096]],
  config: { ...flashPresets.tlc4k, arbitration: "data_first" },
};

const expertBytes = 3 * 4096 * 1536 * 2;
const measured = {
  format: "neardata-calibration",
  version: 1,
  device: { kind: "gpu", name: "Card", memory_bytes: 2 ** 36, power_watts: 350 },
  software: { torch: "2.9.0", driver: null, date: "2025-01-31" },
  expert: {
    hidden: 4096,
    intermediate: 1536,
    bytes: expertBytes,
    points: [
      { tokens: 1, seconds: 1e-4 },
      { tokens: 16, seconds: 1e-4 },
    ],
  },
  rates: {
    gemm_flops_per_second: 6e14,
    gemv_bytes_per_second: 3e12,
    memory_bytes_per_second: 3e12,
  },
  link: { to_device_bytes_per_second: 5e10, to_host_bytes_per_second: 5e10 },
};

const device = {
  kind: "gpu",
  title: "Card",
  source: "here",
  compute: "300 TFLOPS",
  bandwidth: "2 TB/s",
  memory: "80 GiB",
  power: "350 W",
  link: "50 GB/s",
  expert: {
    size: "36 MiB",
    times: [
      [1, "30 us"],
      [16, "31 us"],
    ],
  },
};
const plan = {
  model: "opt-13b",
  host: { cpu: "spr-amx", gpu: device },
  batch: 2,
  input: 16,
  output: 4,
};

const matrix = (rows: number, columns: number): TestTensor =>
  bits16("F16", [rows, columns], new Array<number>(rows * columns).fill(one));
const weights = {
  "e.gate_proj.weight": matrix(2, 4),
  "e.up_proj.weight": matrix(2, 4),
  "e.down_proj.weight": matrix(4, 2),
};
const indexed = {
  metadata: { total_size: 48 },
  weight_map: Object.fromEntries(Object.keys(weights).map((name) => [name, "w.safetensors"])),
};

const sparfFile: HostileFile = { name: "heads.json", args: out("sparf", "eval") };

const formats: readonly Format[] = [
  {
    title: "attention datasets",
    file: sparfFile,
    good: dataset,
    refused: [
      ["a value that is no pattern", changed(dataset, "V_bits.1", -1), /json: V_bits\[1\]: -1 /],
      ["text as a value", changed(dataset, "V_bits.1", "x"), /json: V_bits\[1\]: "x" /],
      ["NaN as a value", changed(dataset, "K_bits.0", 0x7e00), /json: K_bits: .*NaN/],
      ["sizes without end", changed(dataset, "S", 2 ** 53), /json: S: /],
      ["a value too few", changed(dataset, "q_bits", [one]), /json: q_bits: .* 1 /],
      ["no values", changed(dataset, "q_bits", undefined), /json: .* q_bits/],
      ["values twice over", changed(dataset, "data", { file: "x" }), /json: .* q_bits/],
      ["a case twice", changed(dataset, "cases", [aCase, aCase]), /json: cases\[1\]\.id: /],
      ["a query that is not there", changed(dataset, "cases.0.q", 1), /json: cases\[0\]\.q: /],
    ],
  },
  {
    title: "attention datasets over tensors",
    good: collection,
    file: {
      name: "heads.json",
      args: (path, directory) => {
        writeFileSync(
          join(dirname(path), "h.safetensors"),
          safetensors({ q: head, k: head, v: head }),
        );
        return sparfFile.args(path, directory);
      },
    },
    refused: [
      [
        "no tensors",
        changed(collection, "datasets.0.tensors", undefined),
        /json: datasets\[0\]: .*tensors/,
      ],
      [
        "a dataset twice",
        changed(collection, "datasets", [collection.datasets[0], collection.datasets[0]]),
        /json: datasets\[1\]\.id: /,
      ],
    ],
  },
  {
    title: "flash facts",
    file: { name: "facts.json", args: out("flash", "replay") },
    good: facts,
    refused: [
      ["a column twice", changed(facts, "columns", [...columns, "page"]), /json: columns: .*page/],
      ["an unknown column", changed(facts, "columns.0", "more"), /json: columns\[0\]: "more"/],
      [
        "a value more in a row",
        changed(facts, "requests.1", [...read, 1]),
        /json: requests\.1: .* 10 .* 9 /,
      ],
      [
        "a value less in a row",
        changed(facts, "requests.1", read.slice(0, 8)),
        /json: requests\.1: .* 8 .* 9 /,
      ],
      ["a negative block", changed(facts, "requests.1.6", -1), /json: requests\.1: .*block -1/],
      ["a list as a value", changed(facts, "requests.1.6", [1]), /json: requests\[1\]\[6\]: /],
      [
        "absurdly many dies",
        changed(facts, "config.dies_per_channel", 2 ** 31),
        /json: .*dies_per_channel/,
      ],
    ],
  },
  {
    title: "measurements",
    file: { name: "measured.json", args: out("calibrate") },
    good: measured,
    refused: [
      [
        "an absurd link",
        changed(measured, "link.to_device_bytes_per_second", 1.2e29),
        /json: link\.to_device\w*: 1\.2e\+29 /,
      ],
      [
        "a width of nearly nothing",
        changed(measured, "expert.hidden", 1e-320),
        /json: expert\.hidden: /,
      ],
      [
        "a time of nearly nothing",
        changed(measured, "expert.points.0.seconds", 1e-320),
        /json: expert\.points\[0\]\.seconds: /,
      ],
      [
        "an absurd memory",
        changed(measured, "device.memory_bytes", 1e300),
        /json: device\.memory_bytes: /,
      ],
    ],
  },
  {
    title: "devices",
    file: { name: "plan.yaml", args: (path) => ["policy", "plan", path] },
    good: plan,
    refused: [
      [
        "an absurd link",
        changed(plan, "host.gpu.link", "120000000000000000 TB/s"),
        /yaml: host\.gpu\.link: /,
      ],
      ["an absurd batch", changed(plan, "batch", 2 ** 31), /yaml: batch: /],
      [
        "absurd tokens",
        changed(plan, "host.gpu.expert.times.1.0", 2 ** 31),
        /yaml: host\.gpu\.expert\.times\[1\]\[0\]: /,
      ],
      [
        "one point",
        changed(plan, "host.gpu.expert.times", [[1, "30 us"]]),
        /yaml: host\.gpu\.expert\.times: /,
      ],
    ],
  },
  {
    title: "indexes of shards",
    file: {
      name: "w.safetensors.index.json",
      args: (path, directory) => {
        const inputs = join(directory, "x.npy");
        const rows = { type: "f4", shape: [1, 4], data: Float32Array.of(1, 2, 3, 4) } as const;
        writeFileSync(join(directory, "w.safetensors"), safetensors(weights));
        writeFileSync(inputs, writeNpy(rows));
        const words = [
          "--weights",
          path,
          "--expert",
          "e",
          "--inputs",
          inputs,
          "--engine",
          "golden",
        ];
        return ["ndp", "eval", ...words, "--activation", "silu", "--out", join(directory, "y.npy")];
      },
    },
    good: indexed,
    refused: [
      ["no map", { metadata: {} }, /index\.json: .*weight_map/],
      [
        "a number as a shard",
        changed(indexed, "weight_map", { a: 1 }),
        /index\.json: .*weight_map/,
      ],
      ["a list as a map", changed(indexed, "weight_map", ["w"]), /index\.json: .*weight_map/],
      [
        "a shard elsewhere",
        changed(indexed, "weight_map", { a: "../w.safetensors" }),
        /index\.json: .*\.\.\/w\.safetensors/,
      ],
    ],
  },
];

describeFormats(formats);
