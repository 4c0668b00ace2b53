// SPDX-License-Identifier: Apache-2.0
// Every conclusion of the paper on the routes of tinymoe, the trained mixture of experts of the package, as recorded
// (trimoe/router). The routes are those of its evaluation text.

import { z } from "zod";
import type { Experiment } from "../../../experiment/experiment.ts";
import { recordedOutcome } from "../../../experiment/recorded.ts";
import type { Prose } from "../../../../report/page.ts";
import { conclusionTable } from "./conclusions.ts";

const cell = z.union([z.string(), z.number(), z.null()]);
const conclusionRow = z.record(z.string(), cell);

export const recordedRouter: Experiment = {
  id: "trimoe/recorded-router",
  paper: "trimoe",
  title: "Every conclusion on the routes of tinymoe, recorded",
  run: () =>
    recordedOutcome("trimoe-router", conclusionRow, (rows) => {
      const inEveryLayer = rows.filter(({ agree, layers }) => agree === layers).length;
      const note: Prose = {
        kind: "prose",
        text: `${inEveryLayer} of ${rows.length} conclusions hold in every layer of tinymoe. Its router was trained to balance its experts: few experts are cold. \`neardata policy layer --conclusions\` draws the same table from your routes.`,
      };
      return { blocks: [note, conclusionTable(rows)], rows };
    }),
};
