// SPDX-License-Identifier: Apache-2.0
// The model of a report page, independent of its layout. Every number belongs to a column that names its
// unit and its source.

import type { Source } from "../results/metric.ts";

export type Cell = string | number | boolean | null;

/** One column of a table or of a figure's data. */
export interface Column {
  readonly key: string;
  readonly title: string;
  readonly unit?: string;
  readonly source?: Source;
  /** Significant digits of a number; default 4. */
  readonly digits?: number;
}

export interface Table {
  readonly kind: "table";
  readonly id: string;
  readonly caption: string;
  readonly columns: readonly Column[];
  readonly rows: readonly Readonly<Record<string, Cell>>[];
  /** Whether the rows are folded until a reader opens them. */
  readonly folded?: boolean;
}

/** A figure with its numbers. */
export interface Figure {
  readonly kind: "figure";
  readonly id: string;
  readonly caption: string;
  /** A standalone SVG element, or a function that returns it when it is shown. */
  readonly svg: string | (() => string);
  /** Whether it is a timeline. */
  readonly timeline?: boolean;
  /** Whether it is half as wide as the page; neighbours of this kind are placed side by side. */
  readonly small?: boolean;
  readonly data: Pick<Table, "columns" | "rows">;
}

/** A paragraph; plain text, escaped when rendered. Text between backquotes is code. */
export interface Prose {
  readonly kind: "prose";
  readonly text: string;
}

/** A check and its outcome. */
export interface Verdict {
  readonly kind: "verdict";
  readonly name: string;
  readonly pass: boolean;
  readonly detail: string;
}

export type Block = Table | Figure | Prose | Verdict;

export interface Section {
  readonly id: string;
  readonly title: string;
  readonly blocks: readonly Block[];
}

/** A figure of the summary: its title, its value with the unit, and one sentence. */
export interface Headline {
  readonly what: string;
  readonly value: string;
  readonly sentence: string;
  /** Of checks: whether all of them passed. */
  readonly pass?: boolean;
  /** True: the summary has the figure only if it has fewer than three figures without it. */
  readonly isFurther?: boolean;
}

export interface Page {
  readonly title: string;
  readonly lead: string;
  /** The answers of the page, in three to six figures. */
  readonly summary?: readonly Headline[];
  /** Config hash, seed and versions, which are necessary to repeat the run. */
  readonly provenance: readonly (readonly [name: string, value: string])[];
  /** Files in the page's directory; small ones with their content, gzipped, as base64. */
  readonly beside?: readonly {
    readonly file: string;
    readonly what: string;
    readonly content?: string;
  }[];
  readonly sections: readonly Section[];
}
