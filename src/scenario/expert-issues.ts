// SPDX-License-Identifier: Apache-2.0
// Issues of an expert of a known shape on a scenario's machine: the unit's buffer, the ranks, the
// memory of the computer that simulates it, and the time that a run may last.

import { present } from "../base/present.ts";
import { analyticTime } from "../results/analytic.ts";
import { capacityIssue, layOutExpert, type ExpertShape } from "../workload/ndp/layout.ts";
import { type Arrangement } from "../machine/arrangement.ts";
import type { NdpMachine, NdpUnitParameters, RankMemory } from "../machine/types.ts";
import { NeardataError, type Issue } from "../base/errors.ts";
import { maxSeconds, type Hertz } from "../base/units.ts";
import { valueLimitIssue } from "./value-limit.ts";
import { arrangements, rankMappings, type Layout } from "../machine/resolve/systems.ts";

/** The part of a scenario that an expert runs on. */
interface Machine {
  readonly fidelity: string;
  readonly layouts: readonly Layout[];
  readonly tokens: readonly number[];
  readonly unit: NdpUnitParameters;
  readonly clock: Hertz;
  readonly memory: Omit<RankMemory, "mapping">;
}

/** Each once, in the order of layouts and tokens. */
export function expertIssues(
  scenario: Machine,
  shape: Omit<ExpertShape, "tokens">,
): readonly Issue[] {
  const issues = scenario.layouts.flatMap((layout) => {
    const memory = { ...scenario.memory, mapping: rankMappings[layout] };
    const machine = {
      engine: "cycle",
      unit: scenario.unit,
      clock: scenario.clock,
      memory,
    } as const;
    const arrangement = arrangements[layout];
    return scenario.tokens.flatMap((tokens) =>
      issuesOfRun(machine, { ...shape, tokens }, arrangement, scenario.fidelity === "analytic"),
    );
  });
  const texts = issues.map(({ where, message }) => `${where} ${message}`);
  return issues.filter((_, i) => texts.indexOf(present(texts[i])) === i);
}

function issuesOfRun(
  machine: NdpMachine,
  shape: ExpertShape,
  arrangement: Arrangement,
  analytic: boolean,
): readonly Issue[] {
  const { hidden, intermediate, tokens } = shape;
  try {
    const layout = layOutExpert(machine.unit, shape, arrangement);
    const room = capacityIssue(machine, layout);
    if (room !== null) return [room];
    if (analytic) return [];
    const issue = valueLimitIssue("expert", 3 * hidden * intermediate + 2 * tokens * hidden);
    if (issue !== null) return [issue];
    const time = analyticTime(machine, layout);
    if (time <= maxSeconds) return [];
    const message = `${tokens} tokens take at least ${time.toPrecision(3)} s; a simulated run lasts at most ${maxSeconds} s.`;
    return [{ where: "tokens", message }];
  } catch (error) {
    if (error instanceof NeardataError && error.code === "bad-input") return error.issues;
    throw error;
  }
}
