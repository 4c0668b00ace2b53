// SPDX-License-Identifier: Apache-2.0
// The rows of `neardata prove` that speak of netlists, one a slice.

import { proveNetlist, refuteNetlist } from "./prove.ts";
import type { NetlistProof } from "./list.ts";
import type { Row } from "../table.ts";
import type { Tools } from "../tools.ts";

const claim =
  "The netlist, from any contents of its registers, does what the RTL does with the same.";

function common({ name, module }: NetlistProof): Omit<Row, "outcome" | "passed" | "note" | "kept"> {
  const row = { harness: name, label: "Netlist", module, engine: "registers", claim };
  return { ...row, seconds: {}, waveform: null };
}

/** What came out of the slice as it was synthesized. */
export async function netlistRow(tools: Tools, slice: NetlistProof): Promise<Row> {
  const { outcome, kept } = await proveNetlist(tools, slice);
  const row = { ...common(slice), kept };
  if (outcome.kind === "holds") {
    const seconds = Object.fromEntries(outcome.verdicts.map((v) => [v.solver, v.seconds]));
    return { ...row, outcome: "proven", passed: true, seconds, note: outcome.note };
  }
  const note = outcome.kind === "undecided" ? outcome.reason : "";
  return { ...row, outcome: "undecided", passed: false, note };
}

/** What came out of it with a cell exchanged. */
export async function plantedNetlistRow(tools: Tools, slice: NetlistProof): Promise<Row> {
  const { outcome, kept } = await refuteNetlist(tools, slice);
  const row = { ...common(slice), kept };
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
      `at most ${seconds} s a solver${quick ? ", quick" : ""})`,
    `  ${"Netlist".padEnd(20)} ${claim}`,
  ]);
}
