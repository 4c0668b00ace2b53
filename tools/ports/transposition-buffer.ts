// SPDX-License-Identifier: Apache-2.0
// Ports and handshakes of `transposition_buffer` for docs/reference/ports.md.

import type { UnitDescription } from "./description.ts";

export const transpositionBuffer: UnitDescription = {
  top: "transposition_buffer",
  intro:
    "`transposition_buffer` transposes rows of K into embedding-order pages. An input line is the K of one token, or a part of it: `Values` dimensions. An output line is one dimension of `Values` tokens. A tile is `Values` tokens. " +
    "A set is a group of pages for a range of dimensions of the same tokens. The number of these dimensions is a power of two.",
  parameters: {
    Values: "number of values in a line, and number of banks: a power of two, at least 2",
    ValueBits: "width of a value in bits: at least 1",
    Words: "number of words in a bank: a power of two, at least `Values`",
    Slots: "maximum number of sets in the buffer: at least 2",
    TagBits: "width of the tag of a page in bits",
  },
  ports: {
    clk_i: "clock",
    rst_ni: "reset, active low, synchronous to `clk_i`",
    set_valid_i: "the set is valid",
    set_ready_o:
      "the buffer can start the set: it fills no other set, and no page of slot `set_slot_i` is requested or in transfer",
    set_slot_i: "slot of the new set",
    set_base_i:
      "first word of the set in each bank: a multiple of the number of dimensions of the set",
    set_first_i:
      "position of the first dimension of the set in a line: a multiple of the number of dimensions of the set",
    set_log_dims_i: "log2 of the number of dimensions of the set; the number is 1 to `Values`",
    set_tiles_i: "number of tiles of the set, at least 1; base + dimensions × tiles ≤ `Words`",
    line_valid_i: "the line is valid",
    line_ready_o: "the buffer fills a set",
    line_data_i: "the K of one token; value 0 is in the lowest bits",
    filled_valid_o: "1 for one cycle: a set is full; this output has no ready",
    filled_slot_o: "slot of the full set",
    page_valid_i: "the page request is valid",
    page_ready_o: "the buffer accepts the page request",
    page_slot_i: "slot of the set of the page",
    page_first_i: "first dimension of the page; the first dimension of the set is 0",
    page_dims_i: "number of dimensions of the page, at least 1",
    page_tag_i: "tag of the page; each output line of the page repeats it",
    out_valid_o: "a line of a page is valid",
    out_ready_i: "the sink accepts the line",
    out_data_o: "one dimension of `Values` tokens; the first token is in the lowest bits",
    out_tag_o: "tag of the page",
    out_last_o: "this is the last line of the page",
    events_o: "event bits for performance counters: bit 0: a line arrives; bit 1: a line leaves",
  },
  structures: [],
  handshakes: [
    {
      title: "Sets and lines: `set`, `line`, `filled`",
      rules: [
        "After the handshake of a set, `set_tiles_i` × `Values` lines fill the set, one line per token in the order of the tokens.",
        "If the handshake of the next set is in the cycle of the last line, the lines of the next set follow without a pause.",
        "`set_ready_o` depends on `set_slot_i`, `line_valid_i`, `page_valid_i` and `page_slot_i` in the same cycle.",
        "`filled_valid_o` is 1 in the cycle after the last line of the set.",
        "Firmware assigns words to sets. The words of two sets must not overlap until all pages of one of them have been sent.",
        "Illegal fields of a set or a page stop a simulation with an assertion. Hardware does not detect them, and its behaviour is undefined.",
      ],
    },
    {
      title: "Pages: `page` and `out`",
      rules: [
        "The buffer sends pages in the order of their requests, one line per cycle. Within a page, all lines of a dimension come before those of the next dimension. A page may be requested several times.",
        "Request a page after the handshake of its set. If the set is not full, the request waits and blocks all later requests.",
        "`page_ready_o` depends on `page_slot_i` and `out_ready_i` in the same cycle.",
        "The first line of a page is valid four cycles after the handshake of its request.",
      ],
    },
    {
      title: "Events: `events_o`",
      rules: [
        "Each bit is 1 in the cycle of its handshake. `events_o` depends on `line_valid_i` and `out_ready_i` in the same cycle.",
      ],
    },
    {
      title: "Reset",
      rules: [
        "Keep `rst_ni` low for at least one rising clock edge. After this edge the buffer has no full set and no outstanding request.",
      ],
    },
  ],
  pictures: [
    {
      name: "page",
      caption:
        "Lines fill a set of one tile, and the buffer sends its first page under back-pressure.",
    },
  ],
};
