// SPDX-License-Identifier: Apache-2.0
// Which cycles of a run of RTL are written as a waveform: its beginning, or those round a failure.

import { cycles, type Cycles } from "../base/units.ts";

export interface WaveWindow {
  readonly path: string;
  readonly from: Cycles;
  readonly to: Cycles;
}

/** Cycles of one waveform. */
const waveCycles = 20_000;

/** The first cycles of a run. */
export function beginningWaves(path: string): WaveWindow {
  return { path, from: cycles(0), to: cycles(waveCycles) };
}

/** A window around `at`: mostly the cycles before the failure, and a few after it. */
export function failureWaves(path: string, at: number): WaveWindow {
  const from = Math.max(0, Math.round(at - (9 * waveCycles) / 10));
  return { path, from: cycles(from), to: cycles(from + waveCycles) };
}
