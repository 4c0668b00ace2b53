// SPDX-License-Identifier: Apache-2.0
// A unit of a scenario, Verilated as a plug-in: the files of its directory, and files of the
// repository that it uses and does not replace.

import { join } from "node:path";
import { maxAlignedBits } from "../machine/resolve/geometry.ts";
import { customUnitSources, type CustomUnit } from "./custom-unit-choice.ts";
import type { SparfUnitParameters } from "../machine/csd/csd-machine.ts";
import type { CsdSession, OpenCsdSession } from "../machine/csd/csd-types.ts";
import type { NdpUnitParameters, OpenSession } from "../machine/types.ts";
import { inputError } from "../base/errors.ts";
import { openCsdSessionWith } from "./csd/csd-session.ts";
import { isForeign } from "./compile/foreign-sources.ts";
import { jobSlots, type JobSlots } from "./compile/job-slots.ts";
import { rtlSources } from "./compile/rtl-sources.ts";
import { probed } from "./probe.ts";
import { openSessionWith } from "./session.ts";
import { verilateUnit } from "./unit/verilate.ts";

/**
 * Path of the plug-in, built if the cache lacks it.
 * @throws NeardataError `tool-missing`, `build-failed`, `bad-input` where its ports break the rules
 */
export async function buildCustomUnit(
  customUnit: CustomUnit,
  unit: NdpUnitParameters | SparfUnitParameters,
  slots: JobSlots = jobSlots(),
): Promise<string> {
  return verilateUnit(
    {
      top: customUnit.top,
      parameters: rtlParametersOf(customUnit, unit),
      sources: sourcesOf(customUnit),
      includeDirectories: [customUnit.directory],
    },
    slots,
  );
}

/** Opens DIMMs whose RTL is such a unit. */
export function openSessionOn(customUnit: CustomUnit): OpenSession {
  return async (machine) =>
    openSessionWith(machine, await probed(await buildCustomUnit(customUnit, machine.unit)));
}

/** Opens storage devices whose RTL is such a unit. */
export function openCsdSessionOn(customUnit: CustomUnit, threads?: number): OpenCsdSession {
  return async (machine): Promise<CsdSession> =>
    openCsdSessionWith(
      machine,
      await probed(await buildCustomUnit(customUnit, machine.unit)),
      threads,
    );
}

/** A file of the directory replaces a file of the same name. */
function sourcesOf({ directory, uses }: CustomUnit): readonly string[] {
  const isFile = (name: string): boolean => name.endsWith(".sv");
  const files = customUnitSources(directory).map((name) => join(directory, name));
  const foreign = uses.filter(isForeign).map((name) => join(directory, name));
  const ours = uses.filter((name) => !isForeign(name));
  return [
    ...rtlSources(
      ours.filter((name) => !isFile(name)),
      ours.filter(isFile),
      files,
    ),
    ...foreign,
  ];
}

/** The unit's parameters by the names that they have in its RTL. */
export function rtlParametersOf(
  customUnit: CustomUnit,
  unit: NdpUnitParameters | SparfUnitParameters,
): Readonly<Record<string, number>> {
  const values: Readonly<Record<string, number | undefined>> = {
    ...unit,
    ...("bufferBytes" in unit
      ? {
          buffer: unit.bufferBytes,
          lowBitWeights: unit.lowBitWeights ?? 0,
          alignedBits: unit.alignedBits ?? maxAlignedBits,
          descriptors: unit.descriptors ?? 1,
        }
      : {}),
  };
  return Object.fromEntries(
    Object.entries(customUnit.parameters).map(([name, of]) => {
      const value = typeof of === "number" ? of : values[of];
      if (value !== undefined) return [name, value] as const;
      throw inputError(customUnit.name, `its machine has no parameter ${String(of)}.`);
    }),
  );
}
