// SPDX-License-Identifier: Apache-2.0
// The sources of a MoE machine without storage devices, for C++ checks that build one.

import { readdirSync } from "node:fs";

import { inRepository } from "../../src/base/paths.ts";

const rooms = [
  ...["core", "dram", "link", "unit/ndp"],
  ...["system/memory", "system/ndp", "system/host", "system/dimm", "system/moe"],
];
const ofRtl = [
  ...["ndp_fields", "plugin", "rtl_ndp_unit", "rtl_unit", "unit_fields", "unit_probe"],
];

/** The simulation engine. Paths are relative to the repository. */
export const coreSources: readonly string[] = sourcesBelow("core");

/** Paths relative to the repository. */
export const moeSources: readonly string[] = [
  ...rooms.flatMap(sourcesBelow),
  ...ofRtl.map((name) => `sim/rtl/${name}.cc`),
];

function sourcesBelow(room: string): readonly string[] {
  return readdirSync(inRepository("sim", room), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".cc"))
    .map((name) => `sim/${room}/${name}`);
}
