// SPDX-License-Identifier: Apache-2.0
// Energy of the operations of a unit: a slice's netlist is driven as the unit drives it, with other
// operands in each of 32 runs, and its switching is counted. The energy of a run of the
// co-simulation is its counts (slots, batches, beats) times these energies; the clock has an energy
// per cycle.

import type { Library } from "./cells/liberty.ts";
import { benchOf, operation, type Bench } from "./gates/bench.ts";
import { type OperationEnergy } from "../../results/unit-energy.ts";
import { cellKinds } from "./gates/gate-cells.ts";
import { ndpOperations } from "./gates/ndp-operations.ts";
import { constantBits, normalHalves, randomBits } from "./gates/stimuli.ts";
import { randomWords } from "../../base/random.ts";
import type { Flow } from "./slice.ts";
import type { Parameters } from "../../machine/slices.ts";
import type { UnitEnergy } from "../../results/unit-energy.ts";

/** Energy of a DIMM-NDP unit of the paper's size, except for these parameters. */
export async function ndpEnergy(
  flow: Flow,
  library: Library,
  parameters: Parameters = {},
): Promise<UnitEnergy> {
  const bench = benchOf(flow, library);
  const operations = await ndpOperations(bench, parameters);
  return {
    volts: bench.volts,
    operations,
    clockJoules: clockOf(library, bench.volts),
    // The bench simulates one lane of the microcode, the unit has 256: its clock counts as part of
    // the control.
    gating: [...bench.gating.values()].filter(({ module }) => module !== "ndp_act_microcode"),
  };
}

/** Energy of the attention engine's datapaths. */
export async function sparfEnergy(flow: Flow, library: Library): Promise<UnitEnergy> {
  const bench = benchOf(flow, library);
  return {
    volts: bench.volts,
    operations: [await product(bench), await exponential(bench), await filter(bench)],
    clockJoules: clockOf(library, bench.volts),
  };
}

function clockOf(library: Library, volts: number): number {
  const flipFlop = [...cellKinds(library).values()].find((kind) => kind.flipFlop !== null);
  return (flipFlop?.clocked ?? 0) * 1e-15 * volts ** 2;
}

/** GeMV lanes, rows of keys one after the other. */
async function product({ open, volts }: Bench): Promise<OperationEnergy> {
  const [lanes, width, tiles] = [4, 16, 16];
  const unit = await open({
    module: "sparf_gemv_lanes",
    parameters: { Lanes: lanes, Width: width },
  });
  const next = randomWords(5);
  const beats = width / lanes;
  for (let cycle = 0; cycle < beats * (2 * tiles); cycle += 1) {
    if (cycle === beats * tiles) unit.take();
    const beat = cycle % beats;
    unit.set("valid_i", [-1]);
    unit.set("first_i", [beat === 0 ? -1 : 0]);
    unit.set("last_i", [beat === beats - 1 ? -1 : 0]);
    unit.set("beats_i", constantBits(beats, unit.inputs.get("beats_i")?.length ?? 0));
    unit.set("live_i", constantBits(1, unit.inputs.get("live_i")?.length ?? 0));
    unit.set("keys_i", normalHalves(next, lanes));
    unit.set("query_i", normalHalves(next, lanes));
    unit.cycle();
  }
  const counts =
    "a product of two binary16 numbers and its sum: sparf_gemv_lanes, rows of 16, normal values";
  return operation("product", counts, unit.take(), beats * tiles * lanes, volts);
}

async function exponential({ open, volts }: Bench): Promise<OperationEnergy> {
  const unit = await open({ module: "sparf_attn_exp2", parameters: {} });
  const next = randomWords(6);
  const [from, count] = [32, 64];
  for (let cycle = 0; cycle < from + count; cycle += 1) {
    if (cycle === from) unit.take();
    // Negative FP32 numbers below -2: random fractions, exponents 128 to 135.
    const high = randomBits(next, 3);
    const exponent = [...high, 0, 0, 0, 0, -1];
    unit.set("z_valid_i", [-1]);
    unit.set("z_i", [...randomBits(next, 23), ...exponent, -1]);
    unit.cycle();
  }
  return operation(
    "exponential",
    "a power of two in FP32: sparf_attn_exp2",
    unit.take(),
    count,
    volts,
  );
}

/** A page of random bytes through the filter, every other row chosen. */
async function filter({ open, volts }: Bench): Promise<OperationEnergy> {
  const unit = await open({ module: "sparf_nfc_filter", parameters: {} });
  const next = randomWords(7);
  const [from, count] = [32, 128];
  // Rows of 32 beats, 16 to a page.
  const shape = [
    ["page_rows_i", 16],
    ["page_row_beats_i", 32],
    ["page_used_beats_i", 32],
  ] as const;
  for (const [name, value] of shape) {
    unit.set(name, constantBits(value, unit.inputs.get(name)?.length ?? 0));
  }
  for (const name of ["page_valid_i", "in_valid_i", "out_ready_i"]) unit.set(name, [-1]);
  for (let cycle = 0; cycle < from + count; cycle += 1) {
    if (cycle === from) unit.take();
    for (const name of ["in_data_i", "page_mask_i"]) {
      unit.set(name, randomBits(next, unit.inputs.get(name)?.length ?? 0));
    }
    unit.cycle();
  }
  const counts = "a beat of 8 bytes that enters: sparf_nfc_filter, random bytes and masks";
  return operation("filter", counts, unit.take(), count, volts);
}
