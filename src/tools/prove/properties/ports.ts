// SPDX-License-Identifier: Apache-2.0
// Properties of the SparF engine's ports that several units share.

import { harness, pdr, properties } from "../entry.ts";
import type { Harness } from "../types.ts";

export const portHarnesses: readonly Harness[] = [
  harness({
    name: "sparf_page_requests",
    module: "sparf_page_requests",
    area: "arbitration",
    parameters: { Requesters: 3 },
    engine: pdr,
    properties: properties("sparf_page_requests", [
      [
        "InOrder",
        "Requests reach flash as they are taken, none lost, doubled or changed.",
        "if (open && valid_i != '0) req_q",
        "if (valid_i != '0) req_q",
      ],
      [
        "NoneInvented",
        "A request is on the port exactly while one that was taken has not left.",
        "else if (open) req_valid_q <= valid_i != '0;",
        "else req_valid_q <= valid_i != '0;",
      ],
      [
        "OneTaken",
        "One is taken in a cycle, of a requester that has one.",
        "assign ready_o = grant & {Requesters{open}};",
        "assign ready_o = {Requesters{open && valid_i != '0}};",
      ],
      [
        "NoStarvation",
        "A request is taken after one of each other requester at most.",
        ".taken_i(ready_o),",
        ".taken_i('0),",
      ],
      [
        "NeverIdle",
        "While a requester asks and the port is free, one is taken.",
        "assign open = !req_valid_q || req_ready_i;",
        "assign open = !req_valid_q;",
      ],
    ]),
  }),
  harness({
    name: "sparf_line_writer",
    module: "sparf_line_writer",
    area: "arbitration",
    parameters: { Writers: 3 },
    engine: pdr,
    properties: properties("sparf_line_writer", [
      [
        "OneTaken",
        "One line is taken in a cycle, of a writer that has one.",
        "ready_o[i] = who_q[i] && valid_q && ready_i;",
        "ready_o[i] = valid_q && ready_i;",
      ],
      [
        "EveryWriteIsTaken",
        "What memory takes is what a writer gives up.",
        "else valid_q <= valid_q ? !ready_i : valid_i != '0;",
        "else valid_q <= valid_q ? !ready_i : 1'b1;",
      ],
      [
        "RightLine",
        "Address and data are those of the writer whose line is taken.",
        "data_o = data_o | (data_i[i*LB+:LB] & {LB{who_q[i]}});",
        "data_o = data_o | (data_i[i*LB+:LB] & {LB{valid_i[i]}});",
      ],
      [
        "OfferHolds",
        "A line on the port stays until it is taken.",
        "if (!valid_q) who_q <= next;",
        "who_q <= next;",
      ],
      [
        "NoStarvation",
        "A line is taken after one of each other writer at most.",
        ".taken_i(valid_q ? '0 : next),",
        ".taken_i('0),",
      ],
      [
        "Progress",
        "While a writer has a line, the port rests for one cycle at most.",
        "valid_q ? !ready_i : valid_i != '0;",
        "valid_q ? !ready_i : valid_i[0];",
      ],
    ]),
  }),
];
