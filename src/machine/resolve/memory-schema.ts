// SPDX-License-Identifier: Apache-2.0
// What a scenario may say about the memory of an NDP DIMM.

import { positiveCount } from "../../base/limits.ts";
import { z } from "zod";

import type { DeepReadonly } from "../../base/deep-readonly.ts";
import { usualMemory, usualSystem } from "./systems.ts";
import { memoryBackends } from "../dram/backends.ts";
import { semanticsNames } from "../dram/semantics.ts";
import {
  leastTiming,
  mostOfTiming,
  mostQueueEntries,
  timingMeanings,
  timingNames,
  type TimingName,
} from "../dram/timing.ts";

const { refresh, refreshPhase, refreshStart, backend, semantics } = usualMemory;

const timing = (name: TimingName): z.ZodOptional<z.ZodInt> =>
  z
    .int()
    .min(leastTiming)
    .max(mostOfTiming(name))
    .optional()
    .meta({
      meaning: `${timingMeanings[name]}; cycles`,
      otherwise: "the preset's",
      example: name === "nREFI" ? 9360 : 40,
    });

/** The schema of a scenario's `memory`. */
export const memorySchema = z
  .strictObject({
    preset: z.string().optional().meta({
      meaning:
        "DDR5 by its speed bin; a density and a width may follow, as in `DDR5-5600B 24Gb x8` (`16Gb x4`)",
      default: usualSystem.dram,
      example: "DDR5-4800AN",
    }),
    refresh: z
      .enum(["AllBank", "SameBank", "None"])
      .optional()
      .meta({
        meaning:
          "a rank whole (what DDR5 does after reset), one bank of each of its groups at " +
          "a time (fine granularity: half of the rows, twice as often), or not at all",
        default: refresh,
      }),
    refreshPhase: z
      .enum(["together", "staggered"])
      .optional()
      .meta({
        meaning:
          "ranks side by side in one cycle, or one after another, as all at once draw " +
          "eight times the refresh current (IDD5B) of one; the model of ramulator2 has together",
        default: refreshPhase,
      }),
    commandBus: z
      .enum(["private", "shared"])
      .optional()
      .meta({
        meaning:
          "in NDP mode, of each rank, or of the ranks of a sub-channel, which then send commands in turns; " +
          "data buses are of each rank either way",
        default: "private",
      }),
    refreshStart: z.number().min(0).lt(1).optional().meta({
      meaning: "share of the interval since the first rank's last refresh when a run begins",
      default: refreshStart,
      example: 0.5,
    }),
    refreshStarts: positiveCount.max(1000).optional().meta({
      meaning:
        "so many begins, equally far apart in the interval: mean and range of unit cycles over them",
      default: 1,
      example: 16,
    }),
    backend: z.enum(memoryBackends).optional().meta({
      meaning: "whose DDR5 model: ours, or an installed Ramulator 2.0",
      default: backend,
    }),
    semantics: z.enum(semanticsNames).optional().meta({
      meaning: "JEDEC's rules, or Ramulator 2.0's with its departures",
      default: semantics,
    }),
    queueEntries: positiveCount.max(mostQueueEntries).optional().meta({
      meaning: "requests that a sub-channel's queue admits",
      default: usualSystem.queueEntries,
    }),
    eccDevices: z.boolean().optional().meta({
      meaning:
        "in the energy, a sub-channel has devices for ECC on 8 pins beside those of its 32; times do not change",
      default: true,
      example: false,
    }),
    powerDown: z.boolean().optional().meta({
      meaning:
        "in the energy, ranks without a burst or a refresh are in power-down, entered and left at no time: the most that it can save; times do not change",
      default: false,
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
        meaning: "timings that differ from the preset's, in cycles of the memory clock",
        otherwise: "the preset's",
      }),
  })
  .meta({ meaning: "what differs from the system's memory", otherwise: "the system's" });

/** What a scenario has of it. */
export type MemoryContent = DeepReadonly<z.output<typeof memorySchema>>;
