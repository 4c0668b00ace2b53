// SPDX-License-Identifier: Apache-2.0
// Properties of the top-k selector: keys in order, its counts, a selection digit by digit, and the whole selector.

import { bounded, harness, properties, window } from "../entry.ts";
import type { Harness } from "../types.ts";

/** One pass over the keys, from any state that the pass before it leaves. */
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
        "A pass has its answer before the keys of the next one are compared.",
        "else scan_q <= {scan_q[2:0], scan_i};",
        "else scan_q <= {scan_q[2:1], scan_i, scan_i};",
      ],
      [
        "AsMany",
        "With one digit more, keys above the threshold and needed ones at it are as many as before.",
        "reached = upper_q[1] | lower_q[d % Lowers];",
        "reached = lower_q[d % Lowers];",
      ],
      [
        "Enough",
        "Of the keys that begin with the digits found, one at least is needed, and no more than " +
          "there are: after the last digit the threshold is the smallest key that is taken.",
        "d < Digits - 1; d++) above[d]",
        "d < Digits - 2; d++) above[d]",
      ],
      [
        "Whole",
        "It is told exactly when all keys that begin with the digits found are taken, unless the last " +
          "digit is 0: then no further one is looked at.",
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
        "A key is above the threshold exactly if it is larger as a binary32 number, -0 as +0: all keys.",
        "key = PaddedBits'(raw_q[l] ^ {KeyBits{flip_q[l]}});",
        "key = PaddedBits'(raw_q[l]);",
      ],
      [
        "Equal",
        "A key is equal as far as is known exactly if it begins with the digits that are known.",
        "same_q[l*PaddedBits +: PaddedBits] <= (same | unknown) & Tops;",
        "same_q[l*PaddedBits +: PaddedBits] <= same & Tops;",
      ],
      [
        "Digit",
        "The digit that is counted is that of the key in order.",
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
        "A reset empties the pipeline, whatever registers held.",
        "beat_q[d] = '0;",
        "beat_q[d] = beat_q[d];",
      ],
      [
        "Step",
        "Counters and pipeline together hold the keys of each digit and above, in every cycle.",
        "if (works_q[1] || load_i) add();",
        "if (works_q[1]) add();",
      ],
      [
        "DoneInTime",
        "The answer comes four cycles after the last keys.",
        "assign scan_done_o = scan_q[3];",
        "assign scan_done_o = scan_q[2];",
      ],
      [
        "Digit",
        "The digit is the largest of which, and above, there are as many keys as are asked for.",
        "enough[digit | (DigitBits'(1) << (DigitBits - 1 - b))];",
        "enough[DigitBits'(1) << (DigitBits - 1 - b)];",
      ],
      [
        "Left",
        "What is left is the number asked for less the keys above that digit.",
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
        "An index is selected exactly if fewer than are taken come before it: " +
          "the window first, then the larger key, then the lower index.",
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
        "The last selection leaves when the formula says, at the latest.",
        "assign pass_done = valid_q[2] && last_q[2] && !emitting;",
        "assign pass_done = valid_q[3] && last_q[3] && !emitting;",
      ],
    ]),
  }),
];
