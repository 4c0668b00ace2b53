// SPDX-License-Identifier: Apache-2.0
// Properties of the dispatch of descriptors, from any state before the reset.

import { harness, pdr, properties, window } from "../entry.ts";
import type { Harness } from "../types.ts";

/** The check of descriptors of the NDP unit, without low-bit weights and with them. */
const checks: readonly Harness[] = [
  {
    name: "ndp_descriptor_check",
    parameters: {},
    fault: ["&words[dimm_ndp_pkg::DescHWord][30:26]", "&words[dimm_ndp_pkg::DescHWord][30:27]"],
  },
  {
    name: "ndp_descriptor_check_low_bit",
    parameters: { LowBit: 1, BurstsPerBlock: 8, BufferWords: 1024 },
    // No row of these sizes has exactly the most blocks, so >= in place of > is no fault.
    fault: ["two ? MostTwo :", "!two ? MostTwo :"],
  },
].map(({ name, parameters, fault: [from = "", to = ""] }) =>
  harness({
    name,
    top: "prove_ndp_descriptor_check",
    module: "ndp_descriptor_check",
    area: "queues",
    parameters,
    engine: window(3),
    seconds: 240,
    quick: name === "ndp_descriptor_check",
    properties: properties("ndp_descriptor_check", [
      [
        "Accepts",
        "From the cycle after it is read a descriptor is accepted exactly if no field breaks a rule: any words.",
        from,
        to,
      ],
      [
        "FieldNamed",
        "The field that is named is the first one that breaks a rule.",
        ".asserted_i(bad),",
        ".asserted_i({bad[Fields-1:2], 2'b00}),",
      ],
    ]),
  }),
);

export const descriptorHarnesses: readonly Harness[] = [
  ...checks,
  harness({
    name: "ndp_descriptor",
    module: "ndp_descriptor",
    area: "queues",
    parameters: { Descriptors: 2 },
    engine: pdr,
    properties: [
      ...properties("ndp_descriptor", [
        [
          "InOrder",
          "Answers come in the order of the descriptors, each with its own field: none is lost or overtakes.",
          "assign done_valid_o = ended || (refused_q && running_q == '0);",
          "assign done_valid_o = ended || refused_q;",
        ],
        [
          "NoneInvented",
          "Nothing is answered that was not given.",
          "else if (finish && !ended) refused_q <= 1'b0;",
          "else if (finish && !ended && !words_q) refused_q <= 1'b0;",
        ],
        [
          "AtMost",
          "At most `Descriptors` are between acceptance and answer.",
          "assign desc_ready_o = !words_q && in_flight_q != FlightBits'(Descriptors);",
          "assign desc_ready_o = !words_q;",
        ],
        [
          "Room",
          "One is accepted unless so many are at work, or the newest waits for its set-up.",
          "if (accept) words_q <= 1'b1;\n      else if (setup_o) words_q <= 1'b0;",
          "if (accept) words_q <= 1'b1;\n      else if (start_o) words_q <= 1'b0;",
        ],
        [
          "NoneEarly",
          "A descriptor that is carried out is answered after its drain.",
          "assign ends = done_i && ended_q != running_q;",
          "assign ends = (done_i || plan_held_i) && ended_q != running_q;",
        ],
      ]),
      ...properties("ndp_plans", [
        [
          "FetchedInOrder",
          "The requests of every descriptor that is carried out start once, in order, with its own plan.",
          "fetch_start_q <= planned_q;",
          "fetch_start_q <= planned_q || array_start_i;",
        ],
        [
          "PlanStays",
          "A plan stays while its requests are made.",
          "assign held_o = pending_q || fetch_start_q || !fetch_idle_i;",
          "assign held_o = pending_q || !fetch_idle_i;",
        ],
        [
          "ComputedInOrder",
          "The array has each of them once, in order, with its own plan.",
          "assign held_o = pending_q || fetch_start_q || !fetch_idle_i;",
          "assign held_o = fetch_start_q || !fetch_idle_i;",
        ],
        [
          "DrainedInOrder",
          "So has the drain.",
          "drain_waits_q <= (array_start_i || drain_waits_q) && !drain_free;",
          "drain_waits_q <= drain_waits_q && !drain_free;",
        ],
        [
          "DrainHeld",
          "The drain begins no chunk of a descriptor that it has not taken.",
          "assign drain_hold_o = drain_free || drain_start_q;",
          "assign drain_hold_o = drain_free;",
        ],
      ]),
    ],
  }),
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
        "else if (load && !push && next_kernel_q == '0) filled_q",
      ],
      [
        "OneTaker",
        "A descriptor is offered to one taker.",
        "taker == KernelBits'(k);",
        "taker <= KernelBits'(k);",
      ],
      [
        "RightTaker",
        "Appends go to their unit and heads to the kernels.",
        "append_q <= queue_q[rd_q][3:0]",
        "append_q <= queue_q[wr_q][3:0]",
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
        "RoundRobin",
        "A head goes to the kernel behind the one that got the last, if that kernel takes it.",
        "if (leave && !append_q) next_kernel_q",
        "if (leave) next_kernel_q",
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
