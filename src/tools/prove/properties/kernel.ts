// SPDX-License-Identifier: Apache-2.0
// Properties of the SparF kernel: the sequencer of the weighted sum, and the preparation of queries.

import { harness, induction, pdr, properties } from "../entry.ts";
import type { Fault, Harness } from "../types.ts";

/** Shorter latencies of the arithmetic, and lines of four values. */
const shorter: readonly Fault[] = [
  ["LineBits = 512;", "LineBits = 64;"],
  ["AddStages = 11;", "AddStages = 2;"],
  ["MultiplyStages = 6;", "MultiplyStages = 1;"],
  ["WeightedStages = 8;", "WeightedStages = 2;"],
  ["FixStages = 3;", "FixStages = 1;"],
  ["PowerStages = 19;", "PowerStages = 1;"],
].map(([from = "", to = ""]) => ({ module: "sparf_kernel_pkg", from, to }));

/** Rows of two words; rows of one word, with a beat in every second cycle. */
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
        "Invariant: the registers of the sequencer match the job and its next beat.",
        "row_last_q <= left_q == SizeBits'(2);",
        "row_last_q <= left_q == SizeBits'(1);",
      ],
      [
        "InFlight",
        "The values, the address and the marks of a beat move through the stages together.",
        "address_q1 <= address_q0;",
        "address_q1 <= tag_address;",
      ],
      [
        "Beats",
        "Every row has one beat for each word of each query, in order, once the logits of the head are " +
          "complete; no beat is issued between the last row of a head and its release.",
        "valid_q && use_valid_i && !closing_q && !(",
        "valid_q && use_valid_i && !(",
      ],
      [
        "Ready",
        "The sequencer is ready for a job exactly while it has no job, or in the cycle of a job's last beat.",
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
        "The values of a beat are read Ahead cycles after its issue and leave three cycles later, and in no other cycle.",
        "assign ring_read_o = ahead_q[Ahead-1];",
        "assign ring_read_o = ahead_q[Ahead-2];",
      ],
      [
        "Line",
        "The address of a read is the ring line of the beat's row and word.",
        "assign line = base_q + RingBits'(unit >> PartBits);",
        "assign line = base_q + RingBits'(unit);",
      ],
      [
        "Row",
        "The output has the values of the beat, the address of its partial sum, and the mark of an empty partial sum.",
        "part_q1 <= part_q0;",
        "part_q1 <= tag_part;",
      ],
      [
        "DoneOnce",
        "A job is released once, in the cycle after the read of its last line.",
        "job_end, !partials_q[PartialBits], line,",
        "word_last_q, !partials_q[PartialBits], line,",
      ],
      [
        "Finish",
        "finish_o is high exactly from the write of a head's last sums until the release of the head.",
        "finish_q <= closing_q && flight_q <= ($bits(flight_q))'(1) && !release_i;",
        "finish_q <= closing_q && flight_q <= ($bits(flight_q))'(2) && !release_i;",
      ],
      [
        "Partials",
        "The number of partial sums in use is the number of rows of the head, at most eight.",
        "if (!partials_q[PartialBits]) partials_q",
        "partials_q",
      ],
      [
        "AdditionDistance",
        "Two additions to one partial sum of a head are at least sixteen cycles apart.",
        "partial_q <= partial_q + 1'b1;",
        "partial_q <= partial_q + 2'd2;",
      ],
    ]),
  }),
);

/** A port, and the same port without its connection. */
const unconnected = (port: string): readonly string[] => [port, port.replace(/\(.*/, "()")];

/** Lines of two elements or two sums; units with separate harnesses are disconnected. */
const query: readonly Fault[] = [
  {
    module: "sparf_kernel_pkg",
    from: "HalvesPerLine = LineBits / HalfBits;",
    to: "HalvesPerLine = 2;",
  },
  // Yosys accepts only loops of constant length.
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
          "Invariant: the registers of the unit match the head and the lines that have arrived, in each state.",
          "else if (pass_done) all_taken_q <= 1'b1;",
          "else if (last_index) all_taken_q <= 1'b1;",
        ],
        [
          "Ready",
          "A head is accepted exactly while no head is in progress and the selector is ready.",
          "assign head_ready_o = state_q == StateIdle && select_ready;",
          "assign head_ready_o = state_q == StateIdle;",
        ],
        [
          "Lines",
          "The unit accepts the lines of the group's queries, then the sums of V if the head uses the " +
            "mean, and no other lines.",
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
          "A word has the elements of the query, unchanged.",
          "else if (element) line_q <= line_q >> 16;",
          "else if (element && left_q != LeftBits'(2)) line_q <= line_q >> 16;",
        ],
        [
          "Magnitudes",
          "The magnitude of each element is sent to the sums once, in units of 2^-24, with a mark at the " +
            "last element of a query.",
          "subnormal = half[14:10] == '0;",
          "subnormal = half[13:10] == '0;",
        ],
        [
          "Selection",
          "The selection starts when all elements of a sparse head have arrived, and selects r of all dimensions.",
          ".start_take_i(dims_q),",
          ".start_take_i(dims_q + 1'b1),",
        ],
        [
          "Scanned",
          "After the selection, the sums receive the magnitudes of the chosen dimensions, and 0 for all " +
            "others, in the same order.",
          "scan_chosen_q <= mask_q[0];",
          "scan_chosen_q <= mask_q[1];",
        ],
        [
          "Chosen",
          "Each chosen dimension is written once, in ascending order, with the number of smaller chosen dimensions.",
          "chosen_write_q <= scanning_q && scan_query_q == '0 && scan_chosen_q;",
          "chosen_write_q <= scanning_q && scan_chosen_q;",
        ],
        [
          "SumsRead",
          "The scale of a query uses the two sums of this query, at the earliest three cycles after their last magnitude.",
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
          "The mask that leaves is the selection, or all dimensions of a dense head.",
          "mask_q <= {mask_q[0], mask_q[Width-1:1]};",
          "mask_q <= {mask_q[Width-1], mask_q[Width-1:1]};",
        ],
        [
          "NonFinite",
          "The non-finite strobe is high exactly for infinite or NaN elements and for lost sums.",
          "non_finite_q <= (element && sparf_kernel_pkg::non_finite(line_q[14:10]))",
          "non_finite_q <= (rows && sparf_kernel_pkg::non_finite(line_q[14:10]))",
        ],
        [
          "Progress",
          "Unless the unit waits for another unit, the selector or the divider, it continues within 16 cycles.",
          "StateScan: if (pass_done_q2) state_d = StateScales;",
          "StateScan: if (pass_done_q2 && dims_ready_i) state_d = StateScales;",
        ],
      ]),
      ...properties("sparf_query_scales", [
        [
          "Ratio",
          "The ratio of a query is the square root of the quotient of its two sums, which count as 1 and " +
            "1 if one of them is 0.",
          "assign degenerate = numerator_q == '0 || converted == '0;",
          "assign degenerate = converted == '0;",
        ],
        [
          "ScaleProduct",
          "The scale of a query is the product of its ratio and the scale of the head.",
          ".b_i(means_i ? reciprocal_i : scale_i),",
          ".b_i(reciprocal_i),",
        ],
        [
          "Means",
          "If the head uses the mean, each sum of V becomes one mean value, in order.",
          "else if (mean_write_o) mean_last_q <= mean_dim_q == IndexBits'(Width - 2);",
          "else if (mean_write_o) mean_last_q <= mean_dim_q == IndexBits'(Width - 3);",
        ],
        [
          "MeanProduct",
          "A mean value is the product of the sum of V and the 1/S of the head.",
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
        "From three cycles after the last magnitude of a query, its sum over all dimensions is exact, " +
          "until the query's next sum ends.",
        "{valid_i && end_i && !chosen_i, valid_q && end_q && !chosen_q};",
        "{valid_i && end_i && !chosen_i, valid_q && end_q && !chosen_i};",
      ],
      [
        "ChosenSum",
        "From three cycles after the last magnitude of a query, its sum over the chosen dimensions is " +
          "exact, until the query's next sum ends.",
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
        "From three cycles after the last magnitude of a dimension, a read of its row returns the exact " +
          "sum over the queries.",
        "before_high_q <= first_q ? '0",
        "before_high_q <= first_i ? '0",
      ],
    ]),
  }),
];

export const kernelHarnesses: readonly Harness[] = [...sequencers, ...queries];
