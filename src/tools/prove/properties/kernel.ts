// SPDX-License-Identifier: Apache-2.0
// Properties of the SparF kernel: its sequencer of the weighted sum, and its preparation of queries.

import { harness, induction, pdr, properties } from "../entry.ts";
import type { Fault, Harness } from "../types.ts";

/** Latencies of the arithmetic, and lines of four values. */
const shorter: readonly Fault[] = [
  ["LineBits = 512;", "LineBits = 64;"],
  ["AddStages = 11;", "AddStages = 2;"],
  ["MultiplyStages = 6;", "MultiplyStages = 1;"],
  ["WeightedStages = 8;", "WeightedStages = 2;"],
  ["FixStages = 3;", "FixStages = 1;"],
  ["PowerStages = 19;", "PowerStages = 1;"],
].map(([from = "", to = ""]) => ({ module: "sparf_kernel_pkg", from, to }));

/** Rows of two words, and of one word with a beat in every second cycle. */
const sequencers: readonly Harness[] = [
  { name: "sparf_attend_sequencer", Width: 4 },
  { name: "sparf_attend_sequencer_one_word", Width: 2 },
].map(({ name, Width }) =>
  harness({
    name,
    top: "prove_sparf_attend_sequencer",
    module: "sparf_attend_sequencer",
    area: "queues",
    parameters: { Width },
    smaller: shorter,
    engine: induction,
    seconds: 240,
    quick: false,
    properties: properties("sparf_attend_sequencer", [
      [
        "InStep",
        "The sequencer's registers follow from the job and from its next beat.",
        "row_last_q <= left_q == SizeBits'(2);",
        "row_last_q <= left_q == SizeBits'(1);",
      ],
      [
        "OnTheWay",
        "A beat's values, address and marks move through the stages together.",
        "address_q1 <= address_q0;",
        "address_q1 <= tag_address;",
      ],
      [
        "Beats",
        "Every row has a beat of each word of each query, in order, as soon as the head's logits are there; " +
          "none comes between a head's last row and its release.",
        "valid_q && use_valid_i && !closing_q && !(",
        "valid_q && use_valid_i && !(",
      ],
      [
        "Ready",
        "A job is taken exactly while there is none, or with its last beat.",
        "assign job_ready_o = !valid_q || job_end;",
        "assign job_ready_o = !valid_q || (job_end && !last_q);",
      ],
      [
        "Fetch",
        "A logit is fetched once for each row and query.",
        "assign fetch_o = issue && word_q == '0;",
        "assign fetch_o = issue && word_q == '0 && query_q == '0;",
      ],
      [
        "InTime",
        "A beat's values are read Ahead cycles after it, and leave three cycles later: no other time.",
        "assign ring_read_o = ahead_q[Ahead-1];",
        "assign ring_read_o = ahead_q[Ahead-2];",
      ],
      [
        "Line",
        "The line that is read is that of the beat's row and word.",
        "assign line = base_q + RingBits'(unit >> PartBits);",
        "assign line = base_q + RingBits'(unit);",
      ],
      [
        "Row",
        "The values that leave are the beat's, with its partial sum, and whether that has nothing in it.",
        "part_q1 <= part_q0;",
        "part_q1 <= tag_part;",
      ],
      [
        "DoneOnce",
        "A job is given back once, when its last line is read.",
        "job_end, !partials_q[PartialBits], line,",
        "word_last_q, !partials_q[PartialBits], line,",
      ],
      [
        "Finish",
        "A head is finished when its last sums are written, and until it is released.",
        "finish_q <= closing_q && flight_q <= ($bits(flight_q))'(1) && !release_i;",
        "finish_q <= closing_q && flight_q <= ($bits(flight_q))'(2) && !release_i;",
      ],
      [
        "Partials",
        "As many partial sums have something in them as the head has rows, eight at most.",
        "if (!partials_q[PartialBits]) partials_q",
        "partials_q",
      ],
      [
        "Apart",
        "A partial sum of a head is added to again after sixteen cycles at the earliest.",
        "partial_q <= partial_q + 1'b1;",
        "partial_q <= partial_q + 2'd2;",
      ],
    ]),
  }),
);

/** A port, and the same port without its connection. */
const unconnected = (port: string): readonly string[] => [port, port.replace(/\(.*/, "()")];

/** Lines of two elements, and of two sums; units with separate harnesses are cut off. */
const query: readonly Fault[] = [
  {
    module: "sparf_kernel_pkg",
    from: "HalvesPerLine = LineBits / HalfBits;",
    to: "HalvesPerLine = 2;",
  },
  // A bound that Yosys reads.
  { module: "sparf_argtopk", from: "j < 32'(count_q); j++", to: "j < NaiveKeys; j++" },
  ...[
    ["SumsPerLine = 8;", "SumsPerLine = 2;"],
    ...[
      ...[".all_o(all_sum)", ".chosen_o(chosen_sum)", ".rd_data_o(stored)"],
      ...[".start_ready_o(select_ready)", ".sel_valid_o(select_valid)", ".sel_beat_o(select_row)"],
      ...[".sel_mask_o(select_mask)", ".sel_last_o(select_last)"],
    ].map(unconnected),
  ].map(([from = "", to = ""]) => ({ module: "sparf_query_unit", from, to })),
  ...[
    ["NormaliseStages = sparf_kernel_pkg::NormaliseStages;", "NormaliseStages = 2;"],
    ["MultiplyStages = sparf_kernel_pkg::MultiplyStages;", "MultiplyStages = 2;"],
    ...[".value_o(converted)", ".done_o(divide_done)", ".result_o(divided)"].map(unconnected),
  ].map(([from = "", to = ""]) => ({ module: "sparf_query_scales", from, to })),
];

const queries: readonly Harness[] = [
  harness({
    name: "sparf_query_unit",
    module: "sparf_query_unit",
    area: "selection",
    parameters: { Width: 4, Lanes: 2, MaxGroup: 2 },
    smaller: query,
    engine: induction,
    seconds: 240,
    quick: false,
    properties: [
      ...properties("sparf_query_unit", [
        [
          "InStep",
          "The unit's registers follow from the head and from its lines so far, in each of its states.",
          "else if (pass_done) all_taken_q <= 1'b1;",
          "else if (last_index) all_taken_q <= 1'b1;",
        ],
        [
          "Ready",
          "A head is taken exactly while none is at work and the selector is ready.",
          "assign head_ready_o = state_q == StateIdle && select_ready;",
          "assign head_ready_o = state_q == StateIdle;",
        ],
        [
          "Lines",
          "Taken are the lines of the group's queries, then those of the sums if the mean is kept, no others.",
          "state_d = mean_q ? StateMeans : StateDims;",
          "state_d = StateMeans;",
        ],
        [
          "Words",
          "Each word of each query is written once, in order.",
          "word_write_q <= element && (32'(index_q) % Lanes) == Lanes - 1;",
          "word_write_q <= left_q != '0 && (32'(index_q) % Lanes) == Lanes - 1;",
        ],
        [
          "WordData",
          "A word is the elements as they came.",
          "else if (element) line_q <= line_q >> 16;",
          "else if (element && left_q != LeftBits'(2)) line_q <= line_q >> 16;",
        ],
        [
          "Magnitudes",
          "The sums get the magnitude of each element once, in units of 2^-24, with the last of a query marked.",
          "subnormal = half[14:10] == '0;",
          "subnormal = half[13:10] == '0;",
        ],
        [
          "Selection",
          "The selection begins when a sparse head's elements are there, of all dimensions, for r of them.",
          ".start_take_i(dims_q),",
          ".start_take_i(dims_q + 1'b1),",
        ],
        [
          "Scanned",
          "Then they get the magnitudes of the chosen dimensions, and 0 of the others, in the same order.",
          "scan_chosen_q <= mask_q[0];",
          "scan_chosen_q <= mask_q[1];",
        ],
        [
          "Chosen",
          "Each chosen dimension is written once, in ascending order, with the number of those below it.",
          "chosen_write_q <= scanning_q && scan_query_q == '0 && scan_chosen_q;",
          "chosen_write_q <= scanning_q && scan_chosen_q;",
        ],
        [
          "SumsRead",
          "The two sums are those of the scale's query, read three cycles after their last magnitude.",
          ".sum_query_i(query_q),",
          ".sum_query_i('0),",
        ],
        [
          "Scales",
          "Each query of a sparse head gets one scale, in order.",
          "assign scale_done = scale_write_o && last_query;",
          "assign scale_done = scale_write_o;",
        ],
        [
          "Mask",
          "The mask that leaves is that of the selection, or all dimensions of a dense head.",
          "mask_q <= {mask_q[0], mask_q[Width-1:1]};",
          "mask_q <= {mask_q[Width-1], mask_q[Width-1:1]};",
        ],
        [
          "NonFinite",
          "The strobe tells of elements that are infinite or no number, and of lost sums, and of nothing else.",
          "non_finite_q <= (element && sparf_kernel_pkg::non_finite(line_q[14:10]))",
          "non_finite_q <= (rows && sparf_kernel_pkg::non_finite(line_q[14:10]))",
        ],
        [
          "Progress",
          "Nothing outside, no selector and no divider is waited for: then the unit goes on within 16 cycles.",
          "StateScan: if (pass_done_q2) state_d = StateScales;",
          "StateScan: if (pass_done_q2 && dims_ready_i) state_d = StateScales;",
        ],
      ]),
      ...properties("sparf_query_scales", [
        [
          "Ratio",
          "A scale is the root of the quotient of its query's two sums, of 1 and 1 if one of them is 0.",
          "assign degenerate = numerator_q == '0 || converted == '0;",
          "assign degenerate = converted == '0;",
        ],
        [
          "ScaleProduct",
          "It is the product of that root and the head's scale.",
          ".b_i(means_i ? reciprocal_i : scale_i),",
          ".b_i(reciprocal_i),",
        ],
        [
          "Means",
          "Each sum becomes one mean value, in order, if the mean is kept.",
          "else if (mean_write_o) mean_last_q <= mean_dim_q == IndexBits'(Width - 2);",
          "else if (mean_write_o) mean_last_q <= mean_dim_q == IndexBits'(Width - 3);",
        ],
        [
          "MeanProduct",
          "It is the product of the sum and the head's 1/S.",
          ".a_i(means_i ? converted : divided),",
          ".a_i(divided),",
        ],
      ]),
    ],
  }),
  harness({
    name: "sparf_query_sums",
    module: "sparf_query_sums",
    area: "arithmetic",
    parameters: { FixedBits: 4, SumBits: 6, MaxGroup: 2 },
    engine: pdr,
    quick: false,
    properties: properties("sparf_query_sums", [
      [
        "AllSum",
        "Three cycles after the last magnitude of a query its sum is exact, and until the next one's end.",
        "{valid_i && end_i && !chosen_i, valid_q && end_q && !chosen_q};",
        "{valid_i && end_i && !chosen_i, valid_q && end_q && !chosen_i};",
      ],
      [
        "ChosenSum",
        "So is the sum of the chosen dimensions.",
        "else if (valid_q) high_q <= end_q ? '0 : high;",
        "else if (valid_q) high_q <= end_i ? '0 : high;",
      ],
    ]),
  }),
  harness({
    name: "sparf_query_keys",
    module: "sparf_query_keys",
    area: "arithmetic",
    parameters: { Width: 4, FixedBits: 3, MaxGroup: 2, KeyBits: 5 },
    engine: pdr,
    quick: false,
    properties: properties("sparf_query_keys", [
      [
        "Sum",
        "Three cycles after a dimension's last magnitude a read of its row gives the exact sum over the queries.",
        "before_high_q <= first_q ? '0",
        "before_high_q <= first_i ? '0",
      ],
    ]),
  }),
];

export const kernelHarnesses: readonly Harness[] = [...sequencers, ...queries];
