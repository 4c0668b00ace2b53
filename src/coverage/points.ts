// SPDX-License-Identifier: Apache-2.0
// Coverage points of Verilated models, as Verilator writes them: one line a point with its fields
// (file, line, kind, comment, hierarchy) and how often it was seen. Points of one place are one
// point, whatever the instance, the parameter set or the test.

import { inputError } from "../errors.ts";

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
}

const kinds: Readonly<Record<string, PointKind>> = {
  v_line: "line",
  v_branch: "branch",
  v_toggle: "toggle",
  v_user: "cover",
};

/** Adds the points of one file of counts to `points`, by place. */
export function addPoints(
  points: Map<string, CoveragePoint>,
  name: string,
  text: string,
  root: string,
): void {
  text.split("\n").forEach((row, index) => {
    if (!row.startsWith("C ")) return;
    const point = parsePoint(row, root);
    if (point === null) {
      throw inputError(`${name}, line ${String(index + 1)}`, "this is not a coverage point.");
    }
    const key = [point.kind, point.file, point.line, point.column, point.what].join("\n");
    const before = points.get(key)?.count ?? 0;
    points.set(key, { ...point, count: before + point.count });
  });
}

/** `C '<0x01>name<0x02>value...' count` */
function parsePoint(row: string, root: string): CoveragePoint | null {
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
  const page = (fields.get("page") ?? "").replace(/\/.*/s, "");
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
  };
}

/** A cover property is known by the label it stands under, which ends its hierarchy. */
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
