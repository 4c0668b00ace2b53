// SPDX-License-Identifier: Apache-2.0
// The sensitivity of a headline number: each assumed or calibrated constant is varied separately over
// its plausible range, the model runs again, and the constants are sorted by their effect.

import { present } from "../../base/present.ts";
import type { Paper } from "./fact.ts";
import type { Figure, Table } from "../../report/page.ts";
import { draw } from "./drawing.ts";
import { colours, withLegend } from "./chart.ts";
import type { Experiment } from "./experiment.ts";
import { between } from "./internal-check.ts";
import { hover } from "../../report/hover.ts";

/** A constant of a model, and the headline number as a function of it. */
export interface Constant {
  readonly name: string;
  readonly unit: string;
  readonly value: number;
  readonly range: readonly [low: number, high: number];
  /** The source of the range; it begins with "assumed" if no paper prints it. */
  readonly source: string;
  readonly run: (value: number) => number;
}

/** A number that the paper is cited for. */
export interface Headline {
  readonly id: string;
  readonly what: string;
  readonly unit: string;
  readonly published: number;
  /** The number of the figure. */
  readonly ours: number;
  readonly constants: readonly Constant[];
}

/** 25 % up or down, without a source. */
export function quarter(value: number): readonly [number, number] {
  return [0.75 * value, 1.25 * value];
}
export const assumedQuarter = "assumed: a quarter either way";

/** A constant after both ends of its range were run. */
export interface Swing {
  readonly headline: string;
  readonly constant: string;
  readonly unit: string;
  readonly value: number;
  readonly low: number;
  readonly high: number;
  readonly atLow: number;
  readonly atHigh: number;
  /** Distance of the least and the greatest of the two results and ours. */
  readonly swing: number;
  readonly source: string;
}

/** Every constant at both ends, by descending swing; constants with equal swings in the given order. */
export function swingsOf({ what, ours, constants }: Headline): readonly Swing[] {
  return constants
    .map(({ name, unit, value, range: [low, high], source, run }) => {
      const [atLow, atHigh] = [run(low), run(high)];
      const results = [atLow, atHigh, ours];
      const swing = Math.max(...results) - Math.min(...results);
      return {
        headline: what,
        constant: name,
        unit,
        value,
        low,
        high,
        atLow,
        atHigh,
        swing,
        source,
      };
    })
    .toSorted((a, b) => b.swing - a.swing);
}

function nameOf({ constant, unit, low, high }: Swing): string {
  const digits = (x: number): number => Number(x.toPrecision(3));
  return `${constant}, ${digits(low)} to ${digits(high)}${unit === "1" ? "" : ` ${unit}`}`;
}

const ends = ["at the low end", "at the high end"] as const;

/** A bar a constant from the one result to the other, about ours; the printed number is dashed. */
function tornado({ id, what, unit, published, ours }: Headline, swings: readonly Swing[]): Figure {
  const bars = swings.flatMap((one) =>
    ([one.atLow, one.atHigh] as const).map((x, i) => ({
      y: nameOf(one),
      x,
      end: present(ends[i]),
    })),
  );
  const longest = Math.max(...bars.map(({ y }) => y.length));
  const svg = (): string =>
    draw((Plot) => ({
      height: 70 + 26 * swings.length,
      marginLeft: 20 + 6.4 * longest,
      marginTop: 30,
      ...colours(ends),
      x: { label: `${what} (${unit})`, grid: true, nice: true },
      y: { label: null, domain: swings.map(nameOf) },
      marks: [
        Plot.barX(
          bars,
          hover({
            y: "y",
            x1: () => ours,
            x2: "x",
            fill: "end",
            insetTop: 4,
            insetBottom: 4,
          }),
        ),
        Plot.ruleX([ours]),
        Plot.ruleX([published], { strokeDasharray: "4 3" }),
        Plot.text([published], {
          x: [published],
          text: ["published"],
          frameAnchor: "top",
          dy: -12,
          fill: "currentColor",
        }),
      ],
    }));
  const digits = Number(ours.toPrecision(4));
  const caption = `${what}: ours ${digits} ${unit} with one constant at an end of its range and all others unchanged. Dashed: the published value (${published} ${unit}). The data of the figure have the source of each range.`;
  return withLegend({ id, caption }, ends, svg, {
    columns: columns(unit),
    rows: swings.map((one) => ({ ...one })),
  });
}

function columns(unit: string): Table["columns"] {
  return [
    { key: "constant", title: "constant" },
    { key: "unit", title: "its unit" },
    { key: "value", title: "value", source: "assumed" },
    { key: "low", title: "from", source: "assumed" },
    { key: "high", title: "to", source: "assumed" },
    { key: "atLow", title: "result at the low end", unit, source: "derived" },
    { key: "atHigh", title: "at the high end", unit, source: "derived" },
    { key: "swing", title: "swing", unit, source: "derived" },
    { key: "source", title: "source of the range" },
  ];
}

/** The charts of a paper's headline numbers. */
export function constantsExperiment(
  paper: Paper,
  headlines: () => readonly Headline[],
): Experiment {
  return {
    id: `${paper}/constants`,
    paper,
    title: "Sensitivity of the headline numbers to the constants",
    run: () => {
      const all = headlines().map((headline) => ({ headline, swings: swingsOf(headline) }));
      return {
        findings: [],
        // Checks that with the default value of every constant, the model reproduces the number of
        // the figure.
        checks: all.map(({ headline }) => {
          const middle = headline.constants.map(({ value, run }) => run(value) / headline.ours - 1);
          const farthest = Math.max(...middle.map(Math.abs));
          const what = `${headline.what}: no constant at its own value moves it`;
          return between(what, farthest, "1", [0, 1e-9]);
        }),
        blocks: all.map(({ headline, swings }) => tornado(headline, swings)),
        rows: all.flatMap(({ swings }) => swings.map((one) => ({ ...one }))),
        timeline: [],
      };
    },
  };
}
