// SPDX-License-Identifier: Apache-2.0
// Refresh at other temperatures: the average intervals between refreshes, divided by a factor. DDR3, DDR4 and DDR5
// refresh twice as often above 85 degrees Celsius (JESD79-3, JESD79-4, JESD79-5). An LPDDR5 device asks for 0.125 to 4
// times the usual rate in mode register 4 (JESD209-5).

import type { MemoryStandard } from "./standards/table.ts";

/** Refreshes in the time of one at a normal temperature. */
export const refreshRates = [0.125, 0.25, 0.5, 1, 2, 4] as const;
type RefreshRate = (typeof refreshRates)[number];

/** The timings in cycles with every interval between refreshes divided by `rate`, rounded down. */
export function atRefreshRate<Timing extends Readonly<Record<string, number>>>(
  { refresh, ramulator21 }: Pick<MemoryStandard, "refresh" | "ramulator21">,
  timing: Timing,
  rate: RefreshRate = 1,
): Timing {
  const names = [refresh.interval, refresh.perBank?.interval, ramulator21?.perBankInterval];
  const intervals = Object.entries(timing)
    .filter(([name]) => names.includes(name))
    .map(([name, value]) => [name, Math.floor(value / rate)] as const);
  return { ...timing, ...Object.fromEntries(intervals) };
}
