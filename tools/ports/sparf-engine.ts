// SPDX-License-Identifier: Apache-2.0
// Ports, descriptor and handshakes of `sparf_engine` for docs/reference/ports.md.

import type { UnitDescription } from "./description.ts";
import { fields } from "./sparf-descriptor.ts";

export const sparfEngine: UnitDescription = {
  top: "sparf_engine",
  intro:
    "`sparf_engine` attends to caches of keys and values that lie on flash and in controller DRAM. A descriptor starts a sparse head, a dense head or an append of one token. " +
    "A DRAM line has 64 bytes; a row of K, V, a query or an output occupies whole lines.",
  parameters: {
    Channels: "flash channels: 1 to 16",
    Kernels: "attention kernels",
    Lanes: "multipliers of a GeMV unit: 4, 8 or 16",
    Width: "dimensions of a head: a power of two from 8 to 128, at least `Lanes`",
    MaxKeys: "tokens of a head × queries, in whole query sets: a power of two",
    MaxGroup: "queries that share keys and values: 2, 4 or 8",
    Slots: "heads in flight of each kernel: 2, 4, 8 or 16",
    RingLines: "lines of each page ring: a power of two",
    MaxPageRows: "rows of a page: 8 to 128",
    Tags: "outstanding pages of each ring: a power of two",
    QuerySets: "queries that a kernel serves per cycle: a power of two, at most `MaxGroup`",
  },
  ports: {
    clk_i: "clock; every register samples at its rising edge",
    rst_ni: "reset, active low, synchronous to `clk_i`",
    desc_valid_i: "a descriptor is offered",
    desc_ready_o: "the queue of descriptors has room",
    desc_i: "the descriptor: 16 words of 32 bits, word 0 in the lowest bits",
    done_valid_o: "a completion is offered",
    done_ready_i: "the completion is taken",
    done_o: "the completion (structure below)",
    page_req_valid_o: "a page request is offered",
    page_req_ready_i: "the flash controller takes the request",
    page_req_o: "the page request (structure below)",
    ch_valid_i: "by channel: a beat of a page is offered",
    ch_ready_o: "by channel: the engine takes the beat",
    ch_first_i: "by channel: first beat of a page",
    ch_error_i: "by channel: the page is unreadable; only with `ch_first_i`",
    ch_tag_i: "by channel: tag of the page request; read with `ch_first_i`",
    ch_data_i: "by channel: 8 bytes of the page, the first in the lowest bits",
    dr_req_valid_o: "a DRAM read is offered",
    dr_req_ready_i: "the DRAM controller takes the read",
    dr_req_addr_o: "address in lines of 64 bytes",
    dr_rsp_valid_i: "a line arrives",
    dr_rsp_ready_o: "constant 1",
    dr_rsp_data_i: "the line, byte 0 in the lowest bits",
    dw_valid_o: "a DRAM write is offered",
    dw_ready_i: "the DRAM controller takes the write",
    dw_addr_o: "address in lines of 64 bytes",
    dw_data_o: "the line, byte 0 in the lowest bits",
    dw_strb_o: "byte enables: constant 1, whole lines",
    quiet_o: "nothing to do; only the slot counter of the rings changes before the next descriptor",
    events_o:
      "strobes of one cycle for counters, one cycle late (`Ev...` of `sparf_pkg`, then by channel, then by kernel)",
    seen_head_valid_o: "by kernel, for checkers: a head enters a slot",
    seen_head_slot_o: "by kernel: its slot",
    seen_head_tag_o: "by kernel: its tag",
    seen_dims_valid_o: "by kernel, for checkers: the dimensions of a head are chosen",
    seen_dims_slot_o: "by kernel: its slot",
    seen_dims_mask_o: "by kernel: a bit per dimension",
    seen_sel_valid_o: "by kernel, for checkers: eight tokens of a head are decided",
    seen_sel_slot_o: "by kernel: its slot",
    seen_sel_beat_o: "by kernel: the first token, divided by eight",
    seen_sel_mask_o: "by kernel: a bit per token, 1 if it is chosen",
    seen_sel_last_o: "by kernel: the last beat of the head",
    seen_alpha_valid_o: "by kernel, for checkers: the share of the chosen tokens is known",
    seen_alpha_slot_o: "by kernel: slot of the head",
    seen_alpha_query_o: "by kernel: query of the group",
    seen_alpha_value_o: "by kernel: the share, binary32",
  },
  descriptor: {
    package: "sparf_pkg",
    notWords: ["DescWords", "DescBits"],
    notFields: ["FieldNone", "FieldBits"],
    intro:
      "`sparf_descriptor_check` checks every field that the operation reads. The completion names the first illegal field in the order of the numbers.",
    fields,
  },
  structures: [
    {
      structure: "sparf_pkg::done_t",
      title: "Completion: `done_o`",
      meanings: {
        no_status: "0",
        non_finite:
          "1: a query, key or value that the job read is infinite or not a number, or a sum of V has such a term; outputs are not those of IEEE 754",
        refused: "1: the descriptor has an illegal field; nothing was done",
        unreadable: "1: a page could not be read; outputs are not valid",
        unused: "0",
        field: "number of the first illegal field of a refused descriptor; otherwise 0",
        tag: "tag of the descriptor",
      },
    },
    {
      structure: "sparf_pkg::page_req_t",
      title: "Page request: `page_req_o`",
      meanings: {
        write: "0: read the page; 1: program it from the rows in DRAM, without a response",
        index: "number of the page among the pages of its kind and cache",
        kind: "0 keys in token order, 1 values in token order, 2 keys in embedding order",
        head: "handle of the cache",
        tag: "tag of a read, which the first beat of the page carries; 0 for a program",
      },
    },
  ],
  handshakes: [
    {
      title: "Descriptors: `desc`",
      rules: [
        "A queue of 2 × `Slots` descriptors. `desc_ready_o` is 1 while it has room.",
        "Descriptors are dispatched in order. Up to `Slots` heads of each kernel and one append are in flight.",
        "Two descriptors belong to one cache if they have the same handle or the same line of sums. A head waits for an earlier append to its cache; an append waits until earlier heads of its cache have read their sums.",
      ],
    },
    {
      title: "Completions: `done`",
      rules: [
        "One completion per descriptor, in the order in which jobs end; the tag names the job.",
        "A completion without `refused` and `unreadable` follows the handshake of the job's last write.",
        "`done_o` holds until `done_ready_i` is 1. The engine stalls behind a completion that is not taken.",
      ],
    },
    {
      title: "Pages: `page_req` and `ch`",
      rules: [
        "Tags of outstanding reads are distinct. At most 2 × `Kernels` × `Tags` reads are outstanding; a read reserves the ring lines of its page.",
        "Pages arrive in any order and on any channel. The beats of a page arrive on one channel, without beats of other pages between them.",
        "The first beat carries `ch_first_i` and the tag. A page has `DescPageBytes` / 8 beats.",
        "An unreadable page is one beat with `ch_first_i` and `ch_error_i`.",
        "A channel transfers one beat per cycle. `ch_ready_o` is 0 only while the channel's queue of 32 beats is full.",
        "A program (`write` = 1) has no response. Its rows are in DRAM when the request is offered.",
      ],
    },
    {
      title: "DRAM reads: `dr_req` and `dr_rsp`",
      rules: [
        "Responses arrive in the order of the requests, from the cycle after the handshake of their request on.",
        "At most 64 reads are outstanding. A read reserves the buffer of its line, so `dr_rsp_ready_o` is constant 1.",
        "A read after the handshake of a write to the same line returns the written data.",
      ],
    },
    {
      title: "DRAM writes: `dw`",
      rules: [
        "One line per write, at most one write in two cycles. A write is complete for the engine when it is taken; there is no response.",
      ],
    },
    {
      title: "Strobes for checkers: `seen_*`, `events_o`",
      rules: [
        "They have no ready and last one cycle. Leave `events_o` unconnected in a product.",
        "`seen_*` exist only in simulators: `rtl/include/observe.svh` defines `NEARDATA_OBSERVE` where neither `SYNTHESIS` nor `YOSYS` nor `FORMAL` is defined.",
      ],
    },
    {
      title: "Reset",
      rules: [
        "Hold `rst_ni` low for at least one rising clock edge. All valid outputs are then 0; `desc_ready_o` is 1, and `ch_ready_o` is 1 one cycle later.",
        "Registers of data have no reset; an output's data are undefined while its valid is 0.",
        "Reset while reads are outstanding: neither a line nor a beat of an earlier request may arrive after the reset has ended. Wait for the outstanding responses, or reset the controllers of DRAM and flash as well.",
        "Reset while an append is in flight: a reset drops every descriptor without a completion. Such an append may have written some of its lines and requested some programs. Before you enqueue it anew, write the sums of V of its cache anew; a second addition of its token would count the token twice. The repeated append rewrites its rows of K and V and requests its programs a second time.",
      ],
    },
  ],
  pictures: [
    {
      name: "start",
      caption:
        "A descriptor of a dense head is taken, and the engine reads the query from DRAM under back-pressure.",
    },
    {
      name: "page",
      caption:
        "Page requests under back-pressure, and the page of keys on channel 0: 8 beats, the first with the tag.",
    },
    { name: "output", caption: "The output row and the completion, both under back-pressure." },
    {
      name: "refused",
      caption: "A descriptor of operation 3 is refused with field 1; nothing is read.",
    },
  ],
};
