// SPDX-License-Identifier: Apache-2.0
// Properties of rtl/common except its arithmetic: a stream's stage, round-robin arbitration, memories.

import { harness, pdr, properties } from "../entry.ts";
import type { Harness } from "../types.ts";

export const commonHarnesses: readonly Harness[] = [
  harness({
    name: "reset_drain",
    module: "reset_drain",
    area: "queues",
    parameters: { CountBits: 3 },
    engine: pdr,
    properties: properties("reset_drain", [
      [
        "Waits",
        "The unit's reset never ends while a read is on its way.",
        "(count_q == '0 && asked == '0)",
        "count_q == '0",
      ],
      [
        "AtOnce",
        "It begins in the cycle after it is wanted.",
        "rst_n_q <= rst_ni && (",
        "rst_n_q <= (rst_ni || count_q != '0) && (",
      ],
      [
        "NoLonger",
        "It ends when it is no longer wanted and all reads are answered.",
        "count_q <= count_q + asked - answered;",
        "count_q <= count_q + asked;",
      ],
      ["NoOther", "There is none that is not wanted.", "(rst_n_q || (", "(("],
    ]),
  }),
  harness({
    name: "skid_buffer",
    contracts: true,
    module: "skid_buffer",
    area: "queues",
    engine: pdr,
    properties: properties("skid_buffer", [
      [
        "InOrder",
        "No word is lost, doubled, changed or reordered under any pauses of both sides.",
        "out_data_q <= aside_q ? aside_data_q : in_data_i;",
        "out_data_q <= in_data_i;",
      ],
      [
        "NoneInvented",
        "A word is offered exactly while one is inside.",
        "if (moves) out_valid_q <= aside_q || in_valid_i;",
        "if (moves) out_valid_q <= in_valid_i;",
      ],
      [
        "TwoPlaces",
        "There is room exactly while fewer than two words are inside.",
        "aside_q <= !moves && (aside_q || in_valid_i);",
        "aside_q <= !moves && in_valid_i;",
      ],
      [
        "OfferHolds",
        "An offered word and its marks stay until they are taken.",
        "    if (moves) begin",
        "    begin",
      ],
    ]),
  }),
  harness({
    name: "round_robin",
    contracts: true,
    module: "round_robin",
    area: "arbitration",
    parameters: { Requesters: 5 },
    engine: pdr,
    properties: properties("round_robin", [
      [
        "OneHot",
        "One at most is granted.",
        "first[i] = bits[i] && (bits & below(i)) == '0;",
        "first[i] = bits[i] && (bits & below(i / 2)) == '0;",
      ],
      [
        "OnlyThoseWhoAsk",
        "No requester is granted that does not ask.",
        "assign behind = valid_i & behind_q;",
        "assign behind = behind_q;",
      ],
      [
        "NeverIdle",
        "While a requester asks, one is granted.",
        "behind != '0 ? first(behind) : first(valid_i)",
        "first(behind)",
      ],
      [
        "NoStarvation",
        "A requester that asks is taken after four others of five at most.",
        "behind != '0 ? first(behind) : first(valid_i)",
        "first(valid_i)",
      ],
      [
        "NobodyTwice",
        "While a requester waits, no other is taken twice.",
        "behind_q[i] <= (taken_i & below(i)) != '0;",
        "behind_q[i] <= (taken_i & below(i + 1)) != '0;",
      ],
    ]),
  }),
  harness({
    name: "round_robin_late",
    contracts: true,
    top: "prove_round_robin",
    module: "round_robin",
    area: "arbitration",
    parameters: { Requesters: 5, Late: 1 },
    engine: pdr,
    properties: properties("round_robin", [
      [
        "NoStarvation",
        "Who asks is taken after four others of five at most, also of grants of the cycle before.",
        "behind != '0 ? first(behind) : first(valid_i)",
        "first(valid_i)",
      ],
      [
        "NobodyTwice",
        "While somebody waits, nobody is taken twice, also of grants of the cycle before.",
        "behind_q[i] <= (taken_i & below(i)) != '0;",
        "behind_q[i] <= (taken_i & below(i + 1)) != '0;",
      ],
    ]),
  }),
  harness({
    name: "sram_1r1w",
    module: "sram_1r1w",
    area: "queues",
    engine: pdr,
    properties: properties("sram_1r1w", [
      [
        "LastWritten",
        "A read gives what was written last, in the cycle after.",
        "if (wr_valid_i[b]) mem_q[",
        "if (wr_valid_i[b] && !rd_valid_i[b]) mem_q[",
      ],
      [
        "Stays",
        "What was read stays until the next read.",
        "      if (rd_valid_i[b])\n",
        "      if (rd_valid_i[b] || wr_valid_i[b])\n",
      ],
    ]),
  }),
  harness({
    name: "sram_1rw",
    module: "sram_1rw",
    area: "queues",
    engine: pdr,
    properties: properties("sram_1rw", [
      [
        "LowGrain",
        "A read gives what was written last into the lower grain.",
        "if (wmask_i[m])",
        "if (wmask_i[MaskBits-1])",
      ],
      ["HighGrain", "And into the upper one.", "if (wmask_i[m])", "if (wmask_i[0])"],
      [
        "Stays",
        "What was read stays until the next read.",
        "      end else begin\n        rdata_q",
        "      end begin\n        rdata_q",
      ],
    ]),
  }),
];
