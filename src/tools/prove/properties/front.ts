// SPDX-License-Identifier: Apache-2.0
// Properties of the SparF engine's ring allocators and filters, from any state before the reset.

import { bounded, harness, pdr, properties } from "../entry.ts";
import type { Harness } from "../types.ts";

/** The allocator of a ring with one bank, and with two banks, whose pages arrive at two ports. */
const ringAllocators: readonly Harness[] = [
  { name: "sparf_ring_allocator", Ports: 1 },
  { name: "sparf_ring_allocator_two_ports", Ports: 2 },
].map(({ name, Ports }) =>
  harness({
    name,
    top: "prove_sparf_ring_allocator",
    module: "sparf_ring_allocator",
    area: "queues",
    parameters: { RingLines: 4, Pages: 2, Ports },
    engine: bounded(18),
    seconds: 200,
    quick: false,
    properties: properties("sparf_ring_allocator", [
      [
        "JobsInOrder",
        "Jobs are offered in the order of their announcement; no job is lost or duplicated.",
        "if (load) job_rd_q <= job_rd_q + 1'b1;",
        "if (taken) job_rd_q <= job_rd_q + 1'b1;",
      ],
      [
        "NoneInvented",
        "No job is offered before its announcement.",
        "have_q && (some_q || completed_q);",
        "(have_q && (some_q || completed_q)) || present;",
      ],
      [
        "NoJobBeforeItsPages",
        "A job is offered only when all its pages and all pages of earlier jobs have arrived.",
        "completed_q <= present && ends_q[page_present_q[PageBits-1:0]];",
        "completed_q <= ends_q[page_present_q[PageBits-1:0]];",
      ],
      [
        "LineOwnedOnce",
        "A line is reserved only if no unreleased job owns it.",
        "line_room_q <= (LineBits + 1)'(RingLines) - (line_q - line_freed_q);",
        "line_room_q <= (LineBits + 1)'(RingLines);",
      ],
      [
        "NumberOwnedOnce",
        "A page number is assigned only if no unreleased job owns it.",
        "page_room_q <= page_q - page_freed_q != (PageBits + 1)'(Pages);",
        "page_room_q <= 1'b1;",
      ],
      [
        "OfferHolds",
        "An offered job is stable until it is accepted.",
        "else if (taken) have_q <= 1'b0;",
        "else if (taken || done_i) have_q <= 1'b0;",
      ],
      [
        "Progress",
        "When all requested pages have arrived, an announced job is offered within Pages + 4 cycles.",
        "some_q <= taken ? (completed_q ? some_q : more)",
        "some_q <= taken ? more",
      ],
      [
        "RoomWhenEmpty",
        "When all jobs are released, the ring has space for a page of any legal size within four cycles.",
        "freed_q <= done_i;",
        "freed_q <= done_i && job_valid_o;",
      ],
    ]),
  }),
);

export const frontHarnesses: readonly Harness[] = [
  ...ringAllocators,
  harness({
    name: "sparf_dram_reader_order",
    top: "prove_sparf_dram_reader",
    module: "sparf_dram_reader",
    area: "queues",
    parameters: { Readers: 2, Lines: 2, Runs: 2 },
    engine: bounded(16),
    separately: true,
    seconds: 200,
    quick: false,
    properties: properties("sparf_dram_reader", [
      [
        "DataInOrder",
        "No data of a line are lost, duplicated, changed or reordered.",
        "if (load) stored_rd_q <= stored_rd_q + 1'b1;",
        "if (leave) stored_rd_q <= stored_rd_q + 1'b1;",
      ],
      [
        "RightReader",
        "Each line is offered to the reader of its run, with the note of the run, its place in the run, " +
          "and the mark of the last line.",
        "assign out_last_o = place_q == last_place;",
        "assign out_last_o = place_q >= last_place - 1'b1;",
      ],
    ]),
  }),
  harness({
    name: "sparf_dram_reader",
    module: "sparf_dram_reader",
    area: "queues",
    parameters: { Readers: 2, Lines: 2, Runs: 2 },
    engine: pdr,
    separately: true,
    seconds: 200,
    properties: properties("sparf_dram_reader", [
      [
        "NoneInvented",
        "A line is offered only when its data have arrived.",
        "else if (leave) line_valid_q <= 1'b0;",
        "else if (leave && !rsp_valid_i) line_valid_q <= 1'b0;",
      ],
      [
        "OneReader",
        "A line is offered to at most one reader.",
        "line_valid_q ? Readers'(1) << to_whom : '0;",
        "{Readers{line_valid_q}};",
      ],
      [
        "RoomForAnswers",
        "The lines that are requested and not delivered never exceed `Lines`.",
        "else line_room_q <= asked_q < (LinePtrBits + 1)'(Lines - 1);",
        "else line_room_q <= asked_q < (LinePtrBits + 1)'(Lines);",
      ],
      [
        "Address",
        "The lines of a run are requested in ascending order, from the first line of the run.",
        "req_line_q <= sparf_pkg::line_behind(req_line_q);",
        "req_line_q <= sparf_pkg::line_behind(line);",
      ],
      [
        "OnlyRequesters",
        "A run is accepted only from a reader that offers a run.",
        "assign run_ready_o = grant_q & {Readers{open_q}};",
        "assign run_ready_o = {Readers{take}};",
      ],
      [
        "NoStarvation",
        "While a reader offers a run, at most `Readers` runs of other readers are accepted.",
        ".taken_i(run_ready_o),",
        ".taken_i('0),",
      ],
    ]),
  }),
  harness({
    name: "sparf_nfc_filter",
    module: "sparf_nfc_filter",
    area: "selection",
    parameters: { MaxRows: 4, MaxRowBeats: 4 },
    engine: pdr,
    seconds: 200,
    properties: properties("sparf_nfc_filter", [
      [
        "InOrder",
        "The beats that pass leave in order, with the marks of the end of a row and the end of the page.",
        "out_last_q <= used_ends_q && mask_q[MaxRows-1:1] == '0;",
        "out_last_q <= used_ends_q && mask_q[MaxRows-2:1] == '0;",
      ],
      [
        "OnlySelectedBeats",
        "A beat passes exactly if its row is in the mask and it is among the first `used_beats` beats of the row.",
        "if (used_ends_q) used_q <= 1'b0;",
        "if (used_ends_q) used_q <= rows_left_q[0];",
      ],
      [
        "NextPage",
        "The filter is ready for the next page exactly while no beat of the previous page is outstanding.",
        "page_ends_q <= rows_left_q == (RowBits + 1)'(2);",
        "page_ends_q <= rows_left_q <= (RowBits + 1)'(3);",
      ],
      [
        "Takes",
        "The filter is ready for a beat of a page unless a beat is stalled at the output.",
        "busy_q && (!out_valid_q || out_ready_i);",
        "busy_q && !out_valid_q;",
      ],
      [
        "Events",
        "The event outputs report each accepted beat and each beat that passes, in the cycle of its acceptance.",
        "assign events_o = {kept, taken};",
        "assign events_o = {taken, kept};",
      ],
    ]),
  }),
  harness({
    name: "transposition_buffer",
    module: "transposition_buffer",
    area: "queues",
    parameters: { Values: 4, Words: 4 },
    engine: pdr,
    seconds: 200,
    quick: false,
    properties: properties("transposition_buffer", [
      [
        "Transposed",
        "A value of a set leaves at the place of its dimension and its token, for any stalls.",
        "kept_rotation_q <= DimBits'(0) - read_dim_q;",
        "kept_rotation_q <= read_dim_q;",
      ],
      [
        "PageEnds",
        "The last line of a page is marked as the last one and has the tag of the page.",
        "send_tag_q <= page_tag_i;",
        "send_tag_q <= '0;",
      ],
      [
        "LastOnlyAtEnd",
        "No earlier line of a page is marked as the last one.",
        "read_last_q <= tile_last_q && dim_last_q;",
        "read_last_q <= tile_last_q;",
      ],
      [
        "NoneInvented",
        "A line is offered only while lines of accepted page requests are outstanding.",
        "      read_q <= send_q;",
        "      read_q <= send_q || kept_q;",
      ],
      [
        "LinePerCycle",
        "The buffer is ready for a line in every cycle from the start of a set until the set is full, " +
          "and in no other cycle.",
        "assign line_ready_o = fill_q;",
        "assign line_ready_o = fill_q && !write_q;",
      ],
      [
        "FullNextCycle",
        "A set is reported full in the cycle after its last line, and in no other cycle.",
        "filled_valid_q <= fill_ends;",
        "filled_valid_q <= taken && fill_last_q;",
      ],
      [
        "Events",
        "The event outputs report each accepted line and each line that leaves, in the same cycle.",
        "{out_valid_q && out_ready_i, taken};",
        "{out_valid_q, taken};",
      ],
    ]),
  }),
  harness({
    name: "sparf_whole_heads",
    module: "sparf_whole_heads",
    area: "selection",
    parameters: { Slots: 4, GroupBits: 3, CountBits: 4, Limit: 21 },
    engine: pdr,
    properties: properties("sparf_whole_heads", [
      [
        "Product",
        "From four cycles after a head is written until its slot is written again, the slot's mark is " +
          "high exactly if count * (group + 1) exceeds `Limit`.",
        "for (int unsigned b = 1; b < GroupBits; b++) begin",
        "for (int unsigned b = 1; b < GroupBits - 1; b++) begin",
      ],
    ]),
  }),
];
