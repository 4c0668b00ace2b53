// SPDX-License-Identifier: Apache-2.0
// How predictable a synthetic trace is. The paper prints the accuracy of its predictor (78 %, and above 78 %) and not
// the traces, so the accuracy is the parameter, and the noise of the drift follows from it.

import { NeardataError } from "../../../base/errors.ts";
import { predictionAccuracy, publishedAlpha } from "../../../lm/moe/predictor.ts";
import { hottest } from "./shares.ts";
import { driftKey, driftingLoads, type Drift } from "./trace.ts";

/** The trace on which accuracy is judged: DeepSeek-V2 at batch 512, as in figure 3. */
const judged = { experts: 160, perToken: 6, batch: 512 };
const steps = 90;
const seed = 1;
/** Halvings of the scale of the noise, and the largest scale. */
const halvings = 9;
const largestScale = 3;

/** Both deviations of a drift times a scale. */
export function scaledDrift(drift: Drift, scale: number): Drift {
  return {
    ...drift,
    sigmaLevel: scale * drift.sigmaLevel,
    sigmaObs: scale * drift.sigmaObs,
  };
}

/** The steps on which accuracy is judged. */
export function accuracyTrace(drift: Drift): readonly Int32Array[] {
  return driftingLoads(judged, drift, steps, seed);
}

/**
 * Share of right classes, one step ahead, among experts whose predicted or actual class is warm or
 * hot.
 */
export function accuracyOf(trace: readonly Int32Array[], alpha: number = publishedAlpha): number {
  return predictionAccuracy(trace, alpha, 1, hottest).decisive;
}

/** Accuracies by drift and scale: searches for several accuracies try the same scales at first. */
const reachedBy = new Map<string, number>();

function reachedAt(drift: Drift, scale: number): number {
  const scaled = scaledDrift(drift, scale);
  const key = driftKey(scaled, judged.experts);
  const reached = reachedBy.get(key) ?? accuracyOf(accuracyTrace(scaled));
  reachedBy.set(key, reached);
  return reached;
}

/** Drifts that were scaled: the same for the same drift and accuracy. */
const known = new Map<string, Drift>();

/**
 * The drift with its deviations scaled until the predictor has this accuracy.
 * @throws NeardataError `bad-input` for an accuracy that no scale reaches: tokens are sampled, too.
 */
export function driftOfAccuracy(drift: Drift, accuracy: number): Drift {
  const key = JSON.stringify([driftKey(drift, judged.experts), accuracy]);
  const before = known.get(key);
  if (before !== undefined) return before;
  const tried: { readonly scale: number; readonly reached: number }[] = [];
  const at = (scale: number): number => {
    const reached = reachedAt(drift, scale);
    tried.push({ scale, reached });
    return reached;
  };
  const [most, least] = [at(0), at(largestScale)];
  if (accuracy > most || accuracy < least) {
    const message = `an accuracy of ${accuracy} is out of reach of the synthetic trace: ${least.toFixed(3)} to ${most.toFixed(3)}.`;
    throw new NeardataError("bad-input", [{ where: "--accuracy", message }]);
  }
  let [low, high] = [0, largestScale];
  for (let i = 0; i < halvings; i += 1) {
    const middle = (low + high) / 2;
    if (at(middle) >= accuracy) low = middle;
    else high = middle;
  }
  // Samples differ from scale to scale, so the last one is not always the closest.
  const [closest] = tried.toSorted(
    (x, y) => Math.abs(x.reached - accuracy) - Math.abs(y.reached - accuracy),
  );
  const calibrated = scaledDrift(drift, closest?.scale ?? low);
  known.set(key, calibrated);
  return calibrated;
}
