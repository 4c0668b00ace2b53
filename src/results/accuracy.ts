// SPDX-License-Identifier: Apache-2.0
// How outputs compare with the golden model and with float64, as numbers beside the others.

import type { Accuracy, Metric } from "./metric.ts";

/** A number about the accuracy of a case, in addition to its metrics. */
type AccuracyMetric = Omit<Metric, "id"> & { readonly id: keyof Accuracy };

export function accuracyMetrics(accuracy: Accuracy): readonly AccuracyMetric[] {
  const metric = (id: keyof Accuracy, title: string, unit: string): AccuracyMetric => {
    return { id, title, value: accuracy[id], unit, source: "measured" };
  };
  return [
    metric("differentFromGolden", "outputs that differ from the golden model", "values"),
    metric("relativeL2", "error against float64, relative L2", ""),
    metric("largestError", "largest error against float64", "absolute"),
  ];
}
