// SPDX-License-Identifier: Apache-2.0
// Energy of the operations of a unit: a slice's netlist is driven as the unit drives it, with other
// operands in each of 32 runs, and its switching is counted. What a run of the co-simulation counts
// (slots, batches, beats) times these is the energy of the run; the clock counts by the cycle.

import { readFileSync } from "node:fs";

import { cellKinds, type CellKind } from "./gates/gate-cells.ts";
import { parseNetlist } from "./gates/gate-netlist.ts";
import { gateSimulator, type GateSimulator, type Switching } from "./gates/gate-sim.ts";
import type { Library } from "./cells/liberty.ts";
import { synthesizeSlice, type Flow } from "./slice.ts";
import { constantBits, normalHalves, randomBits, randomWords } from "./gates/stimuli.ts";
import type { Instance } from "./types.ts";
import { apart } from "./units.ts";

/** Energy of one operation, without the clock. */
export interface OperationEnergy {
  readonly id: string;
  /** What one of it is, and what drove it. */
  readonly counts: string;
  /** Joules with glitches, every cell one unit of time. */
  readonly joules: number;
  /** Joules if every net changed once a cycle at most. */
  readonly settledJoules: number;
}

export interface UnitEnergy {
  readonly volts: number;
  readonly operations: readonly OperationEnergy[];
  /** Joules that the clock takes of a flip-flop in a cycle. */
  readonly clockJoules: number;
}

const slotCycles = 16;
const warmUp = 3;
const measured = 6;

/** Slices at work, driven by the functions below. */
interface Bench {
  readonly volts: number;
  readonly open: (instance: Instance) => Promise<GateSimulator>;
}

/** Of the DIMM-NDP unit at the paper's size. */
export async function ndpEnergy(flow: Flow, library: Library): Promise<UnitEnergy> {
  const bench = benchOf(flow, library);
  return {
    volts: bench.volts,
    operations: [
      await multiply(bench),
      await tree(bench),
      await root(bench),
      await activate(bench),
    ],
    clockJoules: clockOf(library, bench.volts),
  };
}

/** Of the attention engine's datapaths. */
export async function sparfEnergy(flow: Flow, library: Library): Promise<UnitEnergy> {
  const bench = benchOf(flow, library);
  return {
    volts: bench.volts,
    operations: [await product(bench), await exponential(bench), await filter(bench)],
    clockJoules: clockOf(library, bench.volts),
  };
}

function benchOf(flow: Flow, library: Library): Bench {
  const kinds: ReadonlyMap<string, CellKind> = cellKinds(library);
  const volts = Number(/nom_voltage\s*:\s*([\d.]+)/.exec(library.text)?.[1] ?? 0);
  return {
    volts,
    open: async (instance) => {
      const { netlist } = await synthesizeSlice(flow, instance, apart);
      const simulator = gateSimulator(parseNetlist(readFileSync(netlist, "utf8")), kinds);
      if (simulator.inputs.has("rst_ni")) {
        simulator.set("rst_ni", [0]);
        for (let i = 0; i < 4; i += 1) simulator.cycle();
        simulator.set("rst_ni", [-1]);
      }
      return simulator;
    },
  };
}

function clockOf(library: Library, volts: number): number {
  const flipFlop = [...cellKinds(library).values()].find((kind) => kind.flipFlop !== null);
  return (flipFlop?.clocked ?? 0) * 1e-15 * volts ** 2;
}

function operation(
  id: string,
  counts: string,
  { all, settled, clock }: Switching,
  count: number,
  volts: number,
): OperationEnergy {
  const joules = (part: number): number => ((part - clock) * 1e-15 * volts ** 2) / count;
  return { id, counts, joules: joules(all), settledJoules: joules(settled) };
}

/** Lanes of two multipliers of one stream; a slot of 16 cycles after the other, new operands in each. */
async function multiply({ open, volts }: Bench): Promise<OperationEnergy> {
  const [mults, lanes] = [2, 8];
  const bank = await open({
    module: "ndp_gemv_bank",
    parameters: { ArrayMults: 32, Bits: 1, Lanes: lanes, Mults: mults, Streams: 1 },
  });
  const next = randomWords(1);
  const ages = bank.inputs.get("age_i")?.length ?? 0;
  let age: readonly number[] = constantBits(0, ages);
  bank.set("bf16_i", [0]);
  for (let cycle = 0; cycle < slotCycles * (warmUp + measured); cycle += 1) {
    if (cycle === slotCycles * warmUp) bank.take();
    const lane = cycle % slotCycles;
    const loads = lane < lanes;
    bank.set("load_valid_i", [loads ? -1 : 0]);
    bank.set("load_weights_i", [loads ? -1 : 0]);
    bank.set("load_lane_i", constantBits(lane, 3));
    if (loads) {
      bank.set("x_i", normalHalves(next, mults));
      bank.set("weights_i", normalHalves(next, mults, 0.02));
    }
    bank.set("age_i", age);
    bank.set("top_i", bank.get("rank_o"));
    bank.cycle();
    age = [lane === 0 ? -1 : 0, ...age.slice(0, -1)];
  }
  const counts =
    "a product of two binary16 numbers and its way to the sum of 16: ndp_gemv_bank, normally " +
    "distributed weights and inputs, a slot after the other";
  return operation("multiply", counts, bank.take(), measured * mults * lanes, volts);
}

/** What joins the banks of one stream, with other sums in each cycle that they come in. */
async function tree({ open, volts }: Bench): Promise<OperationEnergy> {
  const array = await open({
    module: "ndp_gemv_array",
    parameters: { Streams: 1, Mults: 32, Banks: 16, Bits: 1, Lanes: 8 },
  });
  const next = randomWords(2);
  const banks = [...array.inputs].filter(([name]) => /u_bank\.\w+_o$/.test(name));
  array.set("bf16_i", [0]);
  for (let cycle = 0; cycle < slotCycles * (warmUp + measured); cycle += 1) {
    if (cycle === slotCycles * warmUp) array.take();
    const lane = cycle % slotCycles;
    array.set("load_valid_i", [lane < 8 ? -1 : 0]);
    array.set("load_lane_i", constantBits(lane, 3));
    for (const [name, nets] of banks) array.set(name, randomBits(next, nets.length));
    array.cycle();
  }
  const counts = "a slot of one stream: sums of 16 banks joined; ndp_gemv_array, random sums";
  return operation("tree", counts, array.take(), measured, volts);
}

/** Eight streams' sums to FP32 and added to the accumulators. */
async function root({ open, volts }: Bench): Promise<OperationEnergy> {
  const unit = await open({ module: "ndp_slot_root", parameters: {} });
  const next = randomWords(3);
  const data = ["sums_i", "ranks_i", ...[...unit.inputs.keys()].filter((n) => n.includes("rdata"))];
  unit.set("bf16_i", [0]);
  for (let cycle = 0; cycle < slotCycles * (warmUp + measured); cycle += 1) {
    if (cycle === slotCycles * warmUp) unit.take();
    const first = cycle % slotCycles === 0;
    unit.set("valid_i", [first ? -1 : 0]);
    if (first) {
      for (const name of data) {
        unit.set(name, randomBits(next, unit.inputs.get(name)?.length ?? 0));
      }
    }
    unit.cycle();
  }
  const counts = "a slot of all streams: to FP32, accumulated, rounded; ndp_slot_root, random sums";
  return operation("root", counts, unit.take(), measured, volts);
}

/** One lane with the microcode's control words. */
async function activate({ open, volts }: Bench): Promise<OperationEnergy> {
  const microcode = await open({ module: "ndp_act_microcode", parameters: {} });
  const lane = await open({ module: "ndp_act_bank", parameters: { Lanes: 1, Group: 1 } });
  const next = randomWords(4);
  microcode.set("func_i", constantBits(1, 2));
  microcode.set("gated_i", [-1]);
  const step = (): void => {
    microcode.cycle();
    lane.set("control_i", microcode.get("control_o"));
    lane.cycle();
  };
  const batch = (): void => {
    for (const up of [0, -1]) {
      lane.set("ld_group_i", [-1]);
      lane.set("ld_up_i", [up]);
      lane.set("ld_data_i", normalHalves(next, 1));
      step();
    }
    lane.set("ld_group_i", [0]);
    microcode.set("start_i", [-1]);
    step();
    microcode.set("start_i", [0]);
    for (let i = 0; i < 200 && microcode.get("done_o")[0] !== -1; i += 1) step();
  };
  batch();
  lane.take();
  for (let i = 0; i < measured; i += 1) batch();
  const counts = "one value of act(gate) x up: ndp_act_bank, a lane under its microcode, SiLU";
  return operation("activate", counts, lane.take(), measured, volts);
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
