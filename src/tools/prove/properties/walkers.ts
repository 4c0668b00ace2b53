// SPDX-License-Identifier: Apache-2.0
// Properties of the walkers of the SparF front, and of the buffer of selections between kernel and walkers, from any
// state before the reset.

import { bounded, harness, induction, properties } from "../entry.ts";
import type { Fault, Harness } from "../types.ts";

/**
 * Narrower token counts and addresses; no property depends on the removed bits.
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
        "Invariant: the registers of the walker match the next token, in each state.",
        "left_q <= end_i - token_q;\n        offset_q <= token_q - dram_first_i;",
        "left_q <= end_i - token_q;\n        offset_q <= token_q;",
      ],
      [
        "Order",
        "The walker requests every token once, in ascending order: first pages of tokens on flash, the " +
          "last page up to its last used row, then runs of rows in DRAM.",
        "? ~({PageRows{1'b1}} << count_q[$clog2(PageRows):0]) : mask_q;",
        "? ~({PageRows{1'b1}} << rows_q[$clog2(PageRows):0]) : mask_q;",
      ],
      [
        "Job",
        "The count and the lines of an item are those of its rows; the last item of a head is marked.",
        "last_q <= flash_q ? all_flash_q && (page_part || page_whole)",
        "last_q <= flash_q ? page_part || page_whole",
      ],
      [
        "NoBeats",
        "A walk over all tokens reads no beat of a selection.",
        "state_q <= select_i ? StateFetch : StatePlan;",
        "state_q <= select_i || flash_end_i == '0 ? StateFetch : StatePlan;",
      ],
      [
        "AllRequested",
        "busy_o is high exactly until the last token is requested.",
        "state_q <= last_q ? StateIdle : StatePlan;",
        "state_q <= last_q || !flash_q ? StateIdle : StatePlan;",
      ],
      [
        "Progress",
        "The next item is offered within three cycles.",
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
        "Invariant: the registers of the walker match the next block and the next group, in each state.",
        "index_q <= block_index_q;",
        "index_q <= '0;",
      ],
      [
        "Order",
        "The walker requests the page of each group with a chosen dimension, block after block, each " +
          "once and no other page; the mask of a page selects its chosen dimensions.",
        "page_index_q <= index_q;",
        "page_index_q <= index_q + 1'b1;",
      ],
      [
        "Job",
        "Each block is one job: its first page begins the job, its last page ends the job, and the job " +
          "has the number of tokens of the block.",
        "ends_q <= (any_q >> 1) == '0 && MaxDims'(rest) == '0;",
        "ends_q <= (any_q >> 1) == '0;",
      ],
      [
        "Room",
        "A page uses the ring lines of its chosen dimensions, and the beats of the block's tokens.",
        "more_lines = count_q[3] ? row_lines_q << 3 : count_q[2] ? row_lines_q << 2 : '0;",
        "more_lines = count_q[2] ? row_lines_q << 2 : '0;",
      ],
      [
        "AllRequested",
        "busy_o is high exactly until the last page of the last block is accepted.",
        "block_last_q <= above == '0 || left_q == block_tokens;",
        "block_last_q <= above == '0;",
      ],
      [
        "Progress",
        "The next page is offered after at most 19 cycles: one for each of 16 groups, and three.",
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
        "Each reader receives the beats with a selected token in order; no beat is lost, duplicated or changed.",
        "if (keep) wr_q <= wr_q + 1'b1;",
        "if (sel_valid_i) wr_q <= wr_q + 1'b1;",
      ],
      [
        "NoneInvented",
        "Except in the cycle after a read, a beat is offered to a reader only while the reader has an unread beat.",
        "rd_valid_q[r] <= keep || wr_q != rd_q;",
        "rd_valid_q[r] <= sel_valid_i || wr_q != rd_q;",
      ],
      [
        "Offered",
        "A beat is offered to a reader from the cycle after its arrival until the reader has read it.",
        "rd_valid_q[r] <= keep || wr_q != rd_q;",
        "rd_valid_q[r] <= wr_q != rd_q;",
      ],
      [
        "Fits",
        "The unread beats of a reader never exceed the size of the buffer, so that none is overwritten.",
        "&& (ahead_q[1][0] || rd_done_i[1]);",
        "|| (ahead_q[1][0] || rd_done_i[1]);",
      ],
      [
        "Room",
        "The free space is all beats except those reserved for heads whose end a reader has not " +
          "reported; a reservation in the cycle of a release counts one cycle later.",
        "late_q <= reserve_i && release_head;",
        "late_q <= 1'b0;",
      ],
      [
        "ReservationLimit",
        "The reserved beats never exceed the size of the buffer.",
        "assign taken = (reserve_i || late_q) && !release_head;",
        "assign taken = reserve_i && !release_head;",
      ],
    ]),
  }),
];
