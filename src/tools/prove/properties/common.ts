// SPDX-License-Identifier: Apache-2.0
// Properties of rtl/common except its arithmetic: reset, stream stage, round-robin arbitration, memories.

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
        "EndsAfterReads",
        "The unit's reset ends only when no read is outstanding.",
        "(count_q == '0 && asked == '0)",
        "count_q == '0",
      ],
      [
        "BeginsNextCycle",
        "The unit's reset begins in the cycle after it is requested.",
        "rst_n_q <= rst_ni && (",
        "rst_n_q <= (rst_ni || count_q != '0) && (",
      ],
      [
        "EndsWhenIdle",
        "If no reset is requested and no read is outstanding or accepted, the unit is out of reset in the next cycle.",
        "count_q <= count_q + asked - answered;",
        "count_q <= count_q + asked;",
      ],
      ["OnlyRequested", "The unit's reset begins only after a request.", "(rst_n_q || (", "(("],
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
        "No word is lost, duplicated, changed or reordered, for any stalls of source and sink.",
        "out_data_q <= aside_q ? aside_data_q : in_data_i;",
        "out_data_q <= in_data_i;",
      ],
      [
        "NoneInvented",
        "A word is offered exactly while the buffer contains a word.",
        "if (moves) out_valid_q <= aside_q || in_valid_i;",
        "if (moves) out_valid_q <= in_valid_i;",
      ],
      [
        "TwoPlaces",
        "The buffer is ready exactly while it contains fewer than two words.",
        "aside_q <= !moves && (aside_q || in_valid_i);",
        "aside_q <= !moves && in_valid_i;",
      ],
      [
        "OfferHolds",
        "An offered word and its marks are stable until the sink accepts them.",
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
        "At most one requester is granted at a time.",
        "first[i] = bits[i] && (bits & below(i)) == '0;",
        "first[i] = bits[i] && (bits & below(i / 2)) == '0;",
      ],
      [
        "OnlyRequesters",
        "A requester is granted only while its request is valid.",
        "assign behind = valid_i & behind_q;",
        "assign behind = behind_q;",
      ],
      [
        "NeverIdle",
        "While at least one request is valid, a requester is granted.",
        "behind != '0 ? first(behind) : first(valid_i)",
        "first(behind)",
      ],
      [
        "NoStarvation",
        "While one of five requesters waits, at most four acceptances of others precede its own.",
        "behind != '0 ? first(behind) : first(valid_i)",
        "first(valid_i)",
      ],
      [
        "NoSecondAcceptance",
        "While a requester waits, no other requester is accepted twice.",
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
        "While one of five requesters waits, at most four acceptances of others precede its own, also " +
          "if each acceptance uses the grant of the previous cycle.",
        "behind != '0 ? first(behind) : first(valid_i)",
        "first(valid_i)",
      ],
      [
        "NoSecondAcceptance",
        "While a requester waits, no other requester is accepted twice, also if each acceptance uses " +
          "the grant of the previous cycle.",
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
        "In the cycle after a read, the output has the data that were last written to the word.",
        "if (wr_valid_i[b]) mem_q[",
        "if (wr_valid_i[b] && !rd_valid_i[b]) mem_q[",
      ],
      [
        "Stays",
        "The read data are stable until the next read.",
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
        "A read returns the data that were last written to the lower grain of the word.",
        "if (wmask_i[m])",
        "if (wmask_i[MaskBits-1])",
      ],
      [
        "HighGrain",
        "A read returns the data that were last written to the upper grain of the word.",
        "if (wmask_i[m])",
        "if (wmask_i[0])",
      ],
      [
        "Stays",
        "The read data are stable until the next read.",
        "      end else begin\n        rdata_q",
        "      end begin\n        rdata_q",
      ],
    ]),
  }),
];
