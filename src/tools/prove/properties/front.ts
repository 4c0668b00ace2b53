// SPDX-License-Identifier: Apache-2.0
// Properties of the SparF engine's ring allocators and filters, from any state before the reset.

import { bounded, harness, pdr, properties } from "../entry.ts";
import type { Harness } from "../types.ts";

/** The allocator of a ring of one bank, and of two, whose pages arrive at two ports. */
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
        "Jobs leave in the order in which they were told, none lost or doubled.",
        "if (load) job_rd_q <= job_rd_q + 1'b1;",
        "if (taken) job_rd_q <= job_rd_q + 1'b1;",
      ],
      [
        "NoneInvented",
        "No job is offered that was not told.",
        "have_q && (some_q || completed_q);",
        "(have_q && (some_q || completed_q)) || present;",
      ],
      [
        "NoJobBeforeItsPages",
        "No job is offered before all its pages, and those before them, have arrived.",
        "completed_q <= present && ends_q[page_present_q[PageBits-1:0]];",
        "completed_q <= ends_q[page_present_q[PageBits-1:0]];",
      ],
      [
        "LineOwnedOnce",
        "No line is reserved while a job that is not given back owns it.",
        "line_room_q <= (LineBits + 1)'(RingLines) - (line_q - line_freed_q);",
        "line_room_q <= (LineBits + 1)'(RingLines);",
      ],
      [
        "NumberOwnedOnce",
        "No page's number is given out while a job that is not given back has it.",
        "page_room_q <= page_q - page_freed_q != (PageBits + 1)'(Pages);",
        "page_room_q <= 1'b1;",
      ],
      [
        "OfferHolds",
        "An offered job stays until it is taken.",
        "else if (taken) have_q <= 1'b0;",
        "else if (taken || done_i) have_q <= 1'b0;",
      ],
      [
        "Progress",
        "When all pages have come, a told job is offered within Pages + 4 cycles.",
        "some_q <= taken ? (completed_q ? some_q : more)",
        "some_q <= taken ? more",
      ],
      [
        "RoomAgain",
        "When all jobs are given back, there is room for any page within four cycles.",
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
        "No line's data are lost, doubled, changed or reordered.",
        "if (load) stored_rd_q <= stored_rd_q + 1'b1;",
        "if (leave) stored_rd_q <= stored_rd_q + 1'b1;",
      ],
      [
        "RightReader",
        "A line goes to the reader of its run, with its note, its place, and whether it is the last.",
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
        "A line leaves only when its data are there.",
        "else if (leave) line_valid_q <= 1'b0;",
        "else if (leave && !rsp_valid_i) line_valid_q <= 1'b0;",
      ],
      [
        "OneReader",
        "A line is offered to one reader.",
        "line_valid_q ? Readers'(1) << to_whom : '0;",
        "{Readers{line_valid_q}};",
      ],
      [
        "RoomForAnswers",
        "Never are more lines asked for than there is room.",
        "else line_room_q <= asked_q < (LinePtrBits + 1)'(Lines - 1);",
        "else line_room_q <= asked_q < (LinePtrBits + 1)'(Lines);",
      ],
      [
        "Address",
        "A run's lines are asked for from its first on.",
        "req_line_q <= sparf_pkg::line_behind(req_line_q);",
        "req_line_q <= sparf_pkg::line_behind(line);",
      ],
      [
        "OnlyThoseWhoAsk",
        "A run is taken of one reader that has one.",
        "assign run_ready_o = grant_q & {Readers{open_q}};",
        "assign run_ready_o = {Readers{take}};",
      ],
      [
        "NoStarvation",
        "A reader's run is taken after as many of others as there are readers.",
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
        "The beats that pass leave in order, with the marks of the ends of row and page.",
        "out_last_q <= used_ends_q && mask_q[MaxRows-1:1] == '0;",
        "out_last_q <= used_ends_q && mask_q[MaxRows-2:1] == '0;",
      ],
      [
        "OnlyWhatPasses",
        "A beat leaves exactly when its row is in the mask and it is among those used.",
        "if (used_ends_q) used_q <= 1'b0;",
        "if (used_ends_q) used_q <= rows_left_q[0];",
      ],
      [
        "NextPage",
        "The next page may come exactly when the last beat has.",
        "page_ends_q <= rows_left_q == (RowBits + 1)'(2);",
        "page_ends_q <= rows_left_q <= (RowBits + 1)'(3);",
      ],
      [
        "Takes",
        "A beat of a page is taken unless a kept one waits at the output.",
        "busy_q && (!out_valid_q || out_ready_i);",
        "busy_q && !out_valid_q;",
      ],
      [
        "Events",
        "The strobes tell of beats taken and beats kept.",
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
        "A value of a set leaves where its dimension and its token say, under any pauses.",
        "kept_rotation_q <= DimBits'(0) - read_dim_q;",
        "kept_rotation_q <= read_dim_q;",
      ],
      [
        "PageEnds",
        "The last line of a page, and its tag, are those of the page.",
        "send_tag_q <= page_tag_i;",
        "send_tag_q <= '0;",
      ],
      [
        "NotBefore",
        "No line before it is marked as the last.",
        "read_last_q <= tile_last_q && dim_last_q;",
        "read_last_q <= tile_last_q;",
      ],
      [
        "NoneInvented",
        "No line leaves that no page has asked for.",
        "      read_q <= send_q;",
        "      read_q <= send_q || kept_q;",
      ],
      [
        "LineACycle",
        "While a set is not full, a line is taken in every cycle.",
        "assign line_ready_o = fill_q;",
        "assign line_ready_o = fill_q && !write_q;",
      ],
      [
        "FullAtOnce",
        "A set is reported full in the cycle after its last line, and never otherwise.",
        "filled_valid_q <= fill_ends;",
        "filled_valid_q <= taken && fill_last_q;",
      ],
      [
        "Events",
        "The strobes tell of lines taken and of lines that left.",
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
        "Four cycles after a head is written, and until its slot is again, its mark is that of the product.",
        "for (int unsigned b = 1; b < GroupBits; b++) begin",
        "for (int unsigned b = 1; b < GroupBits - 1; b++) begin",
      ],
    ]),
  }),
];
