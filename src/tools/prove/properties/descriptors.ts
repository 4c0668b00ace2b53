// SPDX-License-Identifier: Apache-2.0
// Properties of the dispatch of descriptors, from any state before the reset.

import { harness, pdr, properties, window } from "../entry.ts";
import type { Harness } from "../types.ts";

/** The descriptor check of the NDP unit, without and with low-bit weights. */
const checks: readonly Harness[] = [
  {
    name: "ndp_descriptor_check",
    parameters: {},
    fault: ["&words[dimm_ndp_pkg::DescHWord][30:26]", "&words[dimm_ndp_pkg::DescHWord][30:27]"],
  },
  {
    name: "ndp_descriptor_check_low_bit",
    parameters: { LowBit: 1, BurstsPerBlock: 8, BufferWords: 1024 },
    // No row of these sizes has exactly the maximum of blocks, so `>=` in place of `>` is not a fault.
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
        "A descriptor is accepted exactly if no field breaks a rule, for any contents of its words.",
        from,
        to,
      ],
      [
        "FieldNamed",
        "The reported field is the first field, in the order of their numbers, that breaks a rule.",
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
          "Descriptors are answered in order, each with its own error field, and no answer is lost.",
          "assign done_valid_o = ended || (refused_q && running_q == '0);",
          "assign done_valid_o = ended || refused_q;",
        ],
        [
          "NoneInvented",
          "An answer is given only while an accepted descriptor is unanswered.",
          "else if (finish && !ended) refused_q <= 1'b0;",
          "else if (finish && !ended && !words_q) refused_q <= 1'b0;",
        ],
        [
          "InFlightLimit",
          "At most `Descriptors` descriptors are accepted and unanswered.",
          "assign desc_ready_o = !words_q && in_flight_q != FlightBits'(Descriptors);",
          "assign desc_ready_o = !words_q;",
        ],
        [
          "Room",
          "A descriptor is accepted unless `Descriptors` descriptors are unanswered or the newest one waits for its set-up.",
          "if (accept) words_q <= 1'b1;\n      else if (setup_o) words_q <= 1'b0;",
          "if (accept) words_q <= 1'b1;\n      else if (start_o) words_q <= 1'b0;",
        ],
        [
          "NoneEarly",
          "A descriptor without an error is answered only after its drain has ended.",
          "assign ends = done_i && ended_q != running_q;",
          "assign ends = (done_i || plan_held_i) && ended_q != running_q;",
        ],
      ]),
      ...properties("ndp_plans", [
        [
          "FetchedInOrder",
          "The requests of each descriptor without an error start once, in order, with the plan of the descriptor.",
          "fetch_start_q <= planned_q;",
          "fetch_start_q <= planned_q || array_start_i;",
        ],
        [
          "PlanStays",
          "A plan is stable while its requests are made.",
          "assign held_o = pending_q || fetch_start_q || !fetch_idle_i;",
          "assign held_o = pending_q || !fetch_idle_i;",
        ],
        [
          "ComputedInOrder",
          "The array starts each descriptor without an error once, in order, with the plan of the descriptor.",
          "assign held_o = pending_q || fetch_start_q || !fetch_idle_i;",
          "assign held_o = fetch_start_q || !fetch_idle_i;",
        ],
        [
          "DrainedInOrder",
          "The drain starts each descriptor without an error once, in order, with the plan of the descriptor.",
          "drain_waits_q <= (array_start_i || drain_waits_q) && !drain_free;",
          "drain_waits_q <= drain_waits_q && !drain_free;",
        ],
        [
          "DrainHeld",
          "While the drain has accepted no descriptor, its hold signal is high, so that it begins no chunk.",
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
        "No descriptor is lost, duplicated, changed or reordered.",
        "if (load) rd_q <= rd_q + 1'b1;",
        "if (load && !push) rd_q <= rd_q + 1'b1;",
      ],
      [
        "NoneInvented",
        "A descriptor is offered only while the doorbell contains a descriptor.",
        "else if (leave) valid_q <= 1'b0;",
        "else if (leave && !push) valid_q <= 1'b0;",
      ],
      [
        "Room",
        "The doorbell refuses a descriptor only while it contains at least `Descs` descriptors.",
        "else if (load && !push) filled_q",
        "else if (load && !push && next_kernel_q == '0) filled_q",
      ],
      [
        "OneTaker",
        "A descriptor is offered to at most one unit: one kernel or the append unit.",
        "taker == KernelBits'(k);",
        "taker <= KernelBits'(k);",
      ],
      [
        "RightTaker",
        "Appends are offered only to the append unit, and heads only to kernels.",
        "append_q <= queue_q[rd_q][3:0]",
        "append_q <= queue_q[wr_q][3:0]",
      ],
      [
        "SameCacheWaits",
        "While the append unit works on a cache, no head of this cache is offered.",
        "if (leave && append_q) {appended_q",
        "if (leave) {appended_q",
      ],
      [
        "HeadsFirst",
        "While a kernel loads a head, no append to the cache of this head is offered.",
        "assign append_valid_o = valid_q && append_q && loads == '0;",
        "assign append_valid_o = valid_q && append_q;",
      ],
      [
        "OtherCachesPass",
        "While the append unit works on a cache and a kernel is ready, a head of another cache waits at most one cycle.",
        "(append_ready_i || !same_cache(same_q))",
        "append_ready_i",
      ],
      [
        "RoundRobin",
        "A head is offered to the kernel after the kernel of the previous head, if that kernel is ready.",
        "if (leave && !append_q) next_kernel_q",
        "if (leave) next_kernel_q",
      ],
      [
        "Progress",
        "While the append unit is idle and a kernel is ready, the next descriptor is offered after at " +
          "most one cycle, unless it is an append to the cache of a head that a kernel loads.",
        "assign load = filled_q != '0 && !valid_q;",
        "assign load = filled_q != '0 && !valid_q && !push;",
      ],
      [
        "Busy",
        "busy_o is high exactly while the doorbell contains a descriptor.",
        "assign busy_o = filled_q != '0 || valid_q;",
        "assign busy_o = filled_q != '0;",
      ],
    ]),
  }),
];
