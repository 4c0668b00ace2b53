// SPDX-License-Identifier: Apache-2.0
// The choices of routers as a CSV: window, layer, position, the experts in descending order of weight, and their
// weights with six decimals. Also the smallest margins between a chosen and a rejected expert: an arithmetic whose
// error is larger than a margin can choose the other expert.

import type { Routes } from "./router.ts";

/** A choice whose last expert was hardly more probable than the next. */
export interface NearTie {
  readonly window: number;
  readonly layer: number;
  readonly position: number;
  readonly margin: number;
}

/** The choices of routers in an evaluation. */
export interface RouteLog {
  readonly add: (window: number, routes: Routes) => void;
  readonly csv: () => string;
  /** Choices of all layers, and those with the smallest margins, the smallest first. */
  readonly summary: () => { readonly choices: number; readonly nearest: readonly NearTie[] };
}

const maxNearest = 5;

/** An empty log. `keep`: whether `csv` will be called. */
export function routeLog(chosen: number, keep: boolean): RouteLog {
  const numbers = Array.from({ length: chosen }, (_, i) => i);
  const head = ["window", "layer", "position"];
  head.push(...numbers.map((i) => `expert${i}`), ...numbers.map((i) => `weight${i}`));
  const parts = [`${head.join(",")}\n`];
  let choices = 0;
  let nearest: readonly NearTie[] = [];
  return {
    add: (window, routes) => {
      choices += routes.margins.length;
      const nearTies = Array.from(routes.margins, (margin, position): NearTie => {
        return { window, layer: routes.layer, position, margin };
      });
      nearest = [...nearest, ...nearTies].sort((a, b) => a.margin - b.margin).slice(0, maxNearest);
      if (keep) parts.push(linesOf(window, routes));
    },
    csv: () => parts.join(""),
    summary: () => ({ choices, nearest }),
  };
}

function linesOf(window: number, { layer, chosen, experts, weights, margins }: Routes): string {
  return Array.from(margins, (_, t) => {
    const tokenWeights = [...weights.subarray(t * chosen, (t + 1) * chosen)].map((w) =>
      w.toFixed(6),
    );
    const row = [
      window,
      layer,
      t,
      ...experts.subarray(t * chosen, (t + 1) * chosen),
      ...tokenWeights,
    ];
    return `${row.join(",")}\n`;
  }).join("");
}
