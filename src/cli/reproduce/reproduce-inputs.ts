// SPDX-License-Identifier: Apache-2.0
// Experiments over files of the user's own.

import type { Experiment } from "../../papers/experiment/experiment.ts";

/** The yardstick over the user's requests in place of the usual mix. */
export async function withRequests(
  experiments: readonly Experiment[],
  file: string | undefined,
  text: string,
): Promise<readonly Experiment[]> {
  const [{ yardstickExperiment }, { lengthsOfCsv }] = await Promise.all([
    import("../../papers/yardstick/yardstick.ts"),
    import("../../papers/llmshare/model/requests.ts"),
  ]);
  const experiment = yardstickExperiment(lengthsOfCsv(text, file ?? ""));
  return experiments.map((one) => (one.id === experiment.id ? experiment : one));
}
