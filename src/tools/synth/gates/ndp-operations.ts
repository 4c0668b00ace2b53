// SPDX-License-Identifier: Apache-2.0
// Operations of a DIMM-NDP unit, driven on the netlists of its slices as in the unit: one slot after
// the other, with operands of each format of the unit.

import { maxAlignedBits } from "../../../machine/resolve/geometry.ts";
import { lowBitFormats } from "../../../golden/low-bit.ts";
import {
  activationOperation,
  slotOperations,
  type OperandFormats,
} from "../../../machine/operands.ts";
import type { Parameters } from "../../../machine/slices.ts";
import { gatedOperation, type Bench } from "./bench.ts";
import { type OperationEnergy } from "../../../results/unit-energy.ts";
import { constantBits, normalHalves, randomBits } from "./stimuli.ts";
import { plusOne } from "../../../golden/activation.ts";
import { randomWords } from "../../../base/random.ts";
import {
  bankMults,
  blocks,
  formatCode,
  lanes,
  mults,
  weightsOf,
  type Design,
} from "./weight-source.ts";
import {
  activationFunctions,
  floatFormats,
  gateFunctionLabel,
  type GateFunction,
} from "../../../golden/names.ts";
import { functionCode } from "../../../workload/ndp/layout.ts";

const warmUp = 3;
const measured = 6;
/** Bits of a block's sum in addition to those of a product: for 256 products, and the sign. */
const sumBeyondProduct = Math.log2(mults * lanes) + 1;
/** Biased exponent of factors: between 1/8 and 1/4. */
const factorExponent = 124;

/** All operations of the unit with these parameters of dimm_ndp. */
export async function ndpOperations(
  bench: Bench,
  parameters: Parameters,
): Promise<readonly OperationEnergy[]> {
  const { BitsPerCycle: bits = 1, LowBitWeights = 0, AlignedBits: alignedBits } = parameters;
  const low = LowBitWeights === 1;
  const design = { bits, low, alignedBits, slotCycles: 16 / bits };
  const weights = ["wide", ...(low ? lowBitFormats : [])] as const;
  const operations: OperationEnergy[] = [];
  for (const inputs of floatFormats) {
    for (const one of weights) {
      operations.push(...(await multiply(bench, design, { inputs, weights: one })));
    }
  }
  for (const halves of low ? [false, true] : [false]) {
    operations.push(await tree(bench, design, halves));
  }
  for (const one of weights) operations.push(await root(bench, design, one));
  for (const name of activationFunctions) {
    operations.push(await activate(bench, { name }));
    operations.push(await activate(bench, { name, upPlusOne: true }));
  }
  return operations;
}

/**
 * Lanes of two multipliers of one stream: consecutive slots with new inputs and weights in each.
 * Reused weights need 1 to 3 % less energy, which this estimate omits.
 */
async function multiply(
  bench: Bench,
  design: Design,
  operands: OperandFormats,
): Promise<readonly OperationEnergy[]> {
  const { bits, low, slotCycles } = design;
  const { inputs } = operands;
  const bank = await bench.open({
    module: "ndp_gemv_bank",
    parameters: {
      ArrayMults: mults,
      Bits: bits,
      Lanes: lanes,
      ...alignedOf(design),
      ...(low ? { LowBit: 1 } : {}),
      Mults: bankMults,
      Streams: 1,
    },
  });
  const next = randomWords(1);
  const weights = await weightsOf(bench, design, operands, next);
  const wide = operands.weights === "wide";
  const [before, count] = wide ? [warmUp, measured] : [blocks, blocks];
  let age: readonly number[] = constantBits(0, bank.inputs.get("age_i")?.length ?? 0);
  const cycle = (lane: number): void => {
    bank.set("age_i", age);
    bank.set("top_i", bank.get("rank_o"));
    bank.cycle();
    age = [lane === 0 ? -1 : 0, ...age.slice(0, -1)];
  };
  bank.set("bf16_i", [inputs === "bf16" ? -1 : 0]);
  for (let slot = 0; slot < before + count; slot += 1) {
    if (slot === before) {
      bank.take();
      weights.decoder?.take();
    }
    if (!wide && slot % weights.scaledBlocks === 0) {
      weights.scales(slot % blocks);
      bank.set("load_valid_i", [0]);
      cycle(-1);
    }
    for (let lane = 0; lane < slotCycles; lane += 1) {
      const loads = lane < lanes;
      bank.set("load_valid_i", [loads ? -1 : 0]);
      bank.set("load_weights_i", [loads ? -1 : 0]);
      bank.set("load_lane_i", constantBits(lane, 3));
      if (loads) {
        bank.set("x_i", normalHalves(next, bankMults, { format: inputs }));
        bank.set("weights_i", weights.lane(slot % blocks, lane));
      } else {
        weights.idle();
      }
      cycle(lane);
    }
  }
  const ids = slotOperations(operands);
  const drove =
    `${bits === 1 ? "" : `${String(bits)} bits a cycle, `}normally distributed weights and inputs, ` +
    "a slot after the other";
  const numbers = { fp16: "two binary16 numbers", bf16: "two BF16 numbers" }[inputs];
  const pair = wide
    ? numbers
    : `a weight of ${operands.weights.toUpperCase()} and an input of ${inputs.toUpperCase()}`;
  const product = gatedOperation(
    ids.multiply,
    `a product of ${pair} and its way to the sum of 16: ndp_gemv_bank, ${drove}`,
    bank.take(),
    count * bankMults * lanes,
    bench.volts,
  );
  // The decoder treats low-bit weights in the same way for inputs of either format.
  if (weights.decoder === null || (!wide && inputs === "bf16")) return [product];
  const decoded = gatedOperation(
    ids.decode,
    `weights of a slot of one stream out of their bursts: ndp_weight_scales, ${drove}`,
    weights.decoder.take(),
    count,
    bench.volts,
  );
  return [product, decoded];
}

function alignedOf({ alignedBits }: Design): Parameters {
  return alignedBits === undefined ? {} : { AlignedBits: alignedBits };
}

/** The tree that adds the sums of one stream's banks, with new sums in each cycle. */
async function tree(
  { open, volts }: Bench,
  design: Design,
  halves: boolean,
): Promise<OperationEnergy> {
  const { bits, low, slotCycles } = design;
  const array = await open({
    module: "ndp_gemv_array",
    parameters: {
      Streams: 1,
      Mults: mults,
      Banks: 16,
      Bits: bits,
      Lanes: lanes,
      ...alignedOf(design),
      ...(low ? { LowBit: 1 } : {}),
    },
  });
  const next = randomWords(2);
  const banks = [...array.inputs].filter(([name]) => /u_bank\.\w+_o$/.test(name));
  array.set("bf16_i", [0]);
  if (low) array.set("halves_i", [halves ? -1 : 0]);
  for (let cycle = 0; cycle < slotCycles * (warmUp + measured); cycle += 1) {
    if (cycle === slotCycles * warmUp) array.take();
    const lane = cycle % slotCycles;
    array.set("load_valid_i", [lane < lanes ? -1 : 0]);
    array.set("load_lane_i", constantBits(lane, 3));
    for (const [name, nets] of banks) array.set(name, randomBits(next, nets.length));
    array.cycle();
  }
  const counts =
    "a slot of one stream: sums of 16 banks joined; ndp_gemv_array, random sums" +
    (halves ? ", of halves of a block" : "");
  const id = halves ? "tree halves" : "tree";
  return gatedOperation(id, counts, array.take(), measured, volts);
}

/** Eight streams' sums to FP32 and added to the accumulators. */
async function root(
  { open, volts }: Bench,
  { low, alignedBits = maxAlignedBits, slotCycles }: Design,
  weights: OperandFormats["weights"],
): Promise<OperationEnergy> {
  const parameters =
    low || alignedBits < maxAlignedBits
      ? {
          AlignedBits: alignedBits,
          LowBit: low ? 1 : 0,
          MaxTokens: 64,
          Streams: 8,
          SumBits: alignedBits + sumBeyondProduct,
        }
      : {};
  const unit = await open({ module: "ndp_slot_root", parameters });
  const next = randomWords(3);
  const wide = weights === "wide";
  const data = [
    ...["sums_i", "ranks_i", ...(wide ? [] : ["rest_i"])],
    ...[...unit.inputs.keys()].filter((n) => n.includes("rdata")),
  ];
  const bits = (name: string): number => unit.inputs.get(name)?.length ?? 0;
  // FP32 of both halves of each stream: random fractions, one exponent. An NVFP4 matrix has one factor.
  const factor = (): readonly number[] => [
    ...randomBits(next, 23),
    ...constantBits(factorExponent, 9),
  ];
  const ofMatrix = weights === "nvfp4" ? factor() : null;
  const factors = (): readonly number[] =>
    Array.from({ length: bits("factors_i") / 32 }, () => ofMatrix ?? factor()).flat();
  unit.set("bf16_i", [wide ? 0 : -1]);
  if (low) {
    unit.set("format_i", constantBits(formatCode(weights), 3));
    unit.set("halves_i", [wide ? 0 : -1]);
  }
  for (let cycle = 0; cycle < slotCycles * (warmUp + measured); cycle += 1) {
    if (cycle === slotCycles * warmUp) unit.take();
    const first = cycle % slotCycles === 0;
    unit.set("valid_i", [first ? -1 : 0]);
    if (first) {
      for (const name of data) unit.set(name, randomBits(next, bits(name)));
      if (!wide) unit.set("factors_i", factors());
    }
    unit.cycle();
  }
  const scaled = wide ? "" : `halves scaled as those of ${weights.toUpperCase()}, `;
  const counts = `a slot of all streams: to FP32, ${scaled}accumulated, rounded; ndp_slot_root, random sums`;
  const { root: id } = slotOperations({ inputs: "fp16", weights });
  return gatedOperation(id, counts, unit.take(), measured, volts);
}

function increased(bits: number): number {
  return plusOne(bits, "fp16");
}

/** One lane with the microcode's control words. Operands are those behind `ndp_act_operands`, which adds one to up. */
async function activate({ open, volts }: Bench, gate: GateFunction): Promise<OperationEnergy> {
  const microcode = await open({ module: "ndp_act_microcode", parameters: {} });
  const lane = await open({ module: "ndp_act_bank", parameters: { Lanes: 1, Group: 1 } });
  const next = randomWords(4);
  microcode.set("func_i", constantBits(functionCode[gate.name], 3));
  microcode.set("gated_i", [-1]);
  const step = (): void => {
    microcode.cycle();
    lane.set("control_i", microcode.get("control_o"));
    lane.cycle();
  };
  const batch = (): void => {
    for (const up of [false, true]) {
      lane.set("ld_group_i", [-1]);
      lane.set("ld_up_i", [up ? -1 : 0]);
      const after = up && gate.upPlusOne === true ? { after: increased } : {};
      lane.set("ld_data_i", normalHalves(next, 1, after));
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
  const counts = `one value of act(gate) x up: ndp_act_bank, a lane under its microcode, ${gateFunctionLabel(gate)}`;
  return gatedOperation(activationOperation(gate), counts, lane.take(), measured, volts);
}
