// SPDX-License-Identifier: Apache-2.0
// Redundant fields of a replay config: a number that follows from others must agree with them.

import type { Issue } from "../../base/errors.ts";
import type { DramReplayConfig } from "./replay-config.ts";
import { cyclePicoseconds } from "../../machine/dram/timing.ts";

/** The keys of a document that follow from others. */
export interface ExpectedFacts {
  readonly tCK_ps?: number | undefined;
  readonly read_latency?: number | undefined;
  readonly organization?:
    | {
        readonly device_width?: number | undefined;
        readonly device_density_Mb?: number | undefined;
        readonly device_columns?: number | undefined;
        readonly column_addresses_per_row?: number | undefined;
        readonly bytes_per_access?: number | undefined;
      }
    | undefined;
}

/** Data pins that a DDR5 device may have (JESD79-5). */
const deviceWidths = [4, 8, 16];
const mebi = 2 ** 20;

/** Every number that does not agree with the config. */
export function expectationIssues(
  expectedFacts: ExpectedFacts,
  config: DramReplayConfig,
): readonly Issue[] {
  const { organization: o, timing } = config;
  const { device_width: width, ...organization } = expectedFacts.organization ?? {};
  const perDevice = (bits: number): number =>
    (o.bankGroups * o.banksPerGroup * o.rows * o.columnsPerRow * o.burstLength * bits) / mebi;
  return [
    ...agree("tCK_ps", Math.floor(expectedFacts.tCK_ps ?? 0), expectedFacts.tCK_ps, [
      cyclePicoseconds(config.megatransfersPerSecond),
      `floor of 2 / (${String(config.megatransfersPerSecond)} MT/s)`,
    ]),
    ...agree("read_latency", expectedFacts.read_latency, expectedFacts.read_latency, [
      timing.nCL + timing.nBL,
      "nCL + nBL",
    ]),
    ...agree(
      "organization.bytes_per_access",
      organization.bytes_per_access,
      organization.bytes_per_access,
      [(o.channelBits / 8) * o.burstLength, "channel_width_bits / 8 * prefetch"],
    ),
    ...agree(
      "organization.device_columns",
      organization.column_addresses_per_row === undefined ? undefined : organization.device_columns,
      organization.device_columns,
      [o.columnsPerRow * o.burstLength, "column_addresses_per_row * prefetch"],
    ),
    ...(width === undefined || deviceWidths.includes(width)
      ? []
      : [
          {
            where: "organization.device_width",
            message: `${String(width)} is none of 4, 8 and 16.`,
          },
        ]),
    ...(width === undefined || !deviceWidths.includes(width)
      ? []
      : agree(
          "organization.device_density_Mb",
          organization.device_density_Mb,
          organization.device_density_Mb,
          [perDevice(width), "banks * rows * columns * device_width"],
        )),
  ];
}

function agree(
  where: string,
  value: number | undefined,
  given: number | undefined,
  [wanted, rule]: readonly [wanted: number, rule: string],
): readonly Issue[] {
  if (value === undefined || given === undefined || value === wanted) return [];
  const message = `is ${String(given)}, but the other numbers make it ${String(wanted)} (${rule}).`;
  return [{ where, message }];
}
