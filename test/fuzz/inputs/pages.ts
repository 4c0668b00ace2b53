// SPDX-License-Identifier: Apache-2.0
// Sound inputs of what is made of results and of the RTL: `report`, `coverage`, `area`, `schema`,
// `doctor`, `bench`, `reproduce`; and of `flash replay`.

import { flashPresets } from "../../../src/machine/flash/presets.ts";
import { documentHashOf, resultHashOf } from "../../../src/report/saved/seal.ts";
import type { Document, ValidInput } from "../input.ts";
import { treeOf } from "../tree.ts";
import { json } from "./documents.ts";

const cells = `library (own) {
  time_unit : "1ps";
  cell (TIE1) {
    area : 1;
    pin (Y) { direction : output; function : "1"; }
  }
  cell (TIE0) {
    area : 1;
    pin (Y) { direction : output; function : "0"; }
  }
  cell (BUF) {
    area : 2;
    pin (A) { direction : input; capacitance : 1; }
    pin (Y) { direction : output; function : "A"; }
  }
  cell (NAND2) {
    area : 1.5;
    pin (A) { direction : input; capacitance : 1; }
    pin (B) { direction : input; capacitance : 1; }
    pin (Y) { direction : output; function : "!(A B)"; }
  }
  cell (DFF) {
    area : 6;
    ff (IQ, IQN) { clocked_on : "C"; next_state : "D"; }
    pin (C) { direction : input; clock : true; }
    pin (D) { direction : input; }
    pin (Q) { direction : output; function : "IQ"; }
  }
}
`;

const areas: readonly ValidInput[] = [
  {
    command: "area",
    name: "own cells",
    outputs: ["page.html"],
    weight: 0.7,
    code: 3,
    words: [
      ...["ndp", "--target", "asic", "--liberty", "c.lib", "--param", "Lanes=8"],
      ...["--out", "page.html", "--json"],
    ],
    files: { "c.lib": { kind: "text", text: cells } },
  },
  {
    command: "area",
    name: "a sweep",
    files: {},
    outputs: [],
    weight: 0.3,
    code: 3,
    words: ["sparf", "--target", "xc7", "--sweep", "Kernels=1,2", "--param", "Slots=2"],
  },
];

const point = (fields: Readonly<Record<string, string>>, count: number): string => {
  const text = Object.entries(fields).map(([name, value]) => `\u0001${name}\u0002${value}`);
  return `C '${text.join("")}' ${String(count)}`;
};
const place = { f: "rtl/common/fp_add.sv", n: "3" };
const counts = [
  "# SystemC::Coverage-3",
  point({ ...place, l: "7", page: "v_branch/fifo", o: "if", S: "7,9-10", h: "TOP.a" }, 2),
  point({ ...place, l: "8", page: "v_line/fifo", o: "block", S: "8", h: "TOP.a" }, 1),
  point({ ...place, l: "20", page: "v_user/fifo", o: "cover", h: "TOP.fifo.Full_C" }, 0),
  point({ ...place, l: "22", page: "v_toggle/fifo", o: "data[0]", h: "TOP.fifo" }, 3),
  "",
].join("\n");

const coverages: readonly ValidInput[] = [
  {
    command: "coverage",
    name: "counts",
    outputs: ["page.html"],
    own: /^coverage\.html$/,
    code: 1,
    words: ["counts", "--out", "page.html", "--waivers", "w.txt"],
    files: {
      "counts/a.dat": { kind: "text", text: counts },
      "counts/b.dat": { kind: "text", text: counts },
      "w.txt": { kind: "text", text: "# waivers\nrtl/common/fp_add.sv | line 9 | Why.\n" },
    },
  },
  {
    command: "coverage",
    name: "as JSON",
    words: ["counts", "--json"],
    outputs: [],
    own: /^coverage\.html$/,
    code: 1,
    files: { "counts/a.dat": { kind: "text", text: counts } },
    weight: 0.3,
  },
];

const alone = (command: string, words: readonly string[], weight: number): ValidInput => ({
  command,
  name: words.join(" "),
  words,
  files: {},
  outputs: [],
  weight,
});

const flashRows = [
  [0, 0, "R", 0, 0, 0, 0, 0, 4096],
  [0, 0, "R", 1, 1, 0, 0, 0, 4096],
  [500, 1, "W", 0, 0, 0, 0, 1, 4096],
  [900, 2, "E", 0, 0, 0, 0, 0, 0],
];

const flash: ValidInput = {
  command: "flash replay",
  name: "facts",
  outputs: ["out.json"],
  weight: 3,
  words: ["facts.json", "--out", "out.json", "--json"],
  files: {
    "facts.json": json({
      format: "flash-facts-1",
      id: "own",
      time_unit: "1/7 ns",
      config: { ...flashPresets.tlc4k, arbitration: "data_first" },
      columns: ["submit", "batch", "op", "ch", "die", "plane", "block", "page", "bytes"],
      requests: flashRows,
    }),
  },
};

const lengths = [["TIMESTAMP", "ContextTokens", "GeneratedTokens"]].concat(
  [100, 200, 300].map((n) => ["2023-11-16 18:17:03", String(n), String(n / 10)]),
);

const reproductions: readonly ValidInput[] = [
  {
    ...alone("reproduce", ["lia", "--only", "lia/arithmetic", "--out", "pages", "--json"], 0.5),
    outputs: ["pages"],
  },
  {
    ...alone("reproduce", ["--only", "flexgen/arithmetic", "--out", "pages"], 0.3),
    outputs: ["pages"],
  },
  {
    ...alone(
      "reproduce",
      ["llmshare", "--only", "llmshare/arithmetic", "--requests", "r.csv"],
      0.5,
    ),
    files: { "r.csv": { kind: "csv", rows: lengths } },
  },
];

export const pageInputs: readonly ValidInput[] = [
  ...areas,
  ...coverages,
  flash,
  ...reproductions,
  alone("schema", [], 0.1),
  alone("schema", ["--markdown"], 0.1),
  { ...alone("doctor", ["--json"], 0.1), code: 3 },
  { ...alone("bench", ["--repeats", "0", "--json"], 0.1), code: 2 },
];

/** A run's results with recomputed hashes, so that their contents are checked as well. */
function hashed(text: string): Document {
  return {
    kind: "headed",
    header: treeOf(JSON.parse(text)),
    assemble: (changed) => {
      const bytes = (value: string): Uint8Array => new TextEncoder().encode(value);
      try {
        const document = JSON.parse(changed) as object;
        const sealed = { ...document, resultHash: resultHashOf(document) };
        return bytes(JSON.stringify({ ...sealed, documentHash: documentHashOf(sealed) }));
      } catch {
        return bytes(changed);
      }
    },
  };
}

/** Files of a run's directory, by name. */
export type RunFiles = Readonly<Record<string, Uint8Array>>;

/** Inputs of `report` on the directories of two runs. */
export function reportInputs(first: RunFiles, second: RunFiles): readonly ValidInput[] {
  const raw = (text: string): Document => ({ kind: "json", tree: treeOf(JSON.parse(text)) });
  const run = (name: string, files: RunFiles, results: typeof raw): ValidInput["files"] =>
    Object.fromEntries(
      Object.entries(files).map(([file, bytes]) => [
        `${name}/${file}`,
        file === "results.json"
          ? results(new TextDecoder().decode(bytes))
          : { kind: "bytes" as const, bytes },
      ]),
    );
  const own = /^compare\.html$/;
  return [
    {
      command: "report",
      name: "one",
      words: ["a"],
      outputs: [],
      weight: 0.5,
      own,
      files: run("a", first, raw),
    },
    {
      command: "report",
      name: "one, hashes made anew",
      words: ["a", "--json"],
      outputs: [],
      own,
      files: run("a", first, hashed),
    },
    {
      command: "report",
      name: "two",
      outputs: ["page.html"],
      own,
      words: ["a", "b", "--out", "page.html"],
      files: { ...run("a", first, hashed), ...run("b", second, hashed) },
    },
  ];
}
