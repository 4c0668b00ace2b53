// SPDX-License-Identifier: Apache-2.0
// Ports, descriptor and handshakes of `sparf_engine` for docs/reference/ports.md.

import type { UnitDescription } from "./description.ts";
import { fields } from "./sparf-descriptor.ts";

export const sparfEngine: UnitDescription = {
  top: "sparf_engine",
  intro:
    "`sparf_engine` computes attention over KV caches that are on flash and in the DRAM of the controller. A descriptor starts one job: a head with sparse attention (SparF), a head with dense attention, or an append of one token to a KV cache. " +
    "A DRAM line has 64 bytes. Each row of K, row of V, query and output begins at a line boundary.",
  parameters: {
    Channels: "number of flash channels: 1 to 16",
    Kernels: "number of attention kernels: 1, 2 or 4",
    Lanes: "multipliers of each GeMV unit: 4, 8 or 16",
    Width: "dimensions of a head: a power of two from 8 to 128, at least `Lanes`",
    MaxKeys:
      "capacity of a kernel for logits: tokens of a head × queries, where the number of queries is rounded up to a multiple of `QuerySets`; a power of two",
    MaxGroup: "maximum number of queries that share keys and values: 2, 4 or 8",
    Slots: "maximum number of heads in flight per kernel: 2, 4, 8 or 16",
    RingLines:
      "capacity of each page ring in lines (a kernel has a ring for keys and a ring for values): a power of two",
    MaxPageRows: "maximum number of rows in a flash page: 8 to 128",
    Tags: "maximum number of outstanding pages per ring: a power of two",
    QuerySets:
      "number of queries that a kernel processes in parallel: a power of two, at most `MaxGroup`",
  },
  ports: {
    clk_i: "clock",
    rst_ni: "reset, active low, synchronous to `clk_i`",
    desc_valid_i: "the descriptor is valid",
    desc_ready_o: "the descriptor queue is not full",
    desc_i: "the descriptor: 16 words of 32 bits; word 0 is in the lowest bits",
    done_valid_o: "the completion is valid",
    done_ready_i: "the host accepts the completion",
    done_o: "the completion; its fields are listed below",
    page_req_valid_o: "the page request is valid",
    page_req_ready_i: "the flash controller accepts the request",
    page_req_o: "the page request; its fields are listed below",
    ch_valid_i: "per channel: the beat of a page is valid",
    ch_ready_o: "per channel: the engine accepts the beat",
    ch_first_i: "per channel: this is the first beat of a page",
    ch_error_i: "per channel: the page is unreadable; 1 only together with `ch_first_i`",
    ch_tag_i: "per channel: tag of the page request; used only if `ch_first_i` is 1",
    ch_data_i: "per channel: 8 bytes of the page; the first byte is in the lowest bits",
    dr_req_valid_o: "the DRAM read is valid",
    dr_req_ready_i: "the DRAM controller accepts the read",
    dr_req_addr_o: "address of the read, in lines of 64 bytes",
    dr_rsp_valid_i: "the line is valid",
    dr_rsp_ready_o: "constant 1",
    dr_rsp_data_i: "the line; byte 0 is in the lowest bits",
    dw_valid_o: "the DRAM write is valid",
    dw_ready_i: "the DRAM controller accepts the write",
    dw_addr_o: "address of the write, in lines of 64 bytes",
    dw_data_o: "the line; byte 0 is in the lowest bits",
    dw_strb_o: "byte enables: all bits are constant 1, because the engine writes whole lines",
    quiet_o:
      "1: the engine is idle. Until the next descriptor, only the round-robin counter changes that selects the next writer of the page rings (a channel or DRAM)",
    events_o:
      "one bit per event, for performance counters; each bit is 1 for one cycle, in the cycle after its event; first the events of the engine, then those of each channel, then those of each kernel (bit numbers: constants `Ev...` of `sparf_pkg`)",
    seen_head_valid_o: "per kernel: a head enters a slot",
    seen_head_slot_o: "per kernel: slot of this head",
    seen_head_tag_o: "per kernel: tag of this head",
    seen_dims_valid_o: "per kernel: the engine has selected the dimensions of a head",
    seen_dims_slot_o: "per kernel: slot of this head",
    seen_dims_mask_o: "per kernel: one bit per dimension; 1: selected",
    seen_sel_valid_o:
      "per kernel: the engine has selected or rejected eight tokens (one beat) of a head",
    seen_sel_slot_o: "per kernel: slot of this head",
    seen_sel_beat_o: "per kernel: number of the first of the eight tokens, divided by 8",
    seen_sel_mask_o: "per kernel: one bit per token; 1: selected",
    seen_sel_last_o: "per kernel: this is the last beat of the head",
    seen_alpha_valid_o:
      "per kernel: the engine has computed alpha, the approximate attention mass of the selected tokens, for one query",
    seen_alpha_slot_o: "per kernel: slot of the head of this query",
    seen_alpha_query_o: "per kernel: number of this query in its group",
    seen_alpha_value_o: "per kernel: alpha, as a binary32 number",
  },
  descriptor: {
    package: "sparf_pkg",
    notWords: ["DescWords", "DescBits"],
    notFields: ["FieldNone", "FieldBits"],
    intro:
      "A descriptor belongs to a KV cache: the keys and values of one head in one layer. The latest tokens of a KV cache are in DRAM until a whole page of them can be programmed to flash. K is on flash twice: in token order (rows are tokens) and in embedding order (rows are dimensions). " +
      "The SparF parameters are k, the number of selected tokens, and r, the number of selected dimensions.\n\n" +
      "`sparf_descriptor_check` checks every field that the operation uses. If several fields are illegal, the completion has the lowest of their error numbers.",
    fields,
  },
  structures: [
    {
      structure: "sparf_pkg::done_t",
      title: "Completion: `done_o`",
      meanings: {
        no_status: "constant 0",
        non_finite:
          "1: a query, key or value of the job is infinite or NaN, or a sum of V includes such a value; the outputs then differ from IEEE 754 arithmetic",
        refused: "1: the descriptor has an illegal field, and the engine did not start the job",
        unreadable: "1: at least one page of the job is unreadable, and the outputs are not valid",
        unused: "constant 0",
        field: "`refused` = 1: error number of the illegal field; `refused` = 0: 0",
        tag: "tag of the descriptor",
      },
    },
    {
      structure: "sparf_pkg::page_req_t",
      title: "Page request: `page_req_o`",
      meanings: {
        write: "0: read the page; 1: program the page from rows in DRAM",
        index: "number of the page; each kind of each KV cache has its own numbers, from 0",
        kind: "0: keys in token order; 1: values in token order; 2: keys in embedding order",
        head: "handle of the KV cache (`DescHead`)",
        tag: "tag of a read, which the first beat of the page must repeat; 0 for a program",
      },
    },
  ],
  handshakes: [
    {
      title: "Descriptors: `desc`",
      rules: [
        "The engine has a queue of 2 × `Slots` descriptors. `desc_ready_o` is 1 while the queue is not full.",
        "The engine starts jobs in the order of their descriptors. At most `Slots` heads per kernel and one append are in flight.",
        "Two descriptors belong to the same KV cache if their `DescHead` or their `DescSumLine` are equal. The engine compares `DescSumLine` of every descriptor, even if the job does not use the sums of V. Give each KV cache its own value; equal values make heads and appends of different caches wait for each other.",
        "A head starts after all earlier appends to its KV cache. An append starts when all earlier heads of its KV cache have read their queries and, if they use them, the sums of V.",
      ],
    },
    {
      title: "Completions: `done`",
      rules: [
        "Every descriptor has exactly one completion. Completions have the order in which jobs end. The tag identifies the job.",
        "If `refused` and `unreadable` are 0, the completion comes after the handshake of the last write of the job.",
        "The engine stalls while a completion waits for `done_ready_i`.",
      ],
    },
    {
      title: "Pages: `page_req` and `ch`",
      rules: [
        "At most 2 × `Kernels` × `Tags` page reads are outstanding. They have different tags. Each read reserves the ring lines of its page.",
        "Pages may arrive in any order and on any channel. All beats of a page arrive on one channel, and no beat of another page comes between them.",
        "A page has `DescPageBytes` / 8 beats. The first beat has `ch_first_i` = 1 and the tag.",
        "An unreadable page has one beat, in which `ch_first_i` and `ch_error_i` are 1.",
        "A channel transfers at most one beat per cycle. A channel has a queue of 32 beats. `ch_ready_o` is 0 only if this queue is almost full.",
        "A program (`write` = 1) has no response. All rows of the page are in DRAM before the engine offers the request.",
      ],
    },
    {
      title: "DRAM reads: `dr_req` and `dr_rsp`",
      rules: [
        "Responses must have the order of the requests. The earliest cycle of a response is the cycle after the handshake of its request.",
        "At most 64 reads are outstanding. Each read reserves the buffer for its line. Therefore `dr_rsp_ready_o` is constant 1.",
        "If a read follows the handshake of a write to the same line, the memory must return the written data.",
      ],
    },
    {
      title: "DRAM writes: `dw`",
      rules: [
        "A write transfers one line. The engine issues at most one write in two cycles.",
        "A write has no response: the engine treats a write as complete at its handshake.",
      ],
    },
    {
      title: "Observation: `seen_*` and `events_o`",
      rules: [
        "These outputs have no ready signal. An event sets its bit of `events_o` or of `seen_*_valid_o` to 1 for one cycle.",
        "`events_o` serves performance counters. A product may leave it unconnected.",
        "`seen_*` serves checkers in simulation: a checker compares the selections of the engine with a golden model.",
        "`seen_*` exists only if the macro `NEARDATA_OBSERVE` is defined. `rtl/include/observe.svh` defines it unless `SYNTHESIS`, `YOSYS` or `FORMAL` is defined.",
      ],
    },
    {
      title: "Reset",
      rules: [
        "Keep `rst_ni` low for at least one rising clock edge. After this edge all valid outputs are 0, and `desc_ready_o` and `ch_ready_o` are 1.",
        "Data registers have no reset. A payload is undefined while its valid is 0.",
        "If reads are outstanding, keep `rst_ni` low until all lines and pages have arrived, or reset the controllers of DRAM and flash, too. During reset the engine discards lines and beats. After reset it would use them as data. `common/reset_drain` extends a reset until all responses have arrived.",
        "A reset deletes all accepted descriptors that have no completion.",
        "An append that a reset deletes may have written some lines and requested some programs. To repeat the append, first restore the sums of V of its KV cache in DRAM; otherwise the engine adds the token to the sums twice. The repeated append writes its rows of K and V and requests its programs a second time.",
      ],
    },
  ],
  pictures: [
    {
      name: "start",
      caption:
        "The engine accepts the descriptor of a dense head and reads the query from DRAM under back-pressure.",
    },
    {
      name: "page",
      caption:
        "Page requests under back-pressure. A page of keys arrives on channel 0 in 8 beats; the first beat has the tag.",
    },
    {
      name: "output",
      caption:
        "The engine writes the output row and offers the completion, both under back-pressure.",
    },
    {
      name: "refused",
      caption:
        "The engine refuses a descriptor with operation 3. The completion has error 1, and the engine reads nothing.",
    },
  ],
};
