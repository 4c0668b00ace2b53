// SPDX-License-Identifier: Apache-2.0
// The page of `neardata prove`: the claims, the results, the solvers and their times.

import type { Page } from "../../report/page.ts";
import type { Row } from "./table.ts";
import { summary } from "./table.ts";
import type { Tools } from "./tools.ts";

export function provePage(rows: readonly Row[], tools: Tools, version: string): Page {
  return {
    title: "Properties of the RTL",
    lead: `${summary(rows)}.`,
    provenance: [["neardata", version], ...Object.entries(tools)],
    sections: [
      {
        id: "properties",
        title: "Properties",
        blocks: [
          {
            kind: "table",
            id: "property-table",
            caption:
              "Harnesses of testbench/prove. A property counts as proven or bounded only if z3 and cvc5 agree.",
            columns: [
              { key: "module", title: "module" },
              { key: "name", title: "property" },
              { key: "claim", title: "claim" },
              { key: "outcome", title: "outcome" },
              { key: "engine", title: "engine" },
              { key: "note", title: "how" },
              {
                key: "seconds",
                title: "solvers, one after the other",
                unit: "s",
                source: "measured",
              },
            ],
            rows: rows.map(({ module, harness, label, claim, outcome, engine, note, seconds }) => ({
              module,
              name: `${harness}.${label}`,
              claim,
              outcome,
              engine,
              note,
              seconds: Object.values(seconds).reduce((sum, s) => sum + s, 0),
            })),
          },
        ],
      },
    ],
  };
}
