// SPDX-License-Identifier: Apache-2.0
// The outputs of one expert for given inputs, by any engine. `rtl` reads the values of the RTL,
// `cycle` the values of the value model; both are compared with the golden model.

import { inputError, NeardataError } from "../../base/errors.ts";
import { gateOf, type GateFunction, type ActivationFunction } from "../../golden/names.ts";
import { differentBits } from "../../golden/reference.ts";
import { outcomeCheck } from "../../results/checks.ts";
import type { Check } from "../../results/metric.ts";
import type { ExpertWeights } from "../../workload/expert.ts";
import type { LowBitWeights } from "../../workload/low-bit.ts";
import { biasesAsColumns } from "../../workload/ndp/bias-columns.ts";
import { lowBitMachine, paperMachine } from "../../machine/resolve/systems.ts";
import { placeExpert, prepareExpert, runExpert } from "./cold-expert.ts";
import { goldenOnUnit } from "./unit-golden.ts";
import type { NdpMachine, NdpRun, OpenSession, RunOptions } from "../../machine/types.ts";

const arrangement = "interleaved";

export type EvalEngine = "golden" | "rtl" | "cycle";

export interface Evaluation {
  /** [tokens][hidden] bits; null if a simulation did not finish. */
  readonly outputs: Uint16Array | null;
  /** Null for `golden`. */
  readonly run: NdpRun | null;
  readonly checks: readonly Check[];
}

interface EvaluateOptions extends RunOptions {
  readonly engine: EvalEngine;
  readonly open: OpenSession;
  readonly func: ActivationFunction | GateFunction;
}

/** The machine that evaluates an expert: of TriMoE's size, with low-bit weights where the expert has them. */
export function evaluationMachine(weights: ExpertWeights | LowBitWeights): NdpMachine {
  return "storage" in weights ? lowBitMachine() : paperMachine();
}

/**
 * Places an expert on the unit without inputs.
 * @throws NeardataError `bad-input` if the unit cannot compute it
 */
export function placeOnUnit(expert: ExpertWeights | LowBitWeights, activation: GateFunction): void {
  const machine = evaluationMachine(expert);
  const { weights } = biasesAsColumns(machine.unit, expert, new Uint16Array(), activation);
  placeExpert(machine, { weights, tokens: 1, activation, arrangement });
}

/**
 * A unit that accepts low-bit weights multiplies them in their own width. On the unit, biases are
 * columns of weights. Only `golden` computes experts without a gate.
 * @throws NeardataError `bad-input` if the machine cannot store or multiply the expert,
 * `cancelled`.
 */
export async function evaluateExpert(
  machine: NdpMachine,
  weights: ExpertWeights | LowBitWeights,
  inputs: Uint16Array,
  { engine, open, func, ...options }: EvaluateOptions,
): Promise<Evaluation> {
  const gate = gateOf(func);
  const golden = (): Uint16Array =>
    goldenOnUnit(machine.unit, { weights, inputs, activation: gate });
  if (engine === "golden") return { outputs: golden(), run: null, checks: [] };
  if (weights.ungated === true) {
    throw inputError(weights.name, "the unit computes no expert without a gate.");
  }
  const onUnit = biasesAsColumns(machine.unit, weights, inputs, gate);
  const prepared = prepareExpert(machine, { ...onUnit, activation: gate, arrangement });
  const session = await open({ ...machine, engine });
  try {
    const { run, outputs } = await runExpert(session, prepared, options);
    if (run.outcome.kind === "cancelled") {
      throw new NeardataError("cancelled", "the evaluation was cancelled; nothing is written.");
    }
    const checks = [outcomeCheck(run)];
    if (outputs !== null) checks.push(goldenCheck(outputs, golden()));
    return { outputs, run, checks };
  } finally {
    session.close();
  }
}

function goldenCheck(outputs: Uint16Array, expected: Uint16Array): Check {
  const different = differentBits(outputs, expected);
  return {
    id: "golden",
    title: "outputs equal the golden model bit for bit",
    pass: different === 0,
    detail: `${different} of ${outputs.length} values differ`,
  };
}
