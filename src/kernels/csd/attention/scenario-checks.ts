// SPDX-License-Identifier: Apache-2.0
// Checks of a scenario's attention beside the values: utilisation of channels, a speed-up.

import type { AttentionMethod } from "../../../scenario/attention-schema.ts";
import type { AttentionScenario } from "../../../scenario/attention.ts";
import type { FlashPreset } from "../../../machine/flash/presets.ts";
import type { Check } from "../../../results/metric.ts";
import type { AttentionCase } from "../../../results/types.ts";

/** The expectations of the scenario, apart from correct values. */
export function scenarioChecks(
  { expect }: AttentionScenario,
  flash: FlashPreset,
  method: AttentionMethod,
  metrics: AttentionCase["metrics"],
): readonly Check[] {
  const valueOf = (id: string): number => metrics.find((m) => m.id === id)?.value ?? Number.NaN;
  const busy = expect.channelsBusy[flash];
  const speedup = expect.speedup[flash];
  const checks: Check[] = [];
  if (method === "dense" && busy !== undefined && !Number.isNaN(valueOf("leastBusy"))) {
    checks.push({
      id: "channelsBusy",
      title: `every channel busy at least ${String(100 * busy)} % of the time`,
      pass: valueOf("leastBusy") >= 100 * busy,
      detail: `${valueOf("leastBusy").toFixed(1)} % on the least busy one`,
    });
  }
  if (method === "sparf" && speedup !== undefined) {
    checks.push({
      id: "speedup",
      title: `at least ${String(speedup)} times as fast as dense attention`,
      pass: valueOf("speedup") >= speedup,
      detail: `${valueOf("speedup").toFixed(3)} times`,
    });
  }
  return checks;
}
