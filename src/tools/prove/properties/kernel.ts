// SPDX-License-Identifier: Apache-2.0
// What is proven of the SparF kernel's sequencer of the weighted sum.

import { harness, induction, properties } from "../entry.ts";
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

/** Rows of two words, and of one, of which a beat comes in every second cycle. */
export const kernelHarnesses: readonly Harness[] = [
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
        "job_end, !partials_o[PartialBits], line,",
        "word_last_q, !partials_o[PartialBits], line,",
      ],
      [
        "Finish",
        "A head is finished when its last sums are written, and until it is released.",
        "finish_o <= closing_q && flight_q <= ($clog2(Flight + 1))'(1) && !release_i;",
        "finish_o <= closing_q && flight_q <= ($clog2(Flight + 1))'(2) && !release_i;",
      ],
      [
        "Partials",
        "As many partial sums have something in them as the head has rows, eight at most.",
        "if (!partials_o[PartialBits]) partials_o",
        "partials_o",
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
