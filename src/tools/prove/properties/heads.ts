// SPDX-License-Identifier: Apache-2.0
// Properties of the SparF units that accept descriptors: descriptor check, head loader, append unit.

import { harness, induction, properties, window } from "../entry.ts";
import type { Fault, Harness } from "../types.ts";

/** Constants of sparf_pkg, reduced because no property depends on their size. */
const smaller = (
  constants: Readonly<Record<string, readonly [number, number]>>,
): readonly Fault[] =>
  Object.entries(constants).map(([name, [from, to]]) => ({
    module: "sparf_pkg",
    from: `int unsigned ${name} = ${from};`,
    to: `int unsigned ${name} = ${to};`,
  }));

/** Disconnects the check: the harness drives its outputs. */
const cutCheck = (module: string): readonly Fault[] => [
  { module, from: ".ok_o(fits)", to: ".ok_o()" },
  { module, from: ".field_o(field)", to: ".field_o()" },
];

/** The field of a group of 16 is 15; with this fault the addition of 1 wraps to 0. */
const wraps = ["32'(mode[7:4]) >= MaxGroup;", "{28'd0, mode[7:4] + 4'd1} > MaxGroup;"] as const;

/** With this fault, the check accepts some values of m above 8. */
const unread = [
  "alone[sparf_pkg::FieldDimsPerPage] = mode[11:10] != '0;",
  "alone[sparf_pkg::FieldDimsPerPage] = mode[11];",
] as const;

/** The descriptor check for heads and for appends. */
const checks: readonly Harness[] = [
  { name: "sparf_descriptor_check", parameters: { Appends: 0 }, fault: wraps },
  {
    name: "sparf_descriptor_check_sets",
    parameters: { Appends: 0, QuerySets: 8, Tags: 8 },
    fault: wraps,
  },
  { name: "sparf_descriptor_check_append", parameters: { Appends: 1 }, fault: unread },
].map(({ name, parameters, fault }) =>
  harness({
    name,
    top: "prove_sparf_descriptor_check",
    module: "sparf_descriptor_check",
    area: "queues",
    parameters,
    engine: window(5),
    seconds: 240,
    properties: properties("sparf_descriptor_check", [
      [
        "Accepts",
        "Four cycles after a descriptor is loaded, it is accepted exactly if no field breaks a rule, " +
          "for any contents of its words.",
        ...fault,
      ],
      [
        "FieldNamed",
        "The reported field is the first field, in the order of their numbers, that breaks a rule.",
        ".asserted_i(bad_q2),",
        ".asserted_i({bad_q2[Fields-1:2], 2'b00}),",
      ],
    ]),
  }),
);

export const headHarnesses: readonly Harness[] = [
  ...checks,
  harness({
    name: "sparf_head_loader",
    module: "sparf_head_loader",
    area: "queues",
    parameters: { Width: 64, MaxKeys: 64, MaxGroup: 8, Slots: 2 },
    smaller: [
      ...smaller({ AddrBits: [32, 2], FloatBits: [32, 2], CountBits: [16, 9] }),
      ...cutCheck("sparf_head_loader"),
    ],
    engine: induction,
    seconds: 240,
    properties: [
      ...properties("sparf_head_loader", [
        [
          "InStep",
          "Invariant: each state of the loader determines the progress of the descriptor.",
          "StateQueries: if (read_ready_i) state_q <= mean_wanted ? StateSums : StateLines;",
          "StateQueries: if (read_ready_i) state_q <= StateSums;",
        ],
        [
          "OneAtATime",
          "A descriptor is accepted only after the previous one is refused or all its lines have arrived.",
          "(state_q == StateLines && all_taken_q)) busy_q <= 1'b0;",
          "(state_q == StateLines)) busy_q <= 1'b0;",
        ],
        [
          "Busy",
          "busy_o is high from the cycle after a descriptor is accepted until it is refused or its last line has arrived.",
          "if (desc_valid_i && desc_ready_o) busy_q <= 1'b1;",
          "if (state_q == StateDerive) busy_q <= 1'b1;",
        ],
        [
          "SlotFirst",
          "The slot of a head is reported once, before the head or its refusal, and the slot is free.",
          ".asserted_i(free_i),",
          ".asserted_i(free_i | Slots'(1)),",
        ],
        [
          "OneOutcome",
          "Each descriptor becomes either one head or one refusal with its error field.",
          "assign refuse_valid_o = state_q == StateRefuse;",
          "assign refuse_valid_o = state_q == StateRefuse || (state_q == StateHead && !fits);",
        ],
        [
          "Lines",
          "The loader requests the lines of the group's queries, then the sums of V if the head uses the " +
            "mean, and no other lines.",
          "query_lines : CB'(SumLines);",
          "query_lines : query_lines;",
        ],
        [
          "EveryLine",
          "The loader waits for exactly as many lines as it requests.",
          "lines_left_q <= query_lines + (mean_wanted ? CB'(SumLines) : '0);",
          "lines_left_q <= query_lines;",
        ],
        [
          "Ready",
          "While the loader has no descriptor, it accepts the next one as soon as it knows a free slot.",
          "(state_q == StateRefuse && refuse_ready_i) ||",
          "(state_q == StateRefuse && refuse_ready_i && !some_free_i) ||",
        ],
        [
          "Progress",
          "While the loader has a descriptor and no requested line is outstanding, it offers a head or a " +
            "refusal, or requests lines, within five cycles.",
          "StateFit: state_q <= StateHead;",
          "StateFit: if (head_ready_i) state_q <= StateHead;",
        ],
      ]),
      ...properties("sparf_head_fields", [
        [
          "Head",
          "The kernel receives the values of the descriptor, with k and the window limited to S.",
          "if (!take_fits_q) head_q.take <= head_q.tokens;",
          "",
        ],
        [
          "Context",
          "The front stores the values of the descriptor, and the same k as the kernel.",
          "context_q.take <= take_fits_q ? head_q.take : head_q.tokens;",
          "context_q.take <= head_q.take;",
        ],
      ]),
    ],
  }),
  harness({
    name: "sparf_append_unit",
    module: "sparf_append_unit",
    area: "queues",
    parameters: { Width: 16 },
    smaller: [
      ...smaller({ AddrBits: [32, 12], CountBits: [16, 8], LineBits: [512, 128] }),
      ...cutCheck("sparf_append_unit"),
    ],
    engine: induction,
    seconds: 240,
    quick: false,
    properties: properties("sparf_append_unit", [
      [
        "InStep",
        "Invariant: the registers of the unit match the descriptor and the lines and pages that are processed so far.",
        "k_offset_q <= token_q - dim_flash_q;",
        "k_offset_q <= token_q - token_flash_q;",
      ],
      [
        "OneAtATime",
        "A descriptor is accepted exactly while no append is in progress.",
        "assign desc_ready_o = state_q == StateIdle;",
        "assign desc_ready_o = state_q == StateIdle || state_q == StateDone;",
      ],
      [
        "Reads",
        "The unit requests the rows of K and V, then (after their arrival) the sums of V if the append " +
          "updates them, and no other lines.",
        "state_q == StateRows ? 2 * RowLines : SumLines);",
        "state_q == StateRows ? 2 * RowLines + 1 : SumLines);",
      ],
      [
        "Writes",
        "Each line that arrives is written once and in order, first to the addresses of the token's " +
          "rows, then to those of the sums.",
        "PlaceBits'(RowLines): write_line_q <= v_line_q;",
        "PlaceBits'(RowLines): write_line_q <= sparf_pkg::line_behind(write_line_q);",
      ],
      ["RowData", "A line of a row is written unchanged.", "        added_q <= 1'b0;\n", ""],
      [
        "Pages",
        "When all lines are written, the unit requests once to program each page that the token " +
          "completes, and no other page.",
        "StateValues: if (page_taken_q) index_q <= block_index_q;",
        "StateValues: if (page_taken_q) index_q <= group_index_q;",
      ],
      [
        "Done",
        "An append is reported once, after all its lines are written and all its pages requested; a " +
          "refused append reads, writes and requests nothing.",
        "StateDims: if (page_taken_q && index_left_q == CB'(1)) state_q <= StateDone;",
        "StateDims: if (page_taken_q && index_left_q == CB'(2)) state_q <= StateDone;",
      ],
      [
        "NonFinite",
        "The report of an append has the non-finite mark exactly if a value of its rows is infinite or NaN.",
        "if (!rows_end && line_non_finite)",
        "if (in_values && line_non_finite)",
      ],
      [
        "SumValues",
        "When a line of sums arrives, the unit has the values of V of the same dimensions, unchanged.",
        "        values_q <= values_q >> PartBits;",
        "        values_q <= values_q >> VB;",
      ],
      [
        "Progress",
        "During an append, at least once in five cycles, the unit is ready for a line or offers a " +
          "request, a line or the report.",
        "StateFull: state_q <=",
        "StateFull: if (done_ready_i) state_q <=",
      ],
    ]),
  }),
  harness({
    name: "sparf_append_sums",
    module: "sparf_append_unit",
    area: "arithmetic",
    parameters: { Width: 16 },
    smaller: [...smaller({ LineBits: [512, 128] }), ...cutCheck("sparf_append_unit")],
    engine: window(3),
    seconds: 240,
    quick: false,
    properties: properties("sparf_append_unit", [
      [
        "Exact",
        "Two cycles after a line of sums arrives, each new sum is exactly the old sum plus its value of " +
          "V, in units of 2^-24.",
        "+ {1'b0, terms_q[i][LowBits-1:0], negative_q[i]};",
        "+ {1'b0, terms_q[i][LowBits-1:0], 1'b0};",
      ],
      [
        "Lost",
        "A sum is marked as lost if it was lost before, or if its value of V is infinite or NaN.",
        "assign lost = special_q[i] || sparf_pkg::sum_lost(sum[SumBits-1-:2]);",
        "assign lost = special_q[i];",
      ],
      [
        "Stays",
        "The new sums are stable until the line is written.",
        "if (!rows_end && line_non_finite)",
        "added_q <= 1'b0;\n        if (!rows_end && line_non_finite)",
      ],
    ]),
  }),
];
