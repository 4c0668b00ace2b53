// SPDX-License-Identifier: Apache-2.0
// Every conclusion of the paper on the routes of tinymoe, the trained mixture of experts of the package, as recorded
// (trimoe/router). The routes are those of its evaluation text.

import { z } from "zod";
import type { Experiment } from "../../../experiment/experiment.ts";
import { recordedNote, recordedRows } from "../../../experiment/recorded.ts";
import { conclusionTable } from "./conclusions.ts";

const cell = z.union([z.string(), z.number(), z.null()]);
const conclusionRow = z.record(z.string(), cell);

export const recordedRouter: Experiment = {
  id: "trimoe/recorded-router",
  paper: "trimoe",
  title: "Every conclusion on the routes of tinymoe, recorded",
  run: () => {
    const { from, rows, check } = recordedRows("trimoe-router", conclusionRow);
    const agree = rows.filter(({ agree: own, layers }) => own === layers).length;
    return {
      findings: [],
      checks: [check],
      blocks: [
        recordedNote(from),
        {
          kind: "prose",
          text: `${agree} of ${rows.length} conclusions hold in every layer of tinymoe. Its router was trained to balance its experts: few experts are cold. \`neardata policy layer --conclusions\` draws the same table from your routes.`,
        },
        conclusionTable(rows),
      ],
      rows,
      timeline: [],
    };
  },
};
