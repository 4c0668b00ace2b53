// SPDX-License-Identifier: Apache-2.0
// Properties of the top-k selector: keys in order, its counts, a selection digit by digit, and the whole selector.

import { bounded, harness, properties, window } from "../entry.ts";
import type { Harness } from "../types.ts";

/** One pass over the keys, from any state after the previous pass. */
const digit = (name: string, quick: boolean, parameters: Harness["parameters"]): Harness =>
  harness({
    name,
    top: "prove_sparf_topk_digit",
    module: "sparf_topk_counts",
    area: "selection",
    parameters,
    engine: window(14),
    seconds: 600,
    quick,
    properties: properties("sparf_topk_counts", [
      [
        "InTime",
        "The result of a pass is valid before the keys of the next pass are compared.",
        "else scan_q <= {scan_q[2:0], scan_i};",
        "else scan_q <= {scan_q[2:1], scan_i, scan_i};",
      ],
      [
        "SameTotal",
        "The number of keys above the found digits plus the number of required keys at these digits is " +
          "the same before and after a pass.",
        "reached = upper_q[1] | lower_q[d % Lowers];",
        "reached = lower_q[d % Lowers];",
      ],
      [
        "Enough",
        "Of the keys that begin with the found digits, at least one and at most all are required: after " +
          "the last digit the threshold is the smallest selected key.",
        "d < Digits - 1; d++) above[d]",
        "d < Digits - 2; d++) above[d]",
      ],
      [
        "Whole",
        "whole_o is high exactly if all keys that begin with the found digits are required and the last " +
          "found digit is not 0.",
        "just_q[d] <= sums_q[d*WordBits +: SumBits] == '0;",
        "just_q[d] <= sums_q[d*WordBits + 1 +: SumBits - 1] == '0;",
      ],
    ]),
  });

export const topkHarnesses: readonly Harness[] = [
  harness({
    name: "sparf_topk_lanes",
    module: "sparf_topk_lanes",
    area: "selection",
    parameters: { Lanes: 2 },
    engine: window(3),
    properties: properties("sparf_topk_lanes", [
      [
        "Above",
        "With all digits known, a key is above the threshold exactly if it is larger as a binary32 " +
          "number, where -0 equals +0.",
        "key = PaddedBits'(raw_q[l] ^ {KeyBits{flip_q[l]}});",
        "key = PaddedBits'(raw_q[l]);",
      ],
      [
        "Equal",
        "A key counts as equal to the threshold exactly if it begins with the known digits.",
        "same_q[l*PaddedBits +: PaddedBits] <= (same | unknown) & Tops;",
        "same_q[l*PaddedBits +: PaddedBits] <= same & Tops;",
      ],
      [
        "Digit",
        "digit_o is digit index_i of the key after its conversion to the order of unsigned numbers.",
        "flip_q[l] = Float != 0 && key[KeyBits-1] && key[KeyBits-2:0] != '0;",
        "flip_q[l] = Float != 0 && key[KeyBits-1];",
      ],
    ]),
  }),
  digit("sparf_topk_digit", true, { MaxKeys: 8, KeyBits: 4, DigitBits: 2 }),
  harness({
    name: "sparf_topk_counts",
    module: "sparf_topk_counts",
    area: "selection",
    parameters: { MaxKeys: 32768 },
    engine: window(2),
    seconds: 240,
    properties: properties("sparf_topk_counts", [
      [
        "Reset",
        "After a reset the pipeline is empty, for any earlier register contents.",
        "beat_q[d] = '0;",
        "beat_q[d] = beat_q[d];",
      ],
      [
        "Step",
        "In every cycle, counters and pipeline together have the number of keys with each digit or a larger one.",
        "if (works_q[1] || load_i) add();",
        "if (works_q[1]) add();",
      ],
      [
        "DoneInTime",
        "The result is valid four cycles after the last keys, and in no other cycle.",
        "assign scan_done_o = scan_q[3];",
        "assign scan_done_o = scan_q[2];",
      ],
      [
        "Digit",
        "The found digit is the largest digit for which at least the required number of keys have this " +
          "digit or a larger one, or 0.",
        "enough[digit | (DigitBits'(1) << (DigitBits - 1 - b))];",
        "enough[DigitBits'(1) << (DigitBits - 1 - b)];",
      ],
      [
        "Left",
        "The remaining number is the required number less the keys above the found digit.",
        "d < Digits - 1; d++) above[d]",
        "d < Digits - 2; d++) above[d]",
      ],
    ]),
  }),
  harness({
    name: "sparf_argtopk",
    module: "sparf_argtopk",
    area: "selection",
    parameters: { MaxKeys: 8, KeyBits: 4, KeysPerCycle: 4, DigitBits: 2 },
    // Yosys accepts only loops of constant length; the harness checks the property.
    smaller: [
      {
        module: "sparf_argtopk",
        from: "j < 32'(count_q); j++",
        to: "j < NaiveKeys; j++",
      },
    ],
    engine: bounded(28),
    seconds: 600,
    quick: false,
    properties: properties("sparf_argtopk", [
      [
        "Selected",
        "An index is selected exactly if fewer than `take` indices precede it in this order: indices of " +
          "the window, then larger keys, then lower indices.",
        "ones(equal_q2 & ~({KeysPerCycle{1'b1}} << l))",
        "ones(equal_q2 & ({KeysPerCycle{1'b1}} << (l + 1)))",
      ],
      [
        "Once",
        "No index is selected twice.",
        "else if (read_valid_o) read_beat_q <= read_beat_q == last_beat_q ? '0 : read_beat_q + 1'b1;",
        "else if (read_valid_o) read_beat_q <= '0;",
      ],
      [
        "Ends",
        "The last selection leaves within the latency that the header of the unit states for `MaxKeys` keys.",
        "assign pass_done = valid_q[2] && last_q[2] && !emitting;",
        "assign pass_done = valid_q[3] && last_q[3] && !emitting;",
      ],
    ]),
  }),
];
