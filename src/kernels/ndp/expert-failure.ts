// SPDX-License-Identifier: Apache-2.0
// A run of an expert on RTL that failed, once more with a waveform of the cycles round the failure.

import { join } from "node:path";
import type { CaseResult } from "../../results/types.ts";
import type { ExpertRun, PreparedExpert } from "./cold-expert.ts";
import type { Expected } from "./expected.ts";
import type { NdpSession } from "../../machine/types.ts";
import { failureWaves } from "../waves.ts";

interface FailedCase {
  readonly result: CaseResult;
  readonly prepared: PreparedExpert;
  readonly ended: ExpertRun;
  /** Null where the run has no outputs. */
  readonly expected: Expected | null;
}

/** Runs a failed case again with the cycles round the failure traced. */
export async function traceFailure(
  session: NdpSession,
  context: { readonly signal: AbortSignal; readonly waveDirectory: string },
  { result, prepared, ended, expected }: FailedCase,
): Promise<void> {
  const { outcome } = ended.run;
  if (result.fidelity !== "rtl" || outcome.kind === "cancelled") return;
  const wrong = (result.accuracy?.differentFromGolden ?? 0) > 0;
  if (outcome.kind === "completed" && !wrong) return;
  const at =
    outcome.kind === "completed" ? cycleOfMismatch(ended, prepared, expected) : outcome.cycle;
  const path = join(context.waveDirectory, `${result.id}-failure.fst`);
  await session.run(prepared.job, { signal: context.signal, waveform: failureWaves(path, at) });
}

/** About when the unit formed the first wrong output: its row's share of its pass's down phase. */
function cycleOfMismatch(
  ended: ExpertRun,
  prepared: PreparedExpert,
  expected: Expected | null,
): number {
  const first = ended.outputs?.findIndex((b, i) => b !== expected?.golden[i]) ?? 0;
  const { hidden } = prepared.layout.shape;
  const pass = Math.floor(first / hidden / prepared.layout.tokensPerPass);
  const down = ended.run.phases.filter((p) => p.phase === "down")[pass];
  if (down === undefined) return 0;
  return down.begin + ((down.end - down.begin) * (first % hidden)) / hidden;
}
