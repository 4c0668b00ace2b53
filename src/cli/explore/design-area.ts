// SPDX-License-Identifier: Apache-2.0
// The designs of an exploration that can be built, and their areas: of an NDP unit in mm2, of a
// SparF engine as its largest share of a resource of a Zynq-7045.

import { checkScenario, resolveConfig, type Scenario } from "../../scenario/resolve.ts";
import { attentionMachine } from "../../kernels/csd/attention/attention-machine.ts";
import type { CsdMachine } from "../../machine/csd/csd-machine.ts";
import { transpositionWords } from "../../machine/memories/memory.ts";
import { inFile, inputError } from "../../base/errors.ts";
import type { DesignArea } from "../../explore/explore.ts";
import { legalOf } from "../../explore/legal.ts";
import { applySettings } from "../../explore/point.ts";
import type { Settings } from "../../explore/spec.ts";
import type { AreaReport } from "../../results/area-report.ts";
import { findFlow } from "../../tools/synth/slice.ts";
import { builtInLibrary, readLibrary } from "../../tools/synth/cells/liberty.ts";
import { measureArea } from "../../tools/synth/area.ts";
import { composeNdpArea } from "../../tools/synth/ndp-parts.ts";
import { recordedSlices } from "../../tools/synth/record.ts";
import { composeSparfArea } from "../../tools/synth/sparf-parts.ts";
import { zynq7045 } from "../../tools/synth/papers.ts";
import { floorOf } from "../../tools/area/summary.ts";
import type { Instance } from "../../machine/slices.ts";
import { distinctRemarks } from "../../run/remark.ts";

function scenarioOf(file: string, scenario: unknown, settings: Settings): Scenario {
  return resolveConfig(file, checkScenario(file, applySettings(scenario, settings))).scenario;
}

/**
 * Drops designs that break a rule of the hardware.
 * @throws NeardataError `bad-input` if no design is left, with the rules that the first one breaks
 */
export function buildable(
  file: string,
  scenario: unknown,
  designs: readonly Settings[],
): { readonly designs: readonly Settings[]; readonly refused: number } {
  scenarioOf(file, scenario, {});
  return legalOf(designs, (settings) => scenarioOf(file, scenario, settings));
}

export interface DesignAreas {
  /** Of the scenario's own design, then of each of the others. */
  readonly values: readonly DesignArea[];
  readonly unit: string;
  /** How they were measured. */
  readonly note: string;
}

export async function areasOf(
  unit: "ndp" | "csd",
  file: string,
  scenario: unknown,
  designs: readonly Settings[],
): Promise<DesignAreas> {
  const { customUnit, attention } = scenarioOf(file, scenario, {});
  const brought = unit === "ndp" ? customUnit : attention?.customUnit;
  if (brought !== undefined) {
    const message = `the area of ${brought.name} is not searched: designs are made of the paper's parts.`;
    const where = unit === "ndp" ? "unit.rtl" : "attention.unit.rtl";
    throw inFile(file, [{ where, message }]);
  }
  const measure = unit === "ndp" ? await ndpMeasure() : await csdMeasure();
  const values: DesignArea[] = [];
  const known = new Map<string, DesignArea>();
  for (const settings of [{}, ...designs]) {
    const { parameters, area: measured } = measure.of(scenarioOf(file, scenario, settings));
    const key = JSON.stringify(parameters);
    const area = known.get(key) ?? (await measured());
    known.set(key, area);
    values.push(area);
  }
  return { values, unit: measure.unit, note: measure.note };
}

/** How the area of a unit is measured; equal parameters have equal areas. */
interface Measure {
  readonly of: (scenario: Scenario) => {
    readonly parameters: object;
    readonly area: () => Promise<DesignArea>;
  };
  readonly unit: string;
  readonly note: string;
}

async function ndpMeasure(): Promise<Measure> {
  const flow = await findFlow(readLibrary(builtInLibrary()));
  const recorded = recordedSlices("ndp", flow);
  const saySlice = sayOnce();
  return {
    of: ({ unit }) => ({
      parameters: unit,
      area: async () => {
        const { total, band } = floorOf(await composeNdpArea(flow, unit, recorded, saySlice));
        return { area: total, band };
      },
    }),
    unit: "mm2",
    note:
      `Area is floor in ${flow.library?.name ?? ""}: datapath and memories of each design, control ` +
      "as in the unit of the paper's size; memories by their shape, from the least to the most that " +
      "their macros need.",
  };
}

async function csdMeasure(): Promise<Measure> {
  const flow = await findFlow(null);
  const saySlice = sayOnce();
  return {
    of: ({ attention }) => {
      const { unit, controller } = sparfMachineOf(attention);
      const { buffer: bytes } = controller.transposition;
      const buffer = bytes === null ? null : { Words: transpositionWords(bytes) };
      return {
        parameters: { unit, buffer },
        area: async () => {
          const parts = [await composeSparfArea(flow, unit, saySlice)];
          if (buffer) parts.push(await measureArea(flow, "transposition", buffer, saySlice));
          return { area: shareOfZynq(parts), band: null };
        },
      };
    },
    unit: "% of a Zynq-7045",
    note:
      "Area is that of the attention engine: the largest share that it takes of look-up tables, " +
      "flip-flops, block RAMs or multipliers of a Zynq-7045, its transposition buffer among them. Flash " +
      "dies are no part of it.",
  };
}

/** The engine that a scenario's attention runs on, on the first of its flash parts. */
function sparfMachineOf(attention: Scenario["attention"]): CsdMachine {
  const [preset] = attention?.flash ?? [];
  const source = attention?.source;
  if (attention === null || preset === undefined || source?.kind !== "hta1") {
    throw inputError("scenario", "unit: csd explores attention on generated heads.");
  }
  const shape = { width: source.width, length: attention.length ?? 1 };
  return attentionMachine(attention, shape, preset, 1);
}

/** The largest share of a resource that the parts take together, %. */
function shareOfZynq(parts: readonly AreaReport[]): number {
  const names = ["lut", "ff", "bram36", "dsp"] as const;
  const used = (name: (typeof names)[number]): number =>
    parts.reduce((total, { sum }) => total + sum[name], 0);
  return 100 * Math.max(...names.map((name) => used(name) / zynq7045[name]));
}

/** Reports which slices are looked up or synthesized; designs share most of them. */
function sayOnce(): (slice: Instance) => void {
  const say = distinctRemarks();
  return ({ module, parameters }) => {
    say(`slice ${module} ${JSON.stringify(parameters)}`);
  };
}
