// SPDX-License-Identifier: Apache-2.0
// Figure 6 as a surface: the gain of a layer over two parameters that the paper leaves open, the share of experts that
// the predictor places right and the number of tokens of a cold expert. The paper prints a range of gains and a bound
// of the accuracy.

import { present } from "../../../base/present.ts";
import { modelShape } from "../../../workload/shapes.ts";
import type { Figure, Table } from "../../../report/page.ts";
import { surface, type SurfacePoint } from "../../experiment/chart-map.ts";
import { verdictOf } from "../../experiment/finding.ts";
import { layerGain } from "../constants/published.ts";
import { gainOver, strictBaselines } from "./end-to-end.ts";
import { models } from "./layer.ts";
import { publishedAccuracy, setting } from "./setting.ts";
import { study, type LayerStudy } from "./run.ts";

/** Steps behind the training of each point: two hundred points are planned. */
const steps = 16;
const limits = [4, 6, 8, 10, 12, 14, 16, 20, 24, 32] as const;

/** A row of the surface: how experts are placed. */
interface Placement {
  readonly title: string;
  readonly options: Pick<LayerStudy, "accuracy" | "oracle">;
  /** Whether the paper's bound, above 78 %, allows it. */
  readonly allowed: boolean;
}

const percent = (share: number): string => `${Math.round(100 * share)} %`;

const placements: readonly Placement[] = [
  ...[0.7, 0.74, publishedAccuracy, 0.8, 0.83, 0.86].map((accuracy) => ({
    title: accuracy === publishedAccuracy ? `${percent(accuracy)}, printed` : percent(accuracy),
    options: { accuracy },
    allowed: accuracy >= publishedAccuracy,
  })),
  { title: "perfect", options: { accuracy: publishedAccuracy, oracle: true }, allowed: true },
];

interface Point {
  readonly placement: Placement;
  readonly limit: number;
  readonly gain: number;
  readonly mark: SurfacePoint["mark"];
}

/** Whether the paper prints this gain, and whether its bound of the accuracy holds there, too. */
function markOf(gain: number, { allowed }: Placement): SurfacePoint["mark"] {
  if (verdictOf(layerGain, gain) !== "within") return "none";
  return allowed ? "claimed" : "half";
}

/** The meaning of the frames that the surface has. */
function framesText(points: readonly Point[]): string {
  const has = (mark: Point["mark"]): boolean => points.some((point) => point.mark === mark);
  return [
    has("claimed")
      ? `A frame marks gains in the published range, ${layerGain}.`
      : `No gain is in the published range, ${layerGain}, at an accuracy that the paper allows.`,
    ...(has("half")
      ? [
          `A dashed frame marks such gains below the published accuracy, above ${percent(publishedAccuracy)}.`,
        ]
      : []),
  ].join(" ");
}

/** Mean of the models' gains over the best baseline at a batch, for every placement and limit. */
export function gainSurface(batch: number): readonly (Figure | Table)[] {
  const rows = placements.map((placement) => {
    const of = models.map((model) => rowOf(model, batch, placement));
    const mean = (f: (row: (typeof of)[number]) => number): number =>
      of.reduce((sum, row) => sum + f(row), 0) / of.length;
    const points = limits.map((limit, i): Point => {
      const gain = mean(({ gains }) => present(gains[i]));
      return { placement, limit, gain, mark: markOf(gain, placement) };
    });
    return { placement, of, points, balanced: mean(({ balanced }) => balanced) };
  });
  const all = rows.flatMap(({ points }) => points);
  return [
    surface(
      {
        id: "figure-6-surface",
        caption: `Gain over the best baseline at batch ${batch}, mean of the models, by accuracy of the predictor and most tokens of a cold expert. ${framesText(all)}`,
        xTitle: "most tokens of a cold expert",
        yTitle: "accuracy of the predictor",
        unit: "x",
        valueTitle: "gain",
      },
      all.map(({ placement, limit, gain, mark }) => ({
        x: limit,
        y: placement.title,
        value: gain,
        mark,
      })),
    ),
    {
      kind: "table",
      id: "figure-6-balanced",
      caption: `The limit that balance chooses, and its gain over the best baseline at batch ${batch}. Training steps choose the limit; no printed number does.`,
      columns: [
        { key: "placement", title: "accuracy" },
        { key: "mean", title: "mean gain", unit: "x", source: "derived", digits: 3 },
        ...models.flatMap((model) => [
          { key: `limit-${model}`, title: `${titleOf(model)}, limit`, source: "derived" as const },
          {
            ...({ key: `gain-${model}`, unit: "x", source: "derived", digits: 3 } as const),
            title: `${titleOf(model)}, gain`,
          },
        ]),
      ],
      rows: rows.map(({ placement, of, balanced }) => ({
        placement: placement.title,
        mean: balanced,
        ...Object.fromEntries(
          of.flatMap(({ model, limit, balanced: gain }) => [
            [`limit-${model}`, limit],
            [`gain-${model}`, gain],
          ]),
        ),
      })),
    },
  ];
}

function titleOf(model: string): string {
  return modelShape(model, "figure 6").title;
}

/** Gains of one model with one placement: with each limit, and with the balanced one. */
function rowOf(
  model: string,
  batch: number,
  { options }: Placement,
): {
  readonly model: string;
  readonly gains: readonly number[];
  readonly limit: number;
  readonly balanced: number;
} {
  const what = { ...setting, model, batch, relayout: true, steps, ...options };
  const all = study(what, [...strictBaselines, "TriMoE"]);
  const times = new Map([...all].map(([name, { time }]) => [name, time]));
  const gains = limits.map((cold) => {
    const studyResult = study({ ...what, cold }, ["TriMoE"]).get("TriMoE");
    const others =
      studyResult === undefined ? times : new Map(times).set("TriMoE", studyResult.time);
    return gainOver(others, strictBaselines);
  });
  return {
    model,
    gains,
    limit: present(all.get("TriMoE")?.cold),
    balanced: gainOver(times, strictBaselines),
  };
}
