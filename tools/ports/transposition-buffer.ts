// SPDX-License-Identifier: Apache-2.0
// Ports and handshakes of `transposition_buffer` for docs/reference/ports.md.

import type { UnitDescription } from "./description.ts";

export const transpositionBuffer: UnitDescription = {
  top: "transposition_buffer",
  intro:
    "`transposition_buffer` turns rows of K, which arrive as lines, into embedding-order pages. A set is the pages that take their values from the same lines.",
  parameters: {
    Values: "values of a line, and banks: a power of two",
    ValueBits: "bits of a value",
    Words: "words of a bank: a power of two, at least `Values`",
    Slots: "sets that are known at a time, at least 2",
    TagBits: "bits of a page's tag",
  },
  ports: {
    clk_i: "clock; every register samples at its rising edge",
    rst_ni: "reset, active low, synchronous to `clk_i`",
    set_valid_i: "a set is offered",
    set_ready_o: "no set is being filled, and no page of the slot waits or leaves",
    set_slot_i: "slot of the set",
    set_base_i: "first word of the set, a multiple of its dimensions",
    set_first_i: "first dimension in each line, a multiple of the set's dimensions",
    set_log_dims_i: "log2 of the set's dimensions: 1 to `Values` dimensions",
    set_tiles_i: "tokens of the set / `Values`, at least 1",
    line_valid_i: "a line is offered",
    line_ready_o: "a set is being filled",
    line_data_i: "the row of K of a token, value 0 in the lowest bits",
    filled_valid_o: "strobe without ready: a set is full",
    filled_slot_o: "slot of the set",
    page_valid_i: "a page is asked for",
    page_ready_o: "the page is taken",
    page_slot_i: "slot of the set",
    page_first_i: "first dimension of the page among those of the set",
    page_dims_i: "dimensions of the page, at least 1",
    page_tag_i: "tag, returned with every line of the page",
    out_valid_o: "a line of a page is offered",
    out_ready_i: "the line is taken",
    out_data_o: "`Values` tokens of one dimension, the first in the lowest bits",
    out_tag_o: "tag of the page",
    out_last_o: "last line of the page",
    events_o: "strobes: bit 0 a line arrives, bit 1 a line leaves",
  },
  structures: [],
  handshakes: [
    {
      title: "Sets and lines: `set`, `line`, `filled`",
      rules: [
        "A set is filled by its tokens' lines in order, `set_tiles_i` × `Values` of them. Lines of the next set follow in the next cycle if the set has been taken.",
        "`set_ready_o` depends combinationally on `set_slot_i`, `line_valid_i`, `page_valid_i` and `page_slot_i`.",
        "`filled` is 1 in the cycle after the last line of the set.",
        "Words of sets must not overlap while their pages are needed: firmware assigns them.",
        "Illegal values of a set or a page are not found: simulation stops at an assertion, and hardware behaviour is undefined.",
      ],
    },
    {
      title: "Pages: `page` and `out`",
      rules: [
        "Pages leave in the order in which they are asked for, dimension after dimension, one line per cycle. A page may be asked for again.",
        "A page that is asked for before its set is full waits, and so do the pages behind it.",
        "The first line leaves four cycles after the page is taken.",
      ],
    },
    {
      title: "Reset",
      rules: [
        "Hold `rst_ni` low for at least one rising clock edge. No set is then full, and nothing is outstanding.",
      ],
    },
  ],
  pictures: [
    {
      name: "page",
      caption: "A set of one tile is filled, and its first page leaves under back-pressure.",
    },
  ],
};
