// SPDX-License-Identifier: Apache-2.0
// FlexGen's table 6: accuracy and perplexity of OPT with 4-bit values, which need its weights; and the
// question that it answers on a model that was trained for this project, as it was recorded.

import { present } from "../../../base/present.ts";
import type { Experiment } from "../../experiment/experiment.ts";
import {
  explained,
  notComparable,
  compareStatement,
  type Finding,
} from "../../experiment/finding.ts";
import { recorded, recordedNote } from "../../experiment/recorded.ts";
import { bitsOver } from "../../experiment/recorded-bits.ts";

const accuracy: readonly (readonly [what: string, fp16: string, four: string, sparse: string])[] = [
  ["OPT-30B, Lambada", "0.725", "0.724", "0.718"],
  ["OPT-30B, WikiText", "12.72", "12.90", "12.90"],
  ["OPT-175B, Lambada", "0.758", "0.756", "0.756"],
  ["OPT-175B, WikiText", "10.82", "10.94", "10.94"],
];

/** The loss that the paper calls negligible, in bits per token: the larger of its two ratios of log perplexity. */
const negligible = Math.max(
  ...accuracy
    .filter(([what]) => what.endsWith("WikiText"))
    .map(([, whole, four]) => Math.log(Number(four)) / Math.log(Number(whole))),
);

/** Bits of the trained byte model with 4-bit weights and caches over those without, by window. */
function trained(): Finding {
  const { ratio, each, low, high } = bitsOver("flexgen-4-bits", "flexgen-16-bits");
  const digits = (x: number): string => x.toFixed(4);
  const finding = compareStatement(
    "a byte model trained for this project: bits with 4-bit weights and caches over 16-bit ones",
    {
      statement: "negligible accuracy loss",
      ours: ratio,
      unit: "1",
      range: [0, negligible],
      note: `${each.length} windows of 512 scored bytes, 95 % interval ${digits(low)} to ${digits(high)}; OPT on WikiText has at most ${digits(negligible)}. 3.3 million parameters have less to spare than 30 billion`,
    },
  );
  return explained(finding, [
    { what: "the text window with the smallest increase", value: Math.min(...each) },
  ]);
}

export const table6: Experiment = {
  id: "flexgen/table-6",
  paper: "flexgen",
  title: "Accuracy and perplexity with 4-bit values",
  run: () => ({
    findings: [
      trained(),
      ...accuracy.flatMap(([what, ...texts]) =>
        ["FP16", "4-bit", "4-bit and sparse"].map((name, i) =>
          notComparable(
            `${what}, ${name}`,
            present(texts[i]),
            "not computed",
            what.endsWith("Lambada") ? "accuracy" : "perplexity",
            "this number needs the weights of the model. The tests check the bits and the error bound of the quantiser instead",
          ),
        ),
      ),
    ],
    blocks: [recordedNote(recorded("flexgen-16-bits")), recordedNote(recorded("flexgen-4-bits"))],
    timeline: [],
  }),
};
