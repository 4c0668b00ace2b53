// SPDX-License-Identifier: Apache-2.0
// The loss of accuracy of an NDP unit for less area and energy, with fewer bits of a product
// (`AlignedBits`): the error of an expert's outputs by the golden model, which the RTL equals bit for
// bit, and the energy of a product by the netlists.

import * as Plot from "@observablehq/plot";

import { maxAlignedBits } from "../../machine/resolve/geometry.ts";
import type { FloatFormat } from "../../golden/activation.ts";
import { goldenExpert } from "../../golden/expert.ts";
import { toBits, valuesOf } from "../../golden/float16.ts";
import { differentBits, distance, referenceExpert } from "../../golden/reference.ts";
import { readLibrary, builtInLibrary } from "../synth/cells/liberty.ts";
import { ndpEnergy } from "../synth/energy.ts";
import type { Flow } from "../synth/slice.ts";
import type { Parameters } from "../../machine/slices.ts";
import type { ExpertWeights } from "../../workload/expert.ts";
import { generateExpert, generateInputs } from "../../workload/generate.ts";
import { randomStream } from "../../base/random.ts";
import { present } from "../../base/present.ts";
import { hover } from "../../report/hover.ts";
import type { Figure } from "../../report/page.ts";
import { drawPlot } from "../../report/plot.ts";
import { seriesColours } from "../../report/plot-text.ts";
import { floatFormats } from "../../golden/names.ts";

/** An expert of DeepSeek-V2 with normally distributed weights and inputs. */
const judged = { hidden: 5120, intermediate: 1536, tokens: 4 } as const;
/** In a test with outliers, one weight in `outlierEvery` is multiplied by one of these factors. */
const outlierEvery = 1000;
const outlierFactors = [16, 32, 64] as const;
/** Pixels from a point to its label, and of labels and of all points together. */
const labelSides = [13, -12, 26, -25] as const;
const labelSize = { width: 20, height: 13 } as const;
const drawn = { width: 780, height: 240 } as const;
/** Multipliers of a stream, their lanes and the streams that the energies are those of. */
const array = { mults: 32, lanes: 8, streams: 8 } as const;

export interface Loss {
  /** Relative L2 of the outputs against float64. */
  readonly error: number;
  /** Share of the outputs whose bits differ from those of a unit with 44 bits per product. */
  readonly different: number;
}

export interface Precision {
  readonly format: FloatFormat;
  readonly normal: Loss;
  /** With a few large weights, which leave the products in their block fewer bits. */
  readonly outliers: Loss;
  /** Picojoules per product, including its share of the row sum. */
  readonly picojoules: number;
}

/** Measures designs; results that all of them share are computed once. */
export function precisionMeter(
  flow: Flow,
): (parameters: Parameters) => Promise<readonly Precision[]> {
  const judges = floatFormats.map((format) => {
    const { hidden, intermediate, tokens } = judged;
    const weights = generateExpert({ seed: 1, name: "expert", format, hidden, intermediate });
    const inputs = generateInputs(1, format, tokens, hidden);
    return {
      format,
      normal: lossOf(weights, inputs),
      outliers: lossOf(withOutliers(weights), inputs),
    };
  });
  const library = readLibrary(builtInLibrary());
  return async (parameters) => {
    const energy = await ndpEnergy({ ...flow, library }, library, parameters);
    const joules = (id: string): number =>
      present(energy.operations.find((operation) => operation.id === id)?.joules);
    const { mults, lanes, streams } = array;
    const shared = joules("tree") / (mults * lanes) + joules("root") / (mults * lanes * streams);
    const bits = parameters["AlignedBits"] ?? maxAlignedBits;
    return judges.map(({ format, normal, outliers }) => {
      const product = joules(format === "fp16" ? "multiply" : "multiply bf16");
      return {
        format,
        normal: normal(bits),
        outliers: outliers(bits),
        picojoules: 1e12 * (product + shared),
      };
    });
  };
}

/** Error of an expert's outputs, by the number of bits of a product. */
function lossOf(weights: ExpertWeights, inputs: Uint16Array): (alignedBits: number) => Loss {
  const { format, hidden, intermediate } = weights;
  const values = (bits: Uint16Array): Float32Array => valuesOf(format, bits);
  const { gate, up, down } = weights;
  const real = { hidden, intermediate, gate: values(gate), up: values(up), down: values(down) };
  const reference = referenceExpert(real, Float64Array.from(values(inputs)), "silu");
  const outputs = (alignedBits: number): Uint16Array =>
    goldenExpert(weights, inputs, "silu", array.mults * array.lanes, alignedBits);
  const all = outputs(maxAlignedBits);
  return (alignedBits) => {
    const actual = outputs(alignedBits);
    const { relativeL2 } = distance(Float64Array.from(values(actual)), reference);
    return { error: relativeL2, different: differentBits(actual, all) / all.length };
  };
}

/** The same weights with outliers at random positions. */
function withOutliers(weights: ExpertWeights): ExpertWeights {
  const { name, format, hidden, intermediate } = weights;
  const enlarged = (which: "gate" | "up" | "down"): Uint16Array => {
    const { bits } = randomStream(1, `outliers.${which}`);
    return weights[which].map((weight, i) => {
      const word = bits(i);
      if (word % outlierEvery !== 0) return weight;
      const factor = outlierFactors[(word >>> 16) % outlierFactors.length] ?? 1;
      return toBits(format, factor * present(valuesOf(format, Uint16Array.of(weight))[0]));
    });
  };
  return {
    name,
    format,
    hidden,
    intermediate,
    gate: enlarged("gate"),
    up: enlarged("up"),
    down: enlarged("down"),
  };
}

/** A design of a sweep over the bits of a product. */
export interface PrecisionRow extends Precision {
  readonly alignedBits: number;
  /** mm2 of floor. */
  readonly area: number;
}

interface PlottedPrecision {
  readonly alignedBits: number;
  readonly format: FloatFormat;
  readonly area: number;
  readonly picojoules: number;
  readonly error: number;
}

/**
 * The bits at each point without outliers, unless another label is there; below the point if there
 * is space.
 */
function labels(
  rows: readonly PlottedPrecision[],
  x: "area" | "picojoules",
): readonly Plot.Markish[] {
  const across = pixelsOf(
    rows.map((row) => row[x]),
    drawn.width,
  );
  const down = pixelsOf(
    rows.map((row) => -Math.log(row.error)),
    drawn.height,
  );
  const taken: { readonly x: number; readonly y: number }[] = [];
  const sides = rows.map((_, i) => {
    const at = (side: number) => ({ x: present(across[i]), y: present(down[i]) + side });
    const isFree = (side: number): boolean =>
      taken.every(
        (label) =>
          Math.abs(label.x - at(side).x) > labelSize.width ||
          Math.abs(label.y - at(side).y) > labelSize.height,
      );
    const chosen = labelSides.find(isFree) ?? labelSides[0];
    taken.push(at(chosen));
    return chosen;
  });
  return labelSides.map((side) =>
    Plot.text(
      rows.filter((_, i) => sides[i] === side),
      { x, y: "error", text: "alignedBits", dy: side, fill: "currentColor" },
    ),
  );
}

/** Positions of values on an axis of so many pixels. */
function pixelsOf(values: readonly number[], length: number): readonly number[] {
  const [least, most] = [Math.min(...values), Math.max(...values)];
  return values.map((value) => (length * (value - least)) / (most - least || 1));
}

/** The error over area, or over energy; two lines a format. */
export function precisionFigure(over: "area" | "energy", rows: readonly PrecisionRow[]): Figure {
  const x = over === "area" ? "area" : "picojoules";
  const label = over === "area" ? "floor (mm2)" : "energy of a product (pJ)";
  const ordered = [...rows]
    .sort((a, b) => a.alignedBits - b.alignedBits)
    .map(({ alignedBits, format, area, picojoules, normal, outliers }) => ({
      alignedBits,
      format,
      area,
      picojoules,
      error: normal.error,
      different: normal.different,
      outlierError: outliers.error,
      outlierDifferent: outliers.different,
    }));
  const line = (y: string, strokeDasharray = "none"): readonly Plot.Markish[] => [
    Plot.line(ordered, { x, y, z: "format", stroke: "format", strokeDasharray }),
    Plot.dot(ordered, hover({ x, y, fill: "format", r: 4 })),
  ];
  const svg = drawPlot({
    height: 340,
    marginLeft: 72,
    inset: 14,
    x: { label, grid: true },
    y: {
      label: "relative L2 error of the outputs",
      type: "log",
      grid: true,
      tickFormat: (error: number) => error.toExponential(0),
    },
    color: { domain: [...floatFormats], range: [seriesColours[0], seriesColours[1]] },
    marks: [...line("error"), ...line("outlierError", "4 3"), ...labels(ordered, x)],
  });
  return {
    kind: "figure",
    id: `precision-${over}`,
    caption:
      "Bits that a product keeps at the scale of its block (numbers at the points; 22 are the product's own) " +
      `against the ${over === "area" ? "area of the unit" : "energy of a product"} and the error of the outputs, ` +
      `an expert of DeepSeek-V2, ${String(judged.tokens)} tokens, against float64. FP16 blue, BF16 orange; ` +
      `dashed, of its normally distributed weights one in ${String(outlierEvery)} is ` +
      `${outlierFactors.join(", ")} times as large.`,
    svg,
    data: {
      columns: [
        { key: "alignedBits", title: "bits of a product" },
        { key: "format", title: "format" },
        { key: "area", title: "area", unit: "mm2", source: "measured" },
        { key: "picojoules", title: "energy of a product", unit: "pJ", source: "measured" },
        { key: "error", title: "relative L2 error", source: "measured" },
        { key: "different", title: "outputs that differ from 44 bits", source: "measured" },
        { key: "outlierError", title: "error with outliers", source: "measured" },
        {
          key: "outlierDifferent",
          title: "outputs that differ, with outliers",
          source: "measured",
        },
      ],
      rows: ordered,
    },
  };
}
