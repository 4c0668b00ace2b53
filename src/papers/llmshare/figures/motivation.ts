// SPDX-License-Identifier: Apache-2.0
// LLMShare's motivation: prefill and decode throughput of eight A100 against eight H100, one request at
// a time. The slide draws both and prints neither.

import type { Pool } from "../model/space.ts";
import { modelShape } from "../../../workload/shapes.ts";
import { servingDesign } from "../model/design.ts";
import { serverOf, defaultAssumptions } from "../model/device.ts";
import { serve } from "../model/iteration.ts";
import { bytesPerSecond } from "../../../base/units.ts";
import { bars } from "../../experiment/chart.ts";
import type { Experiment } from "../../experiment/experiment.ts";
import { notComparable } from "../../experiment/finding.ts";
import { publishedDesigns } from "./setting.ts";

/** In the paper's order of parameters; an A100 as LLMCompass describes it. */
const a100 = [1, 8, 12, 80, 40, 108, 192, 4, 16, 32];
const h100 = [1, ...publishedDesigns["H100 cluster"].slice(1, 10)];
const shape = modelShape("opt-66b", "the motivation");
const prompt = 2048;

interface Rates {
  readonly prefill: number;
  readonly decode: number;
}

/** Tokens per second of one request; memory by the cards' data sheets. */
function ratesOf(design: readonly number[], memory: number): Rates {
  const pool: Pool = servingDesign([...design, ...design]).prefill;
  const memoryRate = (): ReturnType<typeof bytesPerSecond> => bytesPerSecond(memory);
  const model = serve(serverOf(pool, { ...defaultAssumptions, memoryRate }), shape);
  if (model === null) throw new RangeError("the model does not fit eight devices.");
  return {
    prefill: prompt / (model.linear(prompt) + model.promptAttention(prompt)),
    decode: 1 / (model.linear(1) + prompt * model.attentionPerToken),
  };
}

export const motivation: Experiment = {
  id: "llmshare/motivation",
  paper: "llmshare",
  title: "Eight A100 and eight H100 without batching",
  run: () => {
    const older = ratesOf(a100, 2.039e12);
    const newer = ratesOf(h100, 3.35e12);
    const missing =
      "the bars of the slide have no numbers, and the prompt is not published; our number is for OPT-66B at 2,048 tokens";
    return {
      findings: [
        notComparable(
          "prefill throughput (PT), H100 over A100",
          "drawn",
          newer.prefill / older.prefill,
          "x",
          missing,
        ),
        notComparable(
          "decode throughput (DT), H100 over A100",
          "drawn",
          newer.decode / older.decode,
          "x",
          missing,
        ),
      ],
      blocks: [
        bars(
          {
            id: "llmshare-motivation",
            caption: "One request of 2048 tokens on eight devices, OPT-66B.",
            xTitle: "phase",
            yTitle: "throughput",
            unit: "token/s",
            logY: true,
          },
          (["prefill", "decode"] as const).flatMap((x) => [
            { x, series: "eight A100", y: older[x] },
            { x, series: "eight H100", y: newer[x] },
          ]),
        ),
      ],
      timeline: [],
    };
  },
};
