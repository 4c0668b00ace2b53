// SPDX-License-Identifier: Apache-2.0
// TriMoE's figures on many simulated layers in place of one: the last steps of traces that are generated anew,
// so that they do not depend on each other, each system on the same steps.

import { expertBytes, modelShape } from "../../../../workload/shapes.ts";
import { paperMachine } from "../../model/machine.ts";
import { computing } from "../../policy/use.ts";
import type { SimulatedExperiment } from "../../../experiment/experiment.ts";
import type { Recall } from "../../../llmshare/figures/study.ts";
import type { LabLayer, LayerLab } from "../lab.ts";
import { settingText } from "../setting.ts";
import { stepLayers, type StepRecord } from "./step-record.ts";
import { stepsOutcome } from "./steps-outcome.ts";

/** Runs every layer on the last steps of the traces, and stores each when it ends. */
async function simulateSteps(
  steps: number,
  lab: LayerLab,
  recall: Recall,
  onProgress: (share: number) => void = () => undefined,
): Promise<readonly StepRecord[]> {
  const machine = paperMachine();
  const runs = Array.from({ length: steps }, (_, i) => i + 1).flatMap((seed) =>
    stepLayers.map((one) => ({ ...one, seed })),
  );
  let ended = 0;
  const run = async (one: (typeof runs)[number]): Promise<StepRecord> => {
    const record = await recall(`layer ${JSON.stringify(one)}`, async (): Promise<StepRecord> => {
      const { run: decided, time } = await lab.layer(one satisfies LabLayer);
      const size = expertBytes(modelShape(one.model, "the layer"));
      return {
        ...one,
        time,
        equation: decided.time,
        ...computing(decided, machine, size),
        planned: settingText,
      };
    });
    ended += 1;
    onProgress(ended / runs.length);
    return record;
  };
  return Promise.all(runs.map(run));
}

export interface StepsSetting {
  readonly steps: number;
  readonly lab: LayerLab;
  readonly recall: Recall;
  readonly onProgress?: (share: number) => void;
}

/** Runs for half an hour for three steps on two cores, so it runs only by name. */
export function stepsExperiment({
  steps,
  lab,
  recall,
  onProgress,
}: StepsSetting): SimulatedExperiment {
  return {
    id: "trimoe/steps",
    paper: "trimoe",
    title: "Many simulated steps: figures 6 to 8 and table 3 with intervals",
    run: async () => stepsOutcome(await simulateSteps(steps, lab, recall, onProgress)),
  };
}
