// SPDX-License-Identifier: Apache-2.0
// Coverage points of Verilated models, as Verilator writes them: one line per point with its fields
// (file, line, kind, comment, hierarchy) and how often it was seen. Points of one place are one
// point, for every instance and test, separately for each parameter set of the module.

import { inputError } from "../../base/errors.ts";

export type PointKind = "line" | "branch" | "toggle" | "cover";

/** One place in the RTL and how often tests reached it. */
export interface CoveragePoint {
  readonly kind: PointKind;
  /** Relative to the repository. */
  readonly file: string;
  readonly line: number;
  readonly column: number;
  /** A branch's arm, a signal's bit, a cover's name. */
  readonly what: string;
  /** Lines of source that run with the point. */
  readonly lines: readonly number[];
  readonly count: number;
  /** The elaborated module with its parameters, in Verilator's naming, and its build. */
  readonly variant: string;
}

/** Merges the points of one source location over all parameter sets. */
export function merged(points: Iterable<CoveragePoint>): readonly CoveragePoint[] {
  const places = new Map<string, CoveragePoint>();
  for (const point of points) {
    const key = placeOf(point);
    places.set(key, { ...point, count: (places.get(key)?.count ?? 0) + point.count });
  }
  return [...places.values()];
}

const placeOf = ({ kind, file, line, column, what }: CoveragePoint): string =>
  [kind, file, line, column, what].join("\n");

const kinds: Readonly<Record<string, PointKind>> = {
  v_line: "line",
  v_branch: "branch",
  v_toggle: "toggle",
  v_user: "cover",
};

/** Adds the points of one coverage file, which is named after its build, to `points`. */
export function addPoints(
  points: Map<string, CoveragePoint>,
  name: string,
  text: string,
  root: string,
): void {
  text.split("\n").forEach((row, index) => {
    if (!row.startsWith("C ")) return;
    const point = parsePoint(row, root, name.replace(/\.dat$/, ""));
    if (point === null) {
      throw inputError(`${name}, line ${String(index + 1)}`, "this is not a coverage point.");
    }
    const key = `${placeOf(point)}\n${point.variant}`;
    const before = points.get(key)?.count ?? 0;
    points.set(key, { ...point, count: before + point.count });
  });
}

/** `C '<0x01>name<0x02>value...' count` */
function parsePoint(row: string, root: string, build: string): CoveragePoint | null {
  const end = row.lastIndexOf("' ");
  const fields = new Map(
    row
      .slice(3, end)
      .split("\u0001")
      .slice(1)
      .map((field) => {
        const cut = field.indexOf("\u0002");
        return [field.slice(0, cut), field.slice(cut + 1)];
      }),
  );
  const [page = "", module = ""] = (fields.get("page") ?? "").split("/");
  const kind = Object.hasOwn(kinds, page) ? kinds[page] : undefined;
  const file = fields.get("f");
  const count = Number(row.slice(end + 2));
  if (kind === undefined || file === undefined || !Number.isFinite(count)) return null;
  return {
    kind,
    file: file.startsWith(`${root}/`) ? file.slice(root.length + 1) : file,
    line: Number(fields.get("l") ?? 0),
    column: Number(fields.get("n") ?? 0),
    what: nameOf(kind, fields),
    lines: linesOf(fields.get("S") ?? ""),
    count,
    variant: `${module} of ${build}`,
  };
}

/** The name of a cover property is its label, which is the last part of its hierarchy. */
function nameOf(kind: PointKind, fields: ReadonlyMap<string, string>): string {
  const comment = fields.get("o") ?? "";
  if (kind !== "cover") return comment;
  return (fields.get("h") ?? comment).replace(/.*\./s, "");
}

/** "12,14-16" as numbers. */
function linesOf(text: string): readonly number[] {
  return text
    .split(",")
    .filter((part) => part !== "")
    .flatMap((part) => {
      const [first = 0, last = first] = part.split("-").map(Number);
      return Array.from({ length: last - first + 1 }, (_, i) => first + i);
    });
}
