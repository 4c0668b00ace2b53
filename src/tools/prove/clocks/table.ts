// SPDX-License-Identifier: Apache-2.0
// The rows of `neardata prove` for clock gates, one row per property.

import { proveGate, type GateResult } from "./prove.ts";
import type { GateProof } from "./types.ts";
import type { Row, Task } from "../table.ts";
import type { Prover } from "../tools.ts";
import type { Property } from "../types.ts";

const engine = "gate";

/** The results of a gate's properties. */
export function gateRows(prover: Prover, proof: GateProof): readonly Task[] {
  return proof.properties.map((property) => ({
    name: proof.name,
    rows: async () => [rowOf(proof, property, await proveGate(prover, proof, property, false))],
  }));
}

function rowOf(
  proof: GateProof,
  property: Property,
  { outcome, what, fromCache }: GateResult,
): Row {
  const row = { ...common(proof, property), fromCache, seconds: {}, waveform: null };
  if (outcome.kind === "holds") {
    const seconds = Object.fromEntries(outcome.verdicts.map((v) => [v.solver, v.seconds]));
    return { ...row, outcome: "proven", passed: true, seconds, note: outcome.note };
  }
  if (outcome.kind === "undecided") {
    return { ...row, outcome: "undecided", passed: false, note: outcome.reason };
  }
  const { steps, waveform } = outcome;
  const note = `after ${steps} cycles: ${what}`;
  return { ...row, outcome: "refuted", passed: false, note, waveform };
}

/** The result of each property with its injected fault. */
export function injectedGateRows(prover: Prover, proof: GateProof): readonly Task[] {
  return proof.properties.map((property) => ({
    name: `${proof.name}: faults`,
    rows: async () => [
      injectedFaultRow(proof, property, await proveGate(prover, proof, property, true)),
    ],
  }));
}

function injectedFaultRow(proof: GateProof, property: Property, result: GateResult): Row {
  const { outcome, what, fromCache } = result;
  const row = { ...common(proof, property), fromCache, seconds: {}, waveform: null };
  if (outcome.kind === "refuted") {
    const { steps, waveform } = outcome;
    const note = `after ${steps} cycles: ${what}`;
    return { ...row, outcome: "fault refuted", passed: true, note, waveform };
  }
  const note = outcome.kind === "undecided" ? outcome.reason : "";
  return { ...row, outcome: "fault missed", passed: false, note };
}

function common(
  { name, module }: GateProof,
  { label, claim }: Property,
): Pick<Row, "harness" | "label" | "module" | "engine" | "claim"> {
  return { harness: name, label, module, engine, claim };
}

export function gateListText(proofs: readonly GateProof[]): readonly string[] {
  return proofs.flatMap(({ name, module, gate, parameters, seconds, quick, properties }) => [
    `${name}  (${module} ${JSON.stringify(parameters)} behind ${gate.instance} of ${gate.module}, ` +
      `${engine}, at most ${seconds} s per solver${quick ? ", quick" : ""})`,
    ...properties.map(({ label, claim }) => `  ${label.padEnd(20)} ${claim}`),
  ]);
}
