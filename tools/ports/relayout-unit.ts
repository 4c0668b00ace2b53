// SPDX-License-Identifier: Apache-2.0
// Ports, descriptors and handshakes of `relayout_unit` for docs/reference/ports.md.

import type { UnitDescription } from "./description.ts";

export const relayoutUnit: UnitDescription = {
  top: "relayout_unit",
  intro:
    "`relayout_unit` moves runs of bursts from the sub-channels of a DIMM to sub-channels of the same DIMM or, in packets of up to four bursts, of another DIMM. " +
    "A burst has 64 bytes; a stream is a sub-channel; a flow is all runs whose end is reported together.",
  parameters: {
    Streams: "sub-channels of the DIMM",
    Packets: "packets of each stream between reads and links: a power of two",
    Flows: "flows that are written at a time: a power of two",
    Ways: "ports from the links",
  },
  ports: {
    clk_i: "clock; every register samples at its rising edge",
    rst_ni: "reset, active low, synchronous to `clk_i`",
    dimm_i: "number of this DIMM; constant",
    run_valid_i: "a run is offered",
    run_ready_o: "the reader of stream `run_from_i` takes a run",
    run_from_i: "stream that the run is read from",
    run_i: "the run (structure below)",
    expect_valid_i: "a flow that ends at this DIMM is announced",
    expect_ready_o: "the entry of the flow is free",
    expect_flow_i: "number of the flow",
    expect_bursts_i: "bursts of the flow that are written here, at least 1",
    end_valid_o: "all bursts of a flow are written",
    end_ready_i: "the end is taken",
    end_flow_o: "number of the flow",
    read_valid_o: "by stream: a read is offered",
    read_ready_i: "by stream: the memory takes the read",
    read_tag_o: "by stream: the tag that the response must carry",
    read_burst_o: "by stream: address in bursts",
    rsp_valid_i: "by stream: a response arrives; it is always taken",
    rsp_tag_i: "by stream: tag of the read",
    rsp_data_i: "by stream: the burst",
    write_valid_o: "by stream: a write is offered",
    write_ready_i: "by stream: the memory takes the write",
    write_flow_o: "by stream: flow of the burst, which the memory returns",
    write_burst_o: "by stream: address in bursts",
    write_data_o: "by stream: the burst",
    written_valid_i: "by stream: the memory has written a burst; it is always taken",
    written_flow_i: "by stream: its flow",
    link_out_valid_o: "a burst for another DIMM is offered",
    link_out_ready_i: "the link takes the burst",
    link_out_header_o: "header of the burst's packet (structure below)",
    link_out_data_o: "the burst",
    link_out_last_o: "last burst of the packet",
    link_in_valid_i: "by way: a burst from another DIMM is offered",
    link_in_ready_o: "by way: the unit takes the burst",
    link_in_header_i: "by way: header of the burst's packet",
    link_in_data_i: "by way: the burst",
    link_in_last_i: "by way: last burst of the packet",
    events_o:
      "strobes: bit 0 a burst leaves for a link, bit 1 a burst for this DIMM, bit 2 a flow ends, then a bit per way: a burst arrives",
  },
  structures: [
    {
      structure: "relayout_pkg::run_t",
      title: "Run: `run_i`",
      meanings: {
        flow: "flow of the run",
        from_burst: "first burst in stream `run_from_i`",
        to_dimm: "DIMM that it goes to; `dimm_i` means this DIMM",
        to_stream: "stream of that DIMM",
        to_burst: "first burst there",
        bursts: "length, at least 1; a run of 0 bursts is not found",
      },
    },
    {
      structure: "relayout_pkg::header_t",
      title: "Packet header: `link_out_header_o`, `link_in_header_i`",
      meanings: {
        burst: "first burst of the packet in the target's stream",
        sequence_number: "0; the link numbers packets",
        payload_bytes: "64 × bursts of the packet: 64, 128, 192 or 256",
        flow: "flow of the run",
        stream: "stream of the target",
        target: "DIMM of the target",
      },
    },
  ],
  handshakes: [
    {
      title: "Runs: `run`",
      rules: [
        "`run_ready_o` is a combinational function of `run_from_i` and `read_ready_i`: it shows whether that stream's reader takes a run.",
        "Runs of a stream are done in order, runs of different streams at the same time. A stream has one run in work.",
        "`run_from_i` must be below `Streams`; `run_ready_o` stays 0 otherwise.",
      ],
    },
    {
      title: "Flows: `expect` and `end`",
      rules: [
        "Announce a flow at the DIMM where it is written, before its first burst is written.",
        "The entry of a flow is its number mod `Flows`. `expect_ready_o` is 0 while the entry is in use.",
        "`end` reports a flow once, after `written` has returned its last burst. Ends have no fixed order.",
      ],
    },
    {
      title: "Reads: `read` and `rsp`, by stream",
      rules: [
        "A read per stream and cycle. Tags of outstanding reads of a stream are distinct; at most 4 × `Packets` are outstanding.",
        "Responses arrive in any order, from the cycle after the handshake of their read on, and are always taken.",
      ],
    },
    {
      title: "Writes: `write` and `written`, by stream",
      rules: [
        "The memory returns the flow of every burst on `written` when the burst is written, in any order.",
        "Writes wait for the memory alone, so links never block each other.",
      ],
    },
    {
      title: "Links: `link_out` and `link_in`",
      rules: [
        "The bursts of a packet follow each other on a port, without bursts of other packets between them; each carries the packet's header.",
        "A packet leaves when all of its bursts have been read.",
      ],
    },
    {
      title: "Reset",
      rules: [
        "Hold `rst_ni` low for at least one rising clock edge. All valid outputs are then 0.",
        "A response or a `written` of an operation before the reset must not arrive after it.",
      ],
    },
  ],
  pictures: [
    {
      name: "packet",
      caption:
        "A run of four bursts of stream 0 for DIMM 5: reads under back-pressure, responses, and the packet on the link.",
    },
  ],
};
