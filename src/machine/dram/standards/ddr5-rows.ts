// SPDX-License-Identifier: Apache-2.0
// DDR5's constraints between the commands of the controller, for the edges of DDR5.

import type { TimingName } from "../timing.ts";
import { dataBusConstraints } from "./controller-rows.ts";
import { channelConstraints } from "./controller.ts";
import { ddr5 } from "./ddr5.ts";
import type { Constraint } from "./table.ts";

/** Commands of the controller. It closes rows with PRE, so it issues no RDA and no WRA. */
export const controllerCommands = [
  "ACT",
  "PRE",
  "PREA",
  "RD",
  "WR",
  "REFab",
  "PREsb",
  "REFsb",
] as const;
export type ControllerCommand = (typeof controllerCommands)[number];

type Ddr5Constraint = Constraint<TimingName>;

const constraintsOfDataBus = dataBusConstraints(ddr5.dataBus);

/** Every constraint of JESD79-5, and those of the data bus. */
export const ddr5Constraints: readonly Ddr5Constraint[] = channelConstraints(ddr5);

/** Constraints that follow from the bursts on the data bus. */
export const ddr5DataBus: readonly Ddr5Constraint[] = ddr5Constraints.slice(
  -constraintsOfDataBus.length,
);
