// SPDX-License-Identifier: Apache-2.0
// What is proven of the dispatch of descriptors, from any state before the reset.

import { harness, pdr, properties } from "../entry.ts";
import type { Harness } from "../types.ts";

export const descriptorHarnesses: readonly Harness[] = [
  harness({
    name: "sparf_doorbell",
    module: "sparf_doorbell",
    area: "queues",
    parameters: { Kernels: 2, Descs: 4 },
    engine: pdr,
    properties: properties("sparf_doorbell", [
      [
        "InOrder",
        "No descriptor is lost, doubled, changed or reordered.",
        "if (load) rd_q <= rd_q + 1'b1;",
        "if (load && !push) rd_q <= rd_q + 1'b1;",
      ],
      [
        "NoneInvented",
        "Nothing is offered that was not rung.",
        "else if (leave) valid_q <= 1'b0;",
        "else if (leave && !push) valid_q <= 1'b0;",
      ],
      [
        "Room",
        "Ringing waits only while the queue is full.",
        "else if (load && !push) filled_q",
        "else if (load && !push && turn_q == '0) filled_q",
      ],
      [
        "OneTaker",
        "A descriptor is offered to one taker.",
        "taker == TurnBits'(k);",
        "taker <= TurnBits'(k);",
      ],
      [
        "RightTaker",
        "Appends go to their unit and heads to the kernels.",
        "append_q <= queue[rd_q][3:0]",
        "append_q <= queue[wr_q][3:0]",
      ],
      [
        "SameWaits",
        "No head of a cache leaves while the append unit works on that cache.",
        "if (leave && append_q) {appended_q",
        "if (leave) {appended_q",
      ],
      [
        "HeadsFirst",
        "No append leaves while a kernel loads a head of its cache, which may still read its sums.",
        "assign append_valid_o = valid_q && append_q && loads == '0;",
        "assign append_valid_o = valid_q && append_q;",
      ],
      [
        "OthersPass",
        "A head of another cache leaves while the append unit works, as soon as a kernel takes it.",
        "(append_ready_i || !same_cache(same_q))",
        "append_ready_i",
      ],
      [
        "InTurn",
        "A head goes to the kernel behind the one that got the last, if that kernel takes it.",
        "if (leave && !append_q) turn_q",
        "if (leave) turn_q",
      ],
      [
        "Progress",
        "What is inside is offered after a cycle at most, unless no kernel takes a head or the append " +
          "unit works.",
        "assign load = filled_q != '0 && !valid_q;",
        "assign load = filled_q != '0 && !valid_q && !push;",
      ],
      [
        "Busy",
        "busy_o is high exactly while a descriptor is inside.",
        "assign busy_o = filled_q != '0 || valid_q;",
        "assign busy_o = filled_q != '0;",
      ],
    ]),
  }),
];
