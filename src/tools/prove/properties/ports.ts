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
        "Requests reach the flash in the order of their acceptance; no request is lost, duplicated or changed.",
        "if (open && valid_i != '0) req_q",
        "if (valid_i != '0) req_q",
      ],
      [
        "NoneInvented",
        "A request is on the port exactly while an accepted request has not left.",
        "else if (open) req_valid_q <= valid_i != '0;",
        "else req_valid_q <= valid_i != '0;",
      ],
      [
        "OneTaken",
        "At most one request is accepted per cycle, and only from a requester that offers one.",
        "assign ready_o = grant & {Requesters{open}};",
        "assign ready_o = {Requesters{open && valid_i != '0}};",
      ],
      [
        "NoStarvation",
        "While a requester waits, at most Requesters - 1 requests of others are accepted.",
        ".taken_i(ready_o),",
        ".taken_i('0),",
      ],
      [
        "NeverIdle",
        "While a requester offers a request and the port is not stalled, a request is accepted in every cycle.",
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
        "At most one line is accepted per cycle, and only from a writer that offers one.",
        "ready_o[i] = who_q[i] && valid_q && ready_i;",
        "ready_o[i] = valid_q && ready_i;",
      ],
      [
        "EveryWriteIsTaken",
        "The memory accepts a line exactly when a writer's line is accepted.",
        "else valid_q <= valid_q ? !ready_i : valid_i != '0;",
        "else valid_q <= valid_q ? !ready_i : 1'b1;",
      ],
      [
        "RightLine",
        "Address and data on the port are those of the writer whose line is accepted.",
        "data_o = data_o | (data_i[i*LB+:LB] & {LB{who_q[i]}});",
        "data_o = data_o | (data_i[i*LB+:LB] & {LB{valid_i[i]}});",
      ],
      [
        "OfferHolds",
        "A line on the port is stable until the memory accepts it.",
        "if (!valid_q) who_q <= next;",
        "who_q <= next;",
      ],
      [
        "NoStarvation",
        "While a writer waits, at most Writers - 1 lines of others are accepted.",
        ".taken_i(valid_q ? '0 : next),",
        ".taken_i('0),",
      ],
      [
        "Progress",
        "While a writer offers a line, the port is idle for at most one cycle.",
        "valid_q ? !ready_i : valid_i != '0;",
        "valid_q ? !ready_i : valid_i[0];",
      ],
    ]),
  }),
];
