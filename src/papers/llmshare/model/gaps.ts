// SPDX-License-Identifier: Apache-2.0
// Times between tokens by the hundred thousand: counted in classes with a ratio of 1.01.

export interface Gaps {
  readonly counts: Map<number, number>;
}

const ratio = Math.log(1.01);

export function noGaps(): Gaps {
  return { counts: new Map() };
}

export function addGaps({ counts }: Gaps, seconds: number, count: number): void {
  if (count === 0) return;
  const at = Math.round(Math.log(Math.max(seconds, 1e-9)) / ratio);
  counts.set(at, (counts.get(at) ?? 0) + count);
}

export function gapCount({ counts }: Gaps): number {
  return [...counts.values()].reduce((a, b) => a + b, 0);
}

/** The percentile of all gaps, to a hundredth; 0 without gaps. */
export function gapPercentile(gaps: Gaps, share: number): number {
  const total = gapCount(gaps);
  let below = 0;
  for (const at of [...gaps.counts.keys()].sort((a, b) => a - b)) {
    below += gaps.counts.get(at) ?? 0;
    if (below >= share * total) return Math.exp(at * ratio);
  }
  return 0;
}
