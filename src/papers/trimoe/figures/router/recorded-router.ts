// SPDX-License-Identifier: Apache-2.0
// Every conclusion of the paper on the routes of tinymoe, the trained mixture of experts of the package, as recorded
// (trimoe/router). The routes are those of its evaluation text.

import { z } from "zod";
import { hashOfValue } from "../../../../base/hash.ts";
import type { Experiment } from "../../../experiment/experiment.ts";
import { every } from "../../../experiment/own-check.ts";
import { recorded, recordedNote } from "../../../experiment/recorded.ts";
import { conclusionTable } from "./conclusions.ts";

const cell = z.union([z.string(), z.number(), z.null()]);
const result = z.looseObject({
  resultHash: z.string(),
  configHash: z.string(),
  counts: z.looseObject({}),
  experiments: z.tuple([z.looseObject({ rows: z.array(z.record(z.string(), cell)) })]),
});

export const recordedRouter: Experiment = {
  id: "trimoe/recorded-router",
  paper: "trimoe",
  title: "Every conclusion on the routes of tinymoe, recorded",
  run: () => {
    const from = recorded("trimoe-router");
    const { resultHash, configHash, counts, experiments } = result.parse(from.result);
    const [{ rows }] = experiments;
    const same = hashOfValue({ configHash, counts, experiments }) === resultHash;
    const agree = rows.filter(({ agree: own, layers }) => own === layers).length;
    return {
      findings: [],
      checks: [every("the recorded result has its hash", same ? 1 : 0, 1, "results")],
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
