// SPDX-License-Identifier: Apache-2.0
// Coverage points summarised for a reader: the share of each file that ran, the lines that never ran, and which of
// those have a waiver.

import { isOfBits, quietBits, type QuietBits } from "./bits.ts";
import { merged, type CoveragePoint, type PointKind } from "./points.ts";
import { waiverOf, type Waiver } from "./waivers.ts";

/** Reached points and all points of one kind. */
export interface Share {
  readonly seen: number;
  readonly all: number;
}

export interface FileCoverage {
  readonly file: string;
  readonly shares: Readonly<Record<PointKind, Share>>;
}

/** A place that no test reached. */
export interface Miss {
  readonly point: CoveragePoint;
  /** The line as it is written, without indentation. */
  readonly source: string;
  /** Null without a waiver. */
  readonly reason: string | null;
}

/** A module with one set of parameters, of a file that is built with several. */
export interface VariantCoverage extends FileCoverage {
  readonly variant: string;
}

export interface Coverage {
  readonly files: readonly FileCoverage[];
  readonly variants: readonly VariantCoverage[];
  readonly total: Readonly<Record<PointKind, Share>>;
  /** Lines and cover points that were never reached. */
  readonly misses: readonly Miss[];
  /** Bits that never toggled, by signal; those without a reason are reported as open and are not a failure. */
  readonly quiet: readonly QuietBits[];
  readonly covers: readonly CoveragePoint[];
  /** Waivers that match no point. */
  readonly stale: readonly Waiver[];
}

/** Reads a line of a source file, from 1. */
export type SourceLine = (file: string, line: number) => string;

/** Only hardware counts; modules of testbench/ are excluded. */
export function summarise(
  points: readonly CoveragePoint[],
  waivers: readonly Waiver[],
  sourceLine: SourceLine,
): Coverage {
  const counted = points.filter((p) => p.file.startsWith("rtl/") || p.kind === "cover");
  const units = merged(counted);
  const judged = [...linePoints(units), ...units.filter((p) => p.kind !== "line")];
  const used = new Set<Waiver>();
  const ofPlaces = waivers.filter((waiver) => !isOfBits(waiver));
  const quiet = quietBits(units, waivers, (waiver) => used.add(waiver));
  const misses = judged
    .filter((p) => p.count === 0 && (p.kind === "line" || p.kind === "cover"))
    .map((point): Miss => {
      const source = sourceLine(point.file, point.line).trim();
      const waiver = waiverOf(ofPlaces, point, source);
      if (waiver !== undefined) used.add(waiver);
      return { point, source, reason: waiver?.reason ?? null };
    });
  const names = [...new Set(judged.map((p) => p.file))].sort();
  return {
    files: names.map((file) => ({
      file,
      shares: sharesOf(judged.filter((p) => p.file === file)),
    })),
    variants: variantsOf(counted),
    total: sharesOf(judged),
    misses,
    quiet,
    covers: judged.filter((p) => p.kind === "cover"),
    stale: waivers.filter((w) => !w.perhaps && !used.has(w)),
  };
}

/** Files that are built with several sets of parameters, each set counted separately. */
function variantsOf(points: readonly CoveragePoint[]): readonly VariantCoverage[] {
  const files = new Map<string, Map<string, CoveragePoint[]>>();
  for (const point of points.filter(({ file }) => file.startsWith("rtl/"))) {
    const variants = files.get(point.file) ?? new Map<string, CoveragePoint[]>();
    files.set(point.file, variants);
    const variant = variants.get(point.variant) ?? [];
    variant.push(point);
    variants.set(point.variant, variant);
  }
  return [...files]
    .filter(([, variants]) => variants.size > 1)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([file, variants]) =>
      [...variants].map(([variant, coveragePoints]) => ({
        file,
        variant,
        shares: sharesOf([
          ...linePoints(coveragePoints),
          ...coveragePoints.filter((p) => p.kind !== "line"),
        ]),
      })),
    );
}

/** One point per executable line, with the highest count of its points. */
function linePoints(points: readonly CoveragePoint[]): readonly CoveragePoint[] {
  const lines = new Map<string, CoveragePoint>();
  for (const point of points) {
    if (point.kind === "toggle" || point.kind === "cover") continue;
    for (const line of point.lines) {
      const key = `${point.file}\n${String(line)}`;
      const count = Math.max(point.count, lines.get(key)?.count ?? 0);
      lines.set(key, { ...point, kind: "line", line, what: "", lines: [line], count });
    }
  }
  return [...lines.values()];
}

function sharesOf(points: readonly CoveragePoint[]): Record<PointKind, Share> {
  const share = (kind: PointKind): Share => {
    const matchingPoints = points.filter((p) => p.kind === kind);
    return { seen: matchingPoints.filter((p) => p.count > 0).length, all: matchingPoints.length };
  };
  return {
    line: share("line"),
    branch: share("branch"),
    toggle: share("toggle"),
    cover: share("cover"),
  };
}
