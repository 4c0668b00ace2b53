// SPDX-License-Identifier: Apache-2.0
// Properties of the SparF front's walkers, and of the buffer of selections between the kernel and them, from any state
// before the reset.

import { bounded, harness, induction, properties } from "../entry.ts";
import type { Fault, Harness } from "../types.ts";

/**
 * Bits of counts of tokens, and of addresses, reduced because no property depends on the further bits.
 */
const widths = (count: number, address: number): readonly Fault[] =>
  [
    ["CountBits = 16;", `CountBits = ${count};`],
    ["AddrBits = 32;", `AddrBits = ${address};`],
  ].map(([from = "", to = ""]) => ({ module: "sparf_pkg", from, to }));

const tokenWalkers: readonly Harness[] = [
  harness({
    name: "sparf_token_ranges",
    module: "sparf_token_walker",
    area: "selection",
    parameters: { Width: 64, MaxPageRows: 16 },
    smaller: widths(9, 12),
    engine: induction,
    seconds: 240,
    quick: false,
    properties: properties("sparf_token_walker", [
      [
        "InStep",
        "The walker's registers follow from the next token, in each of its states.",
        "left_q <= end_i - token_q;\n        offset_q <= token_q - dram_first_i;",
        "left_q <= end_i - token_q;\n        offset_q <= token_q;",
      ],
      [
        "Order",
        "Whole pages of the tokens on flash, the last one as far as it is used, then runs of DRAM: " +
          "every token once, in ascending order.",
        "? ~({PageRows{1'b1}} << count_q[$clog2(PageRows):0]) : mask_q;",
        "? ~({PageRows{1'b1}} << rows_q[$clog2(PageRows):0]) : mask_q;",
      ],
      [
        "Job",
        "An item's count and lines are those of its rows; the last one of the head is marked.",
        "last_q <= flash_q ? all_flash_q && (page_part || page_whole)",
        "last_q <= flash_q ? page_part || page_whole",
      ],
      [
        "NoBeats",
        "No beat of a selection is read.",
        "state_q <= select_i ? StateFetch : StatePlan;",
        "state_q <= select_i || flash_end_i == '0 ? StateFetch : StatePlan;",
      ],
      [
        "AllRequested",
        "The walker is at work until the last token is requested, and no longer.",
        "state_q <= last_q ? StateIdle : StatePlan;",
        "state_q <= last_q || !flash_q ? StateIdle : StatePlan;",
      ],
      [
        "Progress",
        "The next item is offered in the third cycle.",
        "StatePlan: state_q <= StateCount;",
        "StatePlan: if (item_ready_i) state_q <= StateCount;",
      ],
    ]),
  }),
];

export const walkerHarnesses: readonly Harness[] = [
  harness({
    name: "sparf_dim_walker",
    module: "sparf_dim_walker",
    area: "selection",
    parameters: { Width: 16 },
    smaller: widths(8, 12),
    engine: induction,
    seconds: 240,
    quick: false,
    properties: properties("sparf_dim_walker", [
      [
        "InStep",
        "The walker's registers follow from the block and the group that come next, in each of its states.",
        "index_q <= block_index_q;",
        "index_q <= '0;",
      ],
      [
        "Order",
        "Requested are the pages of the groups that hold a chosen dimension, with those in their mask, " +
          "block after block: none twice, none lost, no other.",
        "page_index_q <= index_q;",
        "page_index_q <= index_q + 1'b1;",
      ],
      [
        "Job",
        "A block is a job: its first page begins it, its last one ends it, and it counts the block's tokens.",
        "ends_q <= (any_q >> 1) == '0 && MaxDims'(rest) == '0;",
        "ends_q <= (any_q >> 1) == '0;",
      ],
      [
        "Room",
        "A page's lines of the ring are those of its chosen dimensions, and its beats those of the tokens.",
        "more_lines = count_q[3] ? row_lines_q << 3 : count_q[2] ? row_lines_q << 2 : '0;",
        "more_lines = count_q[2] ? row_lines_q << 2 : '0;",
      ],
      [
        "AllAsked",
        "The walker is at work until the last page of the last block is taken, and no longer.",
        "block_last_q <= above == '0 || left_q == block_tokens;",
        "block_last_q <= above == '0;",
      ],
      [
        "Progress",
        "The next page is offered within 19 cycles, one a group and three.",
        "StateScan: if (slice != '0) state_q <= StateLines;",
        "StateScan: if (slice != '0 && item_ready_i) state_q <= StateLines;",
      ],
    ]),
  }),
  ...tokenWalkers,
  harness({
    name: "sparf_sel_buffer",
    module: "sparf_sel_buffer",
    area: "queues",
    parameters: { Beats: 2, Heads: 2 },
    smaller: [
      { module: "sparf_pkg", from: "CountBits = 16;", to: "CountBits = 4;" },
      { module: "sparf_pkg", from: "SelTokens = 8;", to: "SelTokens = 1;" },
    ],
    engine: bounded(14),
    seconds: 240,
    quick: false,
    properties: properties("sparf_sel_buffer", [
      [
        "InOrder",
        "Each reader gets the beats in which something is selected, none lost, doubled or changed, in order.",
        "if (keep) wr_q <= wr_q + 1'b1;",
        "if (sel_valid_i) wr_q <= wr_q + 1'b1;",
      ],
      [
        "NoneInvented",
        "A reader is told of a beat only when there is one that it has not read.",
        "rd_valid_q[r] <= keep || wr_q != rd_q;",
        "rd_valid_q[r] <= sel_valid_i || wr_q != rd_q;",
      ],
      [
        "Offered",
        "A beat can be read in the cycle after it came, and until it is.",
        "rd_valid_q[r] <= keep || wr_q != rd_q;",
        "rd_valid_q[r] <= wr_q != rd_q;",
      ],
      [
        "Fits",
        "No beat is written over one that a reader has not read.",
        "&& (ahead_q[1][0] || rd_done_i[1]);",
        "|| (ahead_q[1][0] || rd_done_i[1]);",
      ],
      [
        "Room",
        "The room is all beats but those reserved for heads that not both readers have reported.",
        "late_q <= reserve_i && release_head;",
        "late_q <= 1'b0;",
      ],
      [
        "NeverMore",
        "Never are more beats reserved than there are.",
        "assign taken = (reserve_i || late_q) && !release_head;",
        "assign taken = reserve_i && !release_head;",
      ],
    ]),
  }),
];
