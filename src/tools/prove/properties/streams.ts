// SPDX-License-Identifier: Apache-2.0
// Properties of the NDP unit's streams: the request generator with its queues, from plan to reader.

import { bounded, harness, properties, window } from "../entry.ts";
import type { Fault, Harness } from "../types.ts";

/**
 * Narrower addresses, rows and counts of plans, and narrower bursts; no property depends on the removed
 * bits.
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

/** The request generator of one of two streams, compared with the loops of the plan. */
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
        "After a reset the generator has no work and no request, for any earlier register contents.",
        "valid_q[s] = 1'b0;\n        next_slot_q[s] = '0;",
        "valid_q[s] = 1'b0;",
      ],
      [
        "Start",
        "After a start, the counters of the generator match the loops of the plan.",
        "tokens_left_q[s] = plan_i.tokens;",
        "tokens_left_q[s] = plan_i.pass_tokens;",
      ],
      [
        "Step",
        "In every cycle, the counters of the generator continue to match the loops of the plan, for any " +
          "plan and any position in it.",
        "x_row_q[s] = x_row_q[s] + plan_i.x_stride;",
        "x_row_q[s] = x_row_q[s];",
      ],
      [
        "Order",
        "If work remains, the ring has a free slot and no request is stalled, the next request is for " +
          "the plan's next burst, in the next slot.",
        "req_addr_q[s*AB+:AB] <= addr_q[s];",
        "req_addr_q[s*AB+:AB] <= x_row_q[s];",
      ],
      [
        "NoMore",
        "Without remaining work or without a free slot in the ring, no request is made; a stalled request is stable.",
        "used < PtrBits'(QueueBursts)",
        "used <= PtrBits'(QueueBursts)",
      ],
      [
        "Slots",
        "Each burst uses one slot of the ring; weights begin at the first slot of a block.",
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
          "Bursts are requested in the order of the plan's loops, each at its address, for every small plan.",
          "x_row_q[s] = x_row_q[s] + plan_i.x_stride;",
          "x_row_q[s] = x_row_q[s];",
        ],
        [
          "NoMore",
          "After the last burst of the plan, no burst is requested.",
          "if (tokens_left_q[s] == 0) active_q[s] = 1'b0;",
          "if (tokens_left_q[s] == 0) active_q[s] = active_q[s];",
        ],
        [
          "OwnedOnce",
          "No slot is requested a second time before its burst arrives, and unread bursts never exceed " +
            "the slots of the ring.",
          // An equivalent form of `& ~PtrBits'(BurstsPerBlock - 1)` for Yosys 0.23.
          "next_slot_q[s] = (next_slot_q[s] + BlockMask) & ~BlockMask;",
          "next_slot_q[s] = next_slot_q[s] & ~BlockMask;",
        ],
        [
          "Progress",
          "While the ring has space for a block, the next request is offered within three cycles.",
          "used < PtrBits'(QueueBursts)",
          "used < PtrBits'(QueueBursts - 1)",
        ],
      ]),
      ...properties("ndp_burst_queue", [
        [
          "InOrder",
          "For answers in any order, the reader receives every burst of the plan unchanged and in the order of the plan.",
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
