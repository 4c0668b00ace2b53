// SPDX-License-Identifier: Apache-2.0
// Properties of the units that accept descriptors: their check, the loader of heads, appends.

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

/** For a group of 16, the field is 15; with these faults the addition wraps to 0. */
const wraps = ["32'(mode[7:4]) >= MaxGroup;", "{28'd0, mode[7:4] + 4'd1} > MaxGroup;"] as const;

/** m above 8. */
const unread = [
  "alone[sparf_pkg::FieldDimsPerPage] = mode[11:10] != '0;",
  "alone[sparf_pkg::FieldDimsPerPage] = mode[11];",
] as const;

/** The check of descriptors for heads, and of those for appends. */
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
        "Four cycles after it came, a descriptor is accepted exactly if no field breaks a rule: any words.",
        ...fault,
      ],
      [
        "FieldNamed",
        "The field that is named is the first one that breaks a rule.",
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
          "What has happened to a descriptor follows from the loader's state, in each of them.",
          "StateQueries: if (read_ready_i) state_q <= mean_wanted ? StateSums : StateLines;",
          "StateQueries: if (read_ready_i) state_q <= StateSums;",
        ],
        [
          "OneAtATime",
          "No descriptor is taken before the one before it is refused, or all its lines have come.",
          "(state_q == StateLines && all_taken_q)) busy_q <= 1'b0;",
          "(state_q == StateLines)) busy_q <= 1'b0;",
        ],
        [
          "Busy",
          "busy_o is high from a descriptor's cycle after until then.",
          "if (desc_valid_i && desc_ready_o) busy_q <= 1'b1;",
          "if (state_q == StateDerive) busy_q <= 1'b1;",
        ],
        [
          "SlotFirst",
          "A head's slot is told once, before the head or its refusal, and is a free one.",
          ".asserted_i(free_i),",
          ".asserted_i(free_i | Slots'(1)),",
        ],
        [
          "OneOutcome",
          "A descriptor becomes one head or one refusal with a field.",
          "assign refuse_valid_o = state_q == StateRefuse;",
          "assign refuse_valid_o = state_q == StateRefuse || (state_q == StateHead && !fits);",
        ],
        [
          "Lines",
          "Asked for are the lines of the group's queries, then those of the sums if the mean is kept, no others.",
          "query_lines : CB'(SumLines);",
          "query_lines : query_lines;",
        ],
        [
          "EveryLine",
          "The loader waits for as many lines as it asks for.",
          "lines_left_q <= query_lines + (mean_wanted ? CB'(SumLines) : '0);",
          "lines_left_q <= query_lines;",
        ],
        [
          "Ready",
          "Without a head at work, the next descriptor is taken as soon as a slot is known to be free.",
          "(state_q == StateRefuse && refuse_ready_i) ||",
          "(state_q == StateRefuse && refuse_ready_i && !some_free_i) ||",
        ],
        [
          "Progress",
          "With a head at work, something is offered or asked for within five cycles, or lines are on their way.",
          "StateFit: state_q <= StateHead;",
          "StateFit: if (head_ready_i) state_q <= StateHead;",
        ],
      ]),
      ...properties("sparf_head_fields", [
        [
          "Head",
          "The kernel gets what the descriptor says, k and the window not above S, whatever their size.",
          "if (!take_fits_q) head_q.take <= head_q.tokens;",
          "",
        ],
        [
          "Context",
          "The front keeps what the descriptor says, and the same k as the kernel.",
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
        "The unit's registers follow from the descriptor and from the lines and pages so far.",
        "k_offset_q <= token_q - dim_flash_q;",
        "k_offset_q <= token_q - token_flash_q;",
      ],
      [
        "OneAtATime",
        "A descriptor is taken exactly while none is at work.",
        "assign desc_ready_o = state_q == StateIdle;",
        "assign desc_ready_o = state_q == StateIdle || state_q == StateDone;",
      ],
      [
        "Reads",
        "Asked for are the rows of K and V, and when they are taken the sums if the mean is kept, no others.",
        "state_q == StateRows ? 2 * RowLines : SumLines);",
        "state_q == StateRows ? 2 * RowLines + 1 : SumLines);",
      ],
      [
        "Writes",
        "Each line that came is written once, in order, to its place: the token's rows, the sums.",
        "PlaceBits'(RowLines): write_line_q <= v_line_q;",
        "PlaceBits'(RowLines): write_line_q <= sparf_pkg::line_behind(write_line_q);",
      ],
      ["RowData", "A line of a row is written as it came.", "        added_q <= 1'b0;\n", ""],
      [
        "Pages",
        "Programmed are the pages that the token completes, each once, when all lines are written.",
        "StateValues: if (page_taken_q) index_q <= block_index_q;",
        "StateValues: if (page_taken_q) index_q <= group_index_q;",
      ],
      [
        "Done",
        "An append is reported once, when all of it is written and requested; a refused one does nothing.",
        "StateDims: if (page_taken_q && index_left_q == CB'(1)) state_q <= StateDone;",
        "StateDims: if (page_taken_q && index_left_q == CB'(2)) state_q <= StateDone;",
      ],
      [
        "NonFinite",
        "It is reported with a mark exactly if one of its values is infinite or not a number.",
        "if (!rows_end && line_non_finite)",
        "if (in_values && line_non_finite)",
      ],
      [
        "SumValues",
        "With a line of sums the unit has the values of V of its dimensions, as they came.",
        "        values_q <= values_q >> PartBits;",
        "        values_q <= values_q >> VB;",
      ],
      [
        "Progress",
        "At work, the unit asks, offers or takes something within five cycles.",
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
        "Two cycles after a line of sums came, each is the exact sum with its value of V, in units of 2^-24.",
        "+ {1'b0, terms_q[i][LowBits-1:0], negative_q[i]};",
        "+ {1'b0, terms_q[i][LowBits-1:0], 1'b0};",
      ],
      [
        "Lost",
        "A sum that was lost, or to which an infinite value or none that is a number is added, is lost.",
        "assign lost = special_q[i] || sparf_pkg::sum_lost(sum[SumBits-1-:2]);",
        "assign lost = special_q[i];",
      ],
      [
        "Stays",
        "It stays until the line is written.",
        "if (!rows_end && line_non_finite)",
        "added_q <= 1'b0;\n        if (!rows_end && line_non_finite)",
      ],
    ]),
  }),
];
