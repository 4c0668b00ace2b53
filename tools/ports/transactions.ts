// SPDX-License-Identifier: Apache-2.0
// The timing diagrams of docs/reference/ports.md: which signals and cycles of the runs they show.

import { cyclesAround, drawDiagram, type Row } from "./draw-waves.ts";
import { pictureFile } from "./page.ts";
import { recordScenario, type Recording } from "./record.ts";
import {
  dimm,
  engine,
  head,
  matrix,
  relayout,
  rests,
  transposition,
  wordsToBits,
} from "./scenarios.ts";

/** Valid, ready and payload of a stream; `bits` are those of lane 0. */
function stream(
  name: string,
  [valid, ready]: readonly [string, string],
  payload: readonly (readonly [port: string, label?: string, bits?: readonly [number, number]])[],
  lane = "",
): readonly Row[] {
  const own = (port: string): Row =>
    lane === "" ? { label: port, port } : { label: `${port}${lane}`, port, bits: [0, 0] };
  const validRow = own(`${name}_${valid}`);
  const readyRow = own(`${name}_${ready}`);
  return [
    { ...validRow, ready: readyRow.label },
    readyRow,
    ...payload.map(([port, label, bits]) => ({
      port: `${name}_${port}`,
      label: label ?? `${name}_${port}`,
      valid: validRow.label,
      ...(bits === undefined ? {} : { bits }),
    })),
  ];
}

const out = ["valid_o", "ready_i"] as const;
const into = ["valid_i", "ready_o"] as const;
const word = (
  label: string,
  number: number,
): readonly [string, string, readonly [number, number]] => [
  "i",
  label,
  [32 * number + 31, 32 * number],
];

type Pictures = readonly (readonly [file: string, svg: string])[];

const drawn: Readonly<Record<string, () => Promise<Pictures>>> = {
  dimm_ndp: dimmPictures,
  sparf_engine: enginePictures,
  relayout_unit: relayoutPictures,
  transposition_buffer: transpositionPictures,
};

/** Timing diagrams of units, of all without a name: names of files in `docs`, and SVG. */
export async function timingDiagrams(
  tops: readonly string[] = Object.keys(drawn),
): Promise<ReadonlyMap<string, string>> {
  const all = new Map<string, string>();
  for (const top of tops) {
    const draw = drawn[top];
    if (draw === undefined) throw new Error(`there are no timing diagrams of ${top}`);
    for (const [file, svg] of await draw()) all.set(file, svg);
  }
  return all;
}

interface PictureOptions {
  readonly name: string;
  readonly title: string;
  readonly rows: readonly Row[];
  readonly cycles: readonly number[];
}

function picture(
  top: string,
  { waves }: Recording,
  { name, title, rows, cycles }: PictureOptions,
): Pictures[number] {
  return [pictureFile(top, name), drawDiagram(waves, { title: `${top}: ${title}`, rows, cycles })];
}

async function dimmPictures(): Promise<Pictures> {
  const desc = stream("desc", into, [word("desc_i word 1", 1)]);
  const done = stream("done", out, [["field_o"]]);
  const req = stream(
    "req",
    out,
    [
      ["addr_o", "req_addr_o of stream 0", [31, 0]],
      ["tag_o", "req_tag_o of stream 0", [2, 0]],
    ],
    "[0]",
  );
  const rsp = stream("rsp", into, [["tag_i", "rsp_tag_i of stream 0", [2, 0]]], "[0]");
  const job = await recordScenario({
    ...dimm,
    pauses: { req: rests(0.5, 4), out: rests(0.6, 7), done: rests(0.7, 3) },
    first: [{ stream: "desc", at: 1, message: wordsToBits(matrix) }],
  });
  const refused = await recordScenario({
    ...dimm,
    cycles: 20,
    first: [{ stream: "desc", at: 1, message: wordsToBits(matrix.with(1, 0)) }],
  });
  const [begun = 0] = job.moved("req");
  const ends = [...job.moved("out"), ...job.moved("done")];
  return [
    picture("dimm_ndp", job, {
      name: "start",
      title: "a job starts",
      rows: [...desc, ...req, ...rsp],
      cycles: cyclesAround([1, begun, begun + 6, begun + 12], 1, 5),
    }),
    picture("dimm_ndp", job, {
      name: "output",
      title: "outputs and completion",
      rows: [...stream("out", out, [["stream_o"], ["addr_o"], ["data_o"]]), ...done],
      cycles: cyclesAround(ends, 3, 1),
    }),
    picture("dimm_ndp", refused, {
      name: "refused",
      title: "a refused descriptor",
      rows: [...desc, ...done, { label: "req_valid_o", port: "req_valid_o" }],
      cycles: cyclesAround([1, ...refused.moved("done")], 1, 3),
    }),
  ];
}

async function enginePictures(): Promise<Pictures> {
  const desc = stream("desc", into, [word("desc_i word 0", 0), word("desc_i word 1", 1)]);
  const done = stream("done", out, [
    ["o", "done_o.non_finite", [26, 26]],
    ["o", "done_o.refused", [25, 25]],
    ["o", "done_o.field", [20, 16]],
    ["o", "done_o.tag", [15, 0]],
  ]);
  const reads = [...stream("dr_req", out, [["addr_o"]]), ...stream("dr_rsp", into, [["data_i"]])];
  const page = stream("page_req", out, [
    ["o", "page_req_o.write", [82, 82]],
    ["o", "page_req_o.kind", [49, 48]],
    ["o", "page_req_o.index", [81, 50]],
    ["o", "page_req_o.head", [47, 16]],
    ["o", "page_req_o.tag", [15, 0]],
  ]);
  const beats = stream(
    "ch",
    into,
    [
      ["first_i", "ch_first_i[0]", [0, 0]],
      ["error_i", "ch_error_i[0]", [0, 0]],
      ["tag_i", "ch_tag_i of channel 0", [15, 0]],
      ["data_i", "ch_data_i of channel 0", [63, 0]],
    ],
    "[0]",
  );
  const job = await recordScenario({
    ...engine,
    pauses: {
      dr_req: rests(0.7, 4),
      page_req: rests(0.6, 5),
      dw: rests(0.7, 4),
      done: rests(0.7, 4),
    },
    first: [{ stream: "desc", at: 1, message: wordsToBits(head) }],
  });
  const refused = await recordScenario({
    ...engine,
    cycles: 40,
    first: [{ stream: "desc", at: 1, message: wordsToBits(head.with(0, 0x00070003)) }],
  });
  const [keys = 0] = job.moved("ch");
  return [
    picture("sparf_engine", job, {
      name: "start",
      title: "a job starts",
      rows: [...desc, ...reads],
      cycles: cyclesAround([1, ...job.moved("dr_req"), ...job.moved("dr_rsp")], 2, 1),
    }),
    picture("sparf_engine", job, {
      name: "page",
      title: "pages of keys and values",
      rows: [...page, ...beats],
      cycles: cyclesAround([...job.moved("page_req"), keys, keys + 4, keys + 7], 2, 2),
    }),
    picture("sparf_engine", job, {
      name: "output",
      title: "an output row and the completion",
      rows: [...stream("dw", out, [["addr_o"], ["data_o"]]), ...done],
      cycles: cyclesAround([...job.moved("dw"), ...job.moved("done")], 4, 1),
    }),
    picture("sparf_engine", refused, {
      name: "refused",
      title: "a refused descriptor",
      rows: [...desc, ...done, { label: "dr_req_valid_o", port: "dr_req_valid_o" }],
      cycles: cyclesAround([1, ...refused.moved("done")], 2, 3),
    }),
  ];
}

async function relayoutPictures(): Promise<Pictures> {
  const run = await recordScenario(relayout);
  const rows = [
    ...stream("run", into, [["from_i"], ["i", "run_i.bursts", [31, 0]]]),
    ...stream(
      "read",
      out,
      [
        ["tag_o", "read_tag_o of stream 0", [3, 0]],
        ["burst_o", "read_burst_o of stream 0", [31, 0]],
      ],
      "[0]",
    ),
    { label: "rsp_valid_i[0]", port: "rsp_valid_i", bits: [0, 0] as const },
    {
      label: "rsp_tag_i of stream 0",
      port: "rsp_tag_i",
      bits: [3, 0] as const,
      valid: "rsp_valid_i[0]",
    },
    ...stream("link_out", out, [
      ["header_o", "header: target", [7, 0]],
      ["header_o", "header: payload_bytes", [47, 32]],
      ["header_o", "header: burst", [95, 64]],
      ["data_o"],
      ["last_o"],
    ]),
  ];
  const moved = [
    ...run.moved("run"),
    ...run.moved("read"),
    ...run.moved("rsp"),
    ...run.moved("link_out"),
  ];
  return [
    picture("relayout_unit", run, {
      name: "packet",
      title: "a run becomes a packet",
      rows,
      cycles: cyclesAround(moved, 1, 1),
    }),
  ];
}

async function transpositionPictures(): Promise<Pictures> {
  const run = await recordScenario(transposition);
  const rows: readonly Row[] = [
    ...stream("set", into, [["slot_i"], ["log_dims_i"]]),
    ...stream("line", into, [["data_i"]]),
    ...stream("page", into, [["slot_i"], ["first_i"], ["dims_i"], ["tag_i"]]),
    { label: "filled_valid_o", port: "filled_valid_o" },
    { label: "filled_slot_o", port: "filled_slot_o", valid: "filled_valid_o" },
    ...stream("out", out, [["tag_o"], ["data_o"], ["last_o"]]),
  ];
  const [full = 0] = run.moved("filled");
  const moved = [...run.moved("set"), ...run.moved("page"), ...run.moved("out")];
  return [
    picture("transposition_buffer", run, {
      name: "page",
      title: "a set is filled, a page leaves",
      rows,
      cycles: cyclesAround([...moved, full], 2, 1),
    }),
  ];
}
