// SPDX-License-Identifier: Apache-2.0
// What is proven of the NDP unit's streams: the request generator with its queues, from plan to reader.

import { bounded, harness, properties } from "./entry.ts";
import type { Fault, Harness } from "./types.ts";

/** Widths of plans and bursts, of which nothing depends on more. */
const smaller: readonly Fault[] = [
  ["AddrBits = 32", "AddrBits = 3"],
  ["RowBits = 32", "RowBits = 2"],
  ["CountBits = 16", "CountBits = 3"],
  ["BurstBits = 512", "BurstBits = 3"],
].map(([from, to]) => ({
  module: "dimm_ndp_pkg",
  from: `int unsigned ${from};`,
  to: `int unsigned ${to};`,
}));

export const streamHarnesses: readonly Harness[] = [
  harness({
    name: "ndp_stream_queues",
    contracts: true,
    module: "ndp_stream_queues",
    area: "queues",
    parameters: { Streams: 1, QueueBursts: 4, BurstsPerBlock: 2 },
    smaller,
    engine: bounded(10),
    seconds: 600,
    quick: false,
    properties: [
      ...properties("ndp_stream_fetch", [
        [
          "Order",
          "Bursts are asked for in the order of the plan's loops, each at its address: every small plan.",
          "x_row[s] = x_row[s] + plan_i.x_stride;",
          "x_row[s] = x_row[s];",
        ],
        [
          "NoMore",
          "Behind the plan's last burst nothing is asked for.",
          "if (tokens_left[s] == 0) active[s] = 1'b0;",
          "if (tokens_left[s] == 0) active[s] = active[s];",
        ],
        [
          "OwnedOnce",
          "No slot is asked for twice before its burst came, and no more than there are.",
          // As Yosys 0.23 reads `& ~PtrBits'(BurstsPerBlock - 1)`.
          "next_slot[s] = (next_slot[s] + BlockMask) & ~BlockMask;",
          "next_slot[s] = next_slot[s] & ~BlockMask;",
        ],
        [
          "Progress",
          "With room for a block, the next request is offered within three cycles.",
          "used < PtrBits'(QueueBursts)",
          "used < PtrBits'(QueueBursts - 1)",
        ],
      ]),
      ...properties("ndp_burst_queue", [
        [
          "InOrder",
          "With answers in any order the reader gets every burst of the plan, unchanged and in its turn.",
          "assign rd_slot_o = head_slot | TagBits'(rd_offset_i);",
          "assign rd_slot_o = head_slot;",
        ],
      ]),
    ],
  }),
];
