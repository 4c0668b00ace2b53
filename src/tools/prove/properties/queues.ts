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
        "The oldest slot is the slot after all slots that were consumed or that an alignment skipped.",
        "if (align_i) head_q <= (head_q + BlockMask) & ~BlockMask;",
        "if (align_i) head_q <= head_q & ~BlockMask;",
      ],
      [
        "HeadPresent",
        "The oldest slot counts as present exactly if it was written since its reservation.",
        "if (wr_valid_i) present_q[wr_tag_i] <= 1'b1;",
        "if (wr_valid_i && !pop_i) present_q[wr_tag_i] <= 1'b1;",
      ],
      [
        "BlockPresent",
        "The block of the oldest slot counts as present exactly if all its slots were written.",
        "&present_q[block_slot+:BurstsPerBlock]",
        "|present_q[block_slot+:BurstsPerBlock]",
      ],
      [
        "ReadsOldest",
        "Except in the cycle after a block is freed, the read address is in the block of the oldest slot.",
        "assign rd_slot_o = (freed_q ? last_slot_q : head_slot) |",
        "assign rd_slot_o = (freed_q ? last_slot_q : block_slot) |",
      ],
      [
        "ReadsFreed",
        "In the cycle after a block is freed, the read address is in the freed block.",
        "freed_q <= rst_ni && free;",
        "freed_q <= rst_ni && pop_i;",
      ],
      [
        "NoStaleBurst",
        "A reused slot counts as absent until it is written: no burst of the previous round is visible.",
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
        "No selection is lost, duplicated, changed or reordered.",
        "assign keep = beat_valid_i && (mask_i != '0 || beat_last_i);",
        "assign keep = beat_valid_i && mask_i != '0;",
      ],
      [
        "NoneInvented",
        "A selection is offered exactly while the queue contains a selection.",
        "if (open) sel_valid_q <= stored || keep;",
        "if (open) sel_valid_q <= stored || beat_valid_i;",
      ],
      [
        "NeverFull",
        "Outside counting passes, stored selections and promised beats together never exceed the queue's slots.",
        "- ($bits(free_q))'(promise_i);",
        "- ($bits(free_q))'(promise_i && !popped_q);",
      ],
      [
        "Done",
        "done_o is high in the cycle after the last selection is accepted, and in no other cycle.",
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
        "At most one source transfers a burst per cycle.",
        "assign in_ready_o = whose & {Sources{moves}};",
        "assign in_ready_o = (whose | {1'b0, whose[Sources-1:1]}) & {Sources{moves}};",
      ],
      [
        "Together",
        "The bursts of a packet are consecutive: no burst of another source is accepted between them.",
        "assign whose = locked_q ? whose_q : grant;",
        "assign whose = grant;",
      ],
      [
        "InOrder",
        "No burst is lost, duplicated, changed or reordered, for any stalls of the output.",
        "    if (taken) begin\n      whose_q",
        "    if (in_valid_i != '0) begin\n      whose_q",
      ],
      [
        "NoneInvented",
        "A burst is offered exactly while the arbiter contains a burst.",
        "if (moves) out_valid_q <= taken;",
        "if (moves) out_valid_q <= in_valid_i != '0;",
      ],
      [
        "NeverIdle",
        "Between packets, a burst is accepted in every cycle in which a source offers one and the output is not stalled.",
        "assign moves = !out_valid_q || out_ready_i;",
        "assign moves = !out_valid_q;",
      ],
      [
        "NoStarvation",
        "While source 0 waits, at most Sources - 1 packets of other sources begin.",
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
        "In each cycle, exactly one channel or the DRAM has the write slot.",
        "dram_slot_q <= count_q >= RingSlotBits'(Places);",
        "dram_slot_q <= count_q > RingSlotBits'(Places);",
      ],
      [
        "RingSlotNumber",
        "place_o is the number of the channel that has the write slot.",
        "(Banks * Places)'(1) << count_q : '0;",
        "(Banks * Places)'(1) << (count_q ^ RingSlotBits'(1)) : '0;",
      ],
      [
        "NoStarvation",
        "Every channel has the write slot at least once in Channels + 4 cycles.",
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
        "In each cycle either the DRAM has the write slots, or one or more channels have them: at most " +
          "one channel per bank, and no channel at both banks.",
        "ring_slot_q[b*Channels+:Channels] <= Channels'(first << b * Places);",
        "ring_slot_q[b*Channels+:Channels] <= Channels'(first);",
      ],
      [
        "RingSlotNumber",
        "place_o and swap_o determine the channel that has the write slot of each bank.",
        "swap_out_q <= swap_q;",
        "swap_out_q <= !swap_q;",
      ],
      [
        "NoStarvation",
        "Every channel has the write slot of each bank at least once in two rounds.",
        "if (Banks > 1 && count_q",
        "if (Banks == 1 && count_q",
      ],
    ]),
  }),
];

/** `slots`, the properties of the write slots, and then those of the memories of the rings. */
function ringProperties(slots: Parameters<typeof properties>[1]): Harness["properties"] {
  return properties("sparf_page_rings", [
    ...slots,
    [
      "NothingLost",
      "A read of a ring returns the data that were last written to the line.",
      "assign dram_line = dram_base_i + dram_place_i;",
      "assign dram_line = dram_base_i | dram_place_i;",
    ],
    [
      "ArrivesOnce",
      "The arrival of a page is reported once, for its ring, in the cycle in which its last line is written.",
      "last_q <= dram_slot_q ? dram_last_i : flash_last_i[b];",
      "last_q <= dram_slot_q ? dram_last_i : flash_last_i[b] || flash_error_i[b];",
    ],
    [
      "ArrivesNumber",
      "The report of a page's arrival has the number of the page.",
      "arrive_number_q[b*PageBits+:PageBits] <= dram_number_i;",
      "arrive_number_q[b*PageBits+:PageBits] <= ~dram_number_i;",
    ],
    [
      "Fails",
      "A failure is reported for each unreadable line, and only for unreadable lines.",
      "fail_q <= flash_valid_i[b] && flash_error_i[b];",
      "fail_q <= flash_error_i[b];",
    ],
    [
      "FailSlot",
      "The report of an unreadable line has the slot of the line's head.",
      "fail_slot_q[b*SB+:SB] <= flash_slot_i[b*SB+:SB];",
      "if (flash_last_i[b]) fail_slot_q[b*SB+:SB] <= flash_slot_i[b*SB+:SB];",
    ],
  ]);
}
