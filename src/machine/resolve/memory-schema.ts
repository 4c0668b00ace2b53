// SPDX-License-Identifier: Apache-2.0
// The keys of a scenario for the memory of an NDP DIMM.

import { positiveCount } from "../../base/limits.ts";
import { z } from "zod";

import type { DeepReadonly } from "../../base/deep-readonly.ts";
import { defaultMemory, defaultSystem } from "./systems.ts";
import { memoryBackends } from "../dram/backends.ts";
import { currentsSchema } from "../dram/currents-config.ts";
import { managementSchema } from "../dram/management-config.ts";
import { dramPreset } from "../dram/presets.ts";
import { refreshRates } from "../dram/refresh-rate.ts";
import { refreshCommandOf } from "../dram/standards/controller.ts";
import { memoryStandard, standardNames } from "../dram/standards/standards.ts";
import { semanticsNames } from "../dram/semantics.ts";
import {
  minTiming,
  mostOfTiming,
  maxQueueEntries,
  timingMeanings,
  timingNames,
  type TimingName,
} from "../dram/timing.ts";

/** Standards without a refresh of one bank. */
const withoutPerBank = standardNames.filter((name) => {
  const standard = memoryStandard(name);
  return standard !== undefined && refreshCommandOf(standard, "PerBank") === undefined;
});

const { refresh, refreshPhase, refreshStart, backend, semantics } = defaultMemory;

const { timing: exampleTiming } = dramPreset(defaultSystem.dram, "");

const timing = (name: TimingName): z.ZodOptional<z.ZodInt> =>
  z
    .int()
    .min(minTiming)
    .max(mostOfTiming(name))
    .optional()
    .meta({
      meaning: `${timingMeanings[name]}; cycles`,
      otherwise: "from the preset",
      example: exampleTiming[name],
    });

/** The schema of a scenario's `memory`. */
export const memorySchema = z
  .strictObject({
    standard: z.enum(standardNames).optional().meta({
      meaning:
        "memory standard. Behind each stream of the unit is one channel of the standard, or one pseudo-channel of HBM. In a memory of another standard than DDR5, inputs and outputs are in place (`host.jobs: there`), and the results have energy only if currents are known (`memory.currents`)",
      default: "DDR5",
      example: "HBM3",
    }),
    preset: z.string().optional().meta({
      meaning:
        "DDR5: `TriMoE`, the DDR5-4800 of the paper, or a speed bin. A density and a device width may follow the speed bin, as in `DDR5-5600B 24Gb x8` (default `16Gb x4`). Other standards: a preset of the standard, as in `neardata dram check --preset`",
      default: defaultSystem.dram,
      otherwise: "`TriMoE` with DDR5, else the default preset of the standard",
      example: "DDR5-4800AN",
    }),
    refresh: z
      .enum(["AllBank", "SameBank", "PerBank", "None"])
      .optional()
      .meta({
        meaning: `refresh command. \`AllBank\` (REFab): all banks of a rank; \`SameBank\` (REFsb, DDR5 only): one bank of each bank group, in fine granularity refresh (half of the rows, twice as often); \`PerBank\` (REFpb, not with ${withoutPerBank.join(", ")}): one bank; \`None\`: no refresh`,
        default: refresh,
      }),
    refreshRate: z.literal(refreshRates).optional().meta({
      meaning:
        "number of refreshes in the interval that has one refresh at a normal temperature. 2 is the rate of DDR3, DDR4 and DDR5 above 85 C. LPDDR5 devices request a rate from 0.125 to 4",
      default: 1,
      example: 2,
    }),
    refreshManagement: managementSchema.optional().meta({
      meaning:
        "refresh management of DDR5 and HBM3 with the semantics `jedec`: the controllers count the activations of each bank (RAA) and issue RFMs, which take as long as refreshes of the same banks. The counts belong to the rank, whether the host or the NDP unit uses it. `analytic` has no RFMs",
      otherwise: "no RFMs",
    }),
    refreshPhase: z.enum(["together", "staggered"]).optional().meta({
      meaning:
        "start times of refreshes. `together`: all eight rank-sub-channels refresh in the same cycle, with eight times the refresh current (IDD5B); `staggered`: one rank-sub-channel after another, at equal distances in the refresh interval. The backend ramulator2 always uses `together`",
      default: refreshPhase,
    }),
    commandBus: z.enum(["private", "shared"]).optional().meta({
      meaning:
        "command buses in NDP mode: one per rank, or one per sub-channel, which its ranks share; data buses are always per rank",
      default: "private",
    }),
    refreshStart: z.number().min(0).lt(1).optional().meta({
      meaning:
        "phase of the refresh of the first rank-sub-channel at the start of a run, as a share of the refresh interval",
      default: refreshStart,
      example: 0.5,
    }),
    refreshStarts: positiveCount.max(1000).optional().meta({
      meaning:
        "number of start phases, at equal distances in the refresh interval; the results have mean and range of the unit cycles",
      default: 1,
      example: 16,
    }),
    backend: z.enum(memoryBackends).optional().meta({
      meaning:
        "model of the memory. `native`: the model of neardata; `ramulator2`: an installed Ramulator 2",
      default: backend,
    }),
    semantics: z.enum(semanticsNames).optional().meta({
      meaning: "timing rules: of JEDEC, or of Ramulator 2.0 with its differences",
      default: semantics,
    }),
    queueEntries: positiveCount.max(maxQueueEntries).optional().meta({
      meaning: "entries of the request queue of a sub-channel",
      default: defaultSystem.queueEntries,
    }),
    eccDevices: z.boolean().optional().meta({
      meaning:
        "energy only: `true` adds ECC devices on 8 data pins to the 32 data pins of a sub-channel",
      default: true,
      example: false,
    }),
    powerDown: z.boolean().optional().meta({
      meaning:
        "energy only: `true` assumes that a rank without a burst or a refresh is in power-down and that entry and exit need no time (an upper bound of the saving)",
      default: false,
    }),
    currents: currentsSchema.optional().meta({
      meaning: "energy only: supply voltages and currents of one device, from its data sheet",
      otherwise:
        "of DDR5: Micron's 16 Gb die A; of the presets DDR4-2400 and DDR3-1600: those of the preset; else none, and the results have no energy",
    }),
    timing: z
      .strictObject(
        Object.fromEntries(timingNames.map((name) => [name, timing(name)])) as Record<
          TimingName,
          ReturnType<typeof timing>
        >,
      )
      .optional()
      .meta({
        meaning:
          "timings in place of those of the preset, in cycles of the memory clock; with DDR5 only",
        otherwise: "from the preset",
      }),
  })
  .meta({ meaning: "changes to the memory of the system", otherwise: "from `system`" });

/** The memory of a scenario. */
export type MemoryContent = DeepReadonly<z.output<typeof memorySchema>>;
