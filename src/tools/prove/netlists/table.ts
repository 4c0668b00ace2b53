// SPDX-License-Identifier: Apache-2.0
// The rows of `neardata prove` for netlists, one row per slice.

import { proveNetlist, refuteNetlist } from "./prove.ts";
import type { NetlistProof } from "./list.ts";
import type { Result } from "../prove.ts";
import type { Row, Task } from "../table.ts";
import type { Prover } from "../tools.ts";

const claim =
  "For any register contents and inputs, netlist and RTL have equal outputs and equal next register contents.";

function common({
  name,
  module,
}: NetlistProof): Omit<Row, "outcome" | "passed" | "note" | "fromCache"> {
  const row = { harness: name, label: "Netlist", module, engine: "registers", claim };
  return { ...row, seconds: {}, waveform: null };
}

/** The result of the slice. */
export function netlistRow(prover: Prover, slice: NetlistProof): Task {
  const rows = async (): Promise<Row[]> => [rowOf(slice, await proveNetlist(prover, slice))];
  return { name: slice.name, rows };
}

function rowOf(slice: NetlistProof, { outcome, fromCache }: Result): Row {
  const row = { ...common(slice), fromCache };
  if (outcome.kind === "holds") {
    const seconds = Object.fromEntries(outcome.verdicts.map((v) => [v.solver, v.seconds]));
    return { ...row, outcome: "proven", passed: true, seconds, note: outcome.note };
  }
  const note = outcome.kind === "undecided" ? outcome.reason : "";
  return { ...row, outcome: "undecided", passed: false, note };
}

/** The result of the slice with one cell replaced by another cell. */
export function injectedNetlistRow(prover: Prover, slice: NetlistProof): Task {
  const rows = async (): Promise<Row[]> => [
    injectedFaultRow(slice, await refuteNetlist(prover, slice)),
  ];
  return { name: `${slice.name}: one cell replaced`, rows };
}

function injectedFaultRow(slice: NetlistProof, { outcome, fromCache }: Result): Row {
  const row = { ...common(slice), fromCache };
  if (outcome.kind === "refuted") {
    const { steps, waveform } = outcome;
    const note = `after ${String(steps)} cycles`;
    return { ...row, outcome: "fault refuted", passed: true, note, waveform };
  }
  const note = outcome.kind === "undecided" ? outcome.reason : "";
  return { ...row, outcome: "fault missed", passed: false, note };
}

export function netlistText(slices: readonly NetlistProof[]): readonly string[] {
  return slices.flatMap(({ name, module, parameters, seconds, quick }) => [
    `${name}  (${module} ${JSON.stringify(parameters)}, registers, ` +
      `at most ${seconds} s per solver${quick ? ", quick" : ""})`,
    `  ${"Netlist".padEnd(20)} ${claim}`,
  ]);
}
