// SPDX-License-Identifier: Apache-2.0
// Properties of the NDP unit's streams: the request generator with its queues, from plan to reader.

import { bounded, harness, properties, window } from "../entry.ts";
import type { Fault, Harness } from "../types.ts";

/**
 * Widths of addresses, rows and counts of plans, reduced because no property depends on the further bits; and of
 * bursts.
 */
const widths = (address: number, row: number, count: number): readonly Fault[] =>
  [
    ["AddrBits = 32", `AddrBits = ${address}`],
    ["RowBits = 32", `RowBits = ${row}`],
    ["CountBits = 16", `CountBits = ${count}`],
    ["BurstBits = 512", "BurstBits = 3"],
  ].map(([from, to]) => ({
    module: "dimm_ndp_pkg",
    from: `int unsigned ${from ?? ""};`,
    to: `int unsigned ${to ?? ""};`,
  }));

/** The generator of one stream of two, in step with the loops of the plan. */
const fetch = (
  name: string,
  quick: boolean,
  parameters: Harness["parameters"],
  smaller: readonly Fault[],
): Harness =>
  harness({
    name,
    top: "prove_ndp_stream_fetch",
    module: "ndp_stream_fetch",
    area: "queues",
    parameters,
    smaller,
    engine: window(2),
    seconds: 240,
    quick,
    properties: properties("ndp_stream_fetch", [
      [
        "Reset",
        "A reset leaves no work and no request, whatever registers held.",
        "valid_q[s] = 1'b0;\n        next_slot_q[s] = '0;",
        "valid_q[s] = 1'b0;",
      ],
      [
        "Start",
        "A start puts the counters of the generator in step with the plan's loops.",
        "tokens_left_q[s] = plan_i.tokens;",
        "tokens_left_q[s] = plan_i.pass_tokens;",
      ],
      [
        "Step",
        "They stay in step in every cycle, from any contents that are: any plan, to its end.",
        "x_row_q[s] = x_row_q[s] + plan_i.x_stride;",
        "x_row_q[s] = x_row_q[s];",
      ],
      [
        "Order",
        "With work and room the next request is for the plan's next burst, in the next slot.",
        "req_addr_q[s*AB+:AB] <= addr_q[s];",
        "req_addr_q[s*AB+:AB] <= x_row_q[s];",
      ],
      [
        "NoMore",
        "Without work, or room in the ring, nothing is asked for; what waits stays as it is.",
        "used < PtrBits'(QueueBursts)",
        "used <= PtrBits'(QueueBursts)",
      ],
      [
        "Slots",
        "A burst takes a slot of the ring; weights begin at a block.",
        "next_slot_q[s] = (next_slot_q[s] + BlockMask) & ~BlockMask;",
        "next_slot_q[s] = next_slot_q[s] & ~BlockMask;",
      ],
    ]),
  });

export const streamHarnesses: readonly Harness[] = [
  harness({
    name: "ndp_stream_queues",
    contracts: true,
    module: "ndp_stream_queues",
    area: "queues",
    parameters: { Streams: 1, QueueBursts: 4, BurstsPerBlock: 2 },
    smaller: widths(3, 2, 3),
    engine: bounded(10),
    seconds: 600,
    quick: false,
    properties: [
      ...properties("ndp_stream_fetch", [
        [
          "Order",
          "Bursts are asked for in the order of the plan's loops, each at its address: every small plan.",
          "x_row_q[s] = x_row_q[s] + plan_i.x_stride;",
          "x_row_q[s] = x_row_q[s];",
        ],
        [
          "NoMore",
          "Behind the plan's last burst nothing is asked for.",
          "if (tokens_left_q[s] == 0) active_q[s] = 1'b0;",
          "if (tokens_left_q[s] == 0) active_q[s] = active_q[s];",
        ],
        [
          "OwnedOnce",
          "No slot is asked for twice before its burst came, and no more than there are.",
          // An equivalent form of `& ~PtrBits'(BurstsPerBlock - 1)` for Yosys 0.23.
          "next_slot_q[s] = (next_slot_q[s] + BlockMask) & ~BlockMask;",
          "next_slot_q[s] = next_slot_q[s] & ~BlockMask;",
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
  fetch("ndp_stream_fetch", true, { Stream: 0 }, widths(3, 2, 3)),
  fetch(
    "ndp_stream_fetch_second",
    false,
    { Stream: 1, QueueBursts: 8, BurstsPerBlock: 4 },
    widths(5, 4, 5),
  ),
];
