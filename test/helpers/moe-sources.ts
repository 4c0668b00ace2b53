// SPDX-License-Identifier: Apache-2.0
// The sources of a MoE machine without storage devices, for C++ checks that build one.

import { readdirSync } from "node:fs";

import { inRepository } from "../../src/native/paths.ts";

const whole = ["core", "dram", "link"].flatMap((folder) =>
  readdirSync(inRepository("sim", folder))
    .filter((name) => name.endsWith(".cc"))
    .map((name) => `sim/${folder}/${name}`),
);
const ofSystem = [
  ...[
    "burst_history",
    "byte_store",
    "cycle_ndp_unit",
    "dram_port",
    "host_device",
    "host_jobs",
    "host_port",
    "host_room",
  ],
  ...["ideal_port", "memory_port", "moe_machine", "ndp_dimm", "ndp_machine", "ndp_room"],
  ...["output_router", "relayout", "relayout_director", "relayout_unit"],
];
const ofUnit = [
  ...["act_values", "dot_values", "ndp_cycle", "ndp_drain", "ndp_streams", "ndp_values"],
];
const ofRtl = [
  ...["ndp_fields", "plugin", "rtl_ndp_unit", "rtl_unit", "unit_fields", "unit_probe"],
];

/** Paths relative to the repository. */
export const moeSources: readonly string[] = [
  ...whole,
  ...ofSystem.map((name) => `sim/system/${name}.cc`),
  ...ofUnit.map((name) => `sim/unit/${name}.cc`),
  ...ofRtl.map((name) => `sim/rtl/${name}.cc`),
];
