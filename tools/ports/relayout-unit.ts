// SPDX-License-Identifier: Apache-2.0
// Ports, descriptors and handshakes of `relayout_unit` for docs/reference/ports.md.

import type { UnitDescription } from "./description.ts";

export const relayoutUnit: UnitDescription = {
  top: "relayout_unit",
  intro:
    "`relayout_unit` copies data between the sub-channels of one DIMM, and from one DIMM to another in packets of up to four bursts. " +
    "A burst has 64 bytes. A stream is one sub-channel. A run is a sequence of consecutive bursts. A flow is a group of runs to one DIMM; the unit reports the end of a flow once.",
  parameters: {
    Streams: "number of sub-channels of the DIMM: at most 256",
    Packets:
      "capacity per stream for packets that the unit has begun to read and not sent: a power of two, at least 2",
    Flows:
      "maximum number of flows that this DIMM receives at the same time: a power of two, at least 2",
    Ways: "number of input ports from the links: at least 1",
  },
  ports: {
    clk_i: "clock",
    rst_ni: "reset, active low, synchronous to `clk_i`",
    dimm_i: "number of this DIMM; it must not change",
    run_valid_i: "the run is valid",
    run_ready_o: "the reader of stream `run_from_i` can accept a run",
    run_from_i: "number of the source stream of the run",
    run_i: "the run; its fields are listed below",
    expect_valid_i: "the announcement of a flow to this DIMM is valid",
    expect_ready_o: "the table entry of this flow is free",
    expect_flow_i: "number of the announced flow",
    expect_bursts_i: "number of bursts of the flow, at least 1",
    end_valid_o: "the memory has written all bursts of a flow",
    end_ready_i: "the host accepts the report",
    end_flow_o: "number of the finished flow",
    read_valid_o: "per stream: the read is valid",
    read_ready_i: "per stream: the memory accepts the read",
    read_tag_o: "per stream: tag of the read; the response has the same tag",
    read_burst_o: "per stream: address of the read, in bursts",
    rsp_valid_i: "per stream: the response is valid; the unit always accepts it",
    rsp_tag_i: "per stream: tag of the read that this response belongs to",
    rsp_data_i: "per stream: the burst",
    write_valid_o: "per stream: the write is valid",
    write_ready_i: "per stream: the memory accepts the write",
    write_flow_o: "per stream: flow of the burst; `written_flow_i` repeats it",
    write_burst_o: "per stream: address of the write, in bursts",
    write_data_o: "per stream: the burst",
    written_valid_i:
      "per stream: the memory has written a burst; the unit always accepts this message",
    written_flow_i: "per stream: flow of the written burst",
    link_out_valid_o: "a burst for another DIMM is valid",
    link_out_ready_i: "the link accepts the burst",
    link_out_header_o: "header of the packet of this burst; its fields are listed below",
    link_out_data_o: "the burst",
    link_out_last_o: "this is the last burst of its packet",
    link_in_valid_i: "per link input: a burst from another DIMM is valid",
    link_in_ready_o: "per link input: the unit accepts the burst",
    link_in_header_i: "per link input: header of the packet of this burst",
    link_in_data_i: "per link input: the burst",
    link_in_last_i: "per link input: this is the last burst of its packet",
    events_o:
      "event bits for performance counters: bit 0: a burst leaves to a link; bit 1: a burst goes to a sub-channel of this DIMM; bit 2: a flow ends; bits from 3, per link input: a burst arrives",
  },
  structures: [
    {
      structure: "relayout_pkg::run_t",
      title: "Run: `run_i`",
      meanings: {
        flow: "flow of the run",
        from_burst: "address of the first burst in stream `run_from_i`",
        to_dimm: "number of the destination DIMM; equal to `dimm_i`: a run within this DIMM",
        to_stream: "destination stream",
        to_burst: "address of the first burst in the destination stream",
        bursts: "length in bursts, at least 1; the unit does not detect a run of 0 bursts",
      },
    },
    {
      structure: "relayout_pkg::header_t",
      title: "Packet header: `link_out_header_o`, `link_in_header_i`",
      meanings: {
        burst: "address of the first burst of the packet in the destination stream",
        sequence_number:
          "`link_out_header_o`: constant 0, the link inserts the sequence number; `link_in_header_i`: not used",
        payload_bytes: "64 × number of bursts in the packet: 64, 128, 192 or 256",
        flow: "flow of the run",
        stream: "destination stream",
        target: "destination DIMM",
      },
    },
  ],
  handshakes: [
    {
      title: "Runs: `run`",
      rules: [
        "`run_ready_o` depends on `run_from_i` and `read_ready_i` in the same cycle. It is 1 if the reader of stream `run_from_i` can accept a run.",
        "A stream processes its runs one after another, in their order. Different streams work in parallel.",
        "`run_from_i` must be less than `Streams`; otherwise `run_ready_o` is 0.",
      ],
    },
    {
      title: "Flows: `expect` and `end`",
      rules: [
        "Announce a flow on `expect` of the unit in its destination DIMM, before the first of its bursts is written there.",
        "The unit has a table of `Flows` entries. Flow *f* uses entry *f* mod `Flows`. `expect_ready_o` is 0 while this entry is in use; it depends on `expect_flow_i` in the same cycle.",
        "`end` reports each flow once, after `written` has reported its last burst. The order of the reports is free.",
      ],
    },
    {
      title: "Reads: `read` and `rsp`, one pair per stream",
      rules: [
        "A stream issues at most one read per cycle. It has at most 4 × `Packets` outstanding reads, with different tags.",
        "The order of the responses is free. The earliest cycle of a response is the cycle after the handshake of its read. The unit always accepts a response.",
      ],
    },
    {
      title: "Writes: `write` and `written`, one pair per stream",
      rules: [
        "When the memory has written a burst, it must report the flow of the burst on `written`. The order of these reports is free.",
        "A write waits only for the memory. Therefore links never block each other.",
      ],
    },
    {
      title: "Links: `link_out` and `link_in`",
      rules: [
        "The bursts of a packet are consecutive on a port: no burst of another packet comes between them. Each burst has the header of its packet.",
        "`link_in_ready_o` depends on `link_in_valid_i`, `link_in_header_i` and `write_ready_i` in the same cycle.",
        "The unit sends a packet after it has read all bursts of the packet.",
      ],
    },
    {
      title: "Events: `events_o`",
      rules: [
        "Each bit is 1 in the cycle of its handshake. `events_o` depends on `end_ready_i`, `link_out_ready_i`, `link_in_valid_i`, `link_in_header_i` and `write_ready_i` in the same cycle.",
      ],
    },
    {
      title: "Reset",
      rules: [
        "Keep `rst_ni` low for at least one rising clock edge. After this edge all valid outputs are 0.",
        "No response and no `written` of an earlier operation may arrive after the reset.",
      ],
    },
  ],
  pictures: [
    {
      name: "packet",
      caption:
        "A run of four bursts from stream 0 to DIMM 5: reads under back-pressure, responses, and the packet on the link.",
    },
  ],
};
