// SPDX-License-Identifier: Apache-2.0
// Properties of the queues and rings of both units, from any state before the reset.

import { harness, pdr, properties } from "../entry.ts";
import type { Harness } from "../types.ts";

const area = "queues";

export const queueHarnesses: readonly Harness[] = [
  harness({
    name: "ndp_burst_queue",
    contracts: true,
    module: "ndp_burst_queue",
    area,
    parameters: { QueueBursts: 4, BurstsPerBlock: 2 },
    engine: pdr,
    properties: properties("ndp_burst_queue", [
      [
        "InOrder",
        "The oldest slot is the one behind all that were consumed or passed over.",
        "if (align_i) head_q <= (head_q + BlockMask) & ~BlockMask;",
        "if (align_i) head_q <= head_q & ~BlockMask;",
      ],
      [
        "HeadPresent",
        "The oldest slot is present exactly when it was written since its reservation.",
        "if (wr_valid_i) present_q[wr_tag_i] <= 1'b1;",
        "if (wr_valid_i && !pop_i) present_q[wr_tag_i] <= 1'b1;",
      ],
      [
        "BlockPresent",
        "Its block is present exactly when every slot of it is.",
        "&present_q[block_slot+:BurstsPerBlock]",
        "|present_q[block_slot+:BurstsPerBlock]",
      ],
      [
        "ReadsOldest",
        "Reads are of the oldest slot's block.",
        "assign rd_slot_o = (freed_q ? last_slot_q : head_slot) |",
        "assign rd_slot_o = (freed_q ? last_slot_q : block_slot) |",
      ],
      [
        "ReadsFreed",
        "In the cycle after a free, of the freed block.",
        "freed_q <= rst_ni && free;",
        "freed_q <= rst_ni && pop_i;",
      ],
      [
        "HeadPresentAgain",
        "A slot that comes round again is absent until it is written: nothing of the last round shows.",
        "present_q[block_slot+:BurstsPerBlock] <= '0;",
        "present_q[block_slot] <= 1'b0;",
      ],
    ]),
  }),
  harness({
    name: "sparf_topk_queue",
    contracts: true,
    module: "sparf_topk_queue",
    area,
    smaller: [
      {
        module: "sparf_topk_pkg",
        from: "int unsigned QueueBeats = 16;",
        to: "int unsigned QueueBeats = 4;",
      },
    ],
    engine: pdr,
    seconds: 200,
    quick: false,
    properties: properties("sparf_topk_queue", [
      [
        "InOrder",
        "No selection is lost, doubled, changed or reordered.",
        "assign keep = beat_valid_i && (mask_i != '0 || beat_last_i);",
        "assign keep = beat_valid_i && mask_i != '0;",
      ],
      [
        "NoneInvented",
        "A selection is offered exactly while one is inside.",
        "if (open) sel_valid_q <= stored || keep;",
        "if (open) sel_valid_q <= stored || beat_valid_i;",
      ],
      [
        "NeverFull",
        "Selections and promises are never more than there are places.",
        "- ($bits(free_q))'(promise_i);",
        "- ($bits(free_q))'(promise_i && !popped_q);",
      ],
      [
        "Done",
        "done_o tells of the last one, a cycle after it is taken.",
        "done_q <= pop && sel_last_q;",
        "done_q <= sel_valid_q && sel_last_q;",
      ],
    ]),
  }),
  harness({
    name: "relayout_packet_arbiter",
    contracts: true,
    module: "relayout_packet_arbiter",
    area,
    parameters: { Sources: 3 },
    engine: pdr,
    properties: properties("relayout_packet_arbiter", [
      [
        "OneAtATime",
        "A burst of one source is taken at a time.",
        "assign in_ready_o = whose & {Sources{moves}};",
        "assign in_ready_o = (whose | {1'b0, whose[Sources-1:1]}) & {Sources{moves}};",
      ],
      [
        "Together",
        "The bursts of a packet follow one another, with none of another source between them.",
        "assign whose = locked_q ? whose_q : grant;",
        "assign whose = grant;",
      ],
      [
        "InOrder",
        "No burst is lost, doubled, changed or reordered under any pauses.",
        "    if (taken) begin\n      whose_q",
        "    if (in_valid_i != '0) begin\n      whose_q",
      ],
      [
        "NoneInvented",
        "A burst is offered exactly while one is inside.",
        "if (moves) out_valid_q <= taken;",
        "if (moves) out_valid_q <= in_valid_i != '0;",
      ],
      [
        "NeverIdle",
        "Between packets, a burst is taken in every cycle in which there is one and room.",
        "assign moves = !out_valid_q || out_ready_i;",
        "assign moves = !out_valid_q;",
      ],
      [
        "NoStarvation",
        "A source that asks begins its packet after one of each other source at most.",
        ".taken_i(locked_q ? '0 : in_valid_i & in_ready_o),",
        ".taken_i('0),",
      ],
    ]),
  }),
  harness({
    name: "sparf_page_rings",
    module: "sparf_page_rings",
    area,
    parameters: { Channels: 3, RingLines: 4 },
    engine: pdr,
    properties: ringProperties([
      [
        "OneRingSlot",
        "Each cycle is the slot of exactly one channel or of DRAM.",
        "dram_slot_q <= count_q >= RingSlotBits'(Places);",
        "dram_slot_q <= count_q > RingSlotBits'(Places);",
      ],
      [
        "RingSlotNumber",
        "The number of the slot is the index of its bit.",
        "(Banks * Places)'(1) << count_q : '0;",
        "(Banks * Places)'(1) << (count_q ^ RingSlotBits'(1)) : '0;",
      ],
      [
        "NoStarvation",
        "Every channel has a slot in every Channels + 4 cycles.",
        "count_q == RingSlotBits'(RingSlots - 1) ? '0 : count_q + 1'b1;",
        "count_q == '1 ? '0 : count_q + 1'b1;",
      ],
    ]),
  }),
  harness({
    name: "sparf_page_rings_two_banks",
    top: "prove_sparf_page_rings",
    module: "sparf_page_rings",
    area,
    parameters: { Channels: 3, RingLines: 4 },
    smaller: [{ module: "sparf_pkg", from: "BankChannels = 8;", to: "BankChannels = 2;" }],
    engine: pdr,
    properties: ringProperties([
      [
        "OneRingSlot",
        "Each cycle is the slot of at most one channel at each bank, of no channel at two banks, or of DRAM.",
        "ring_slot_q[b*Channels+:Channels] <= Channels'(first << b * Places);",
        "ring_slot_q[b*Channels+:Channels] <= Channels'(first);",
      ],
      [
        "RingSlotNumber",
        "The number of the slot and the order of the banks match its bits.",
        "swap_out_q <= swap_q;",
        "swap_out_q <= !swap_q;",
      ],
      [
        "NoStarvation",
        "Every channel has a slot at each bank in every two rounds.",
        "if (Banks > 1 && count_q",
        "if (Banks == 1 && count_q",
      ],
    ]),
  }),
];

/** Properties of the rings' memories, behind the properties of their slots. */
function ringProperties(slots: Parameters<typeof properties>[1]): Harness["properties"] {
  return properties("sparf_page_rings", [
    ...slots,
    [
      "NothingLost",
      "What is read of a ring is what was written there last.",
      "assign dram_line = dram_base_i + dram_place_i;",
      "assign dram_line = dram_base_i | dram_place_i;",
    ],
    [
      "ArrivesOnce",
      "A page arrives once, in its ring, in the cycle in which its last line is written.",
      "last_q <= dram_slot_q ? dram_last_i : flash_last_i[b];",
      "last_q <= dram_slot_q ? dram_last_i : flash_last_i[b] || flash_error_i[b];",
    ],
    [
      "ArrivesNumber",
      "With its number.",
      "arrive_number_q[b*PageBits+:PageBits] <= dram_number_i;",
      "arrive_number_q[b*PageBits+:PageBits] <= ~dram_number_i;",
    ],
    [
      "Fails",
      "An unreadable line is told of, and no other.",
      "fail_q <= flash_valid_i[b] && flash_error_i[b];",
      "fail_q <= flash_error_i[b];",
    ],
    [
      "FailSlot",
      "With the slot of its head.",
      "fail_slot_q[b*SB+:SB] <= flash_slot_i[b*SB+:SB];",
      "if (flash_last_i[b]) fail_slot_q[b*SB+:SB] <= flash_slot_i[b*SB+:SB];",
    ],
  ]);
}
