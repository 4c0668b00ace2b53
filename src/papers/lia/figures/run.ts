// SPDX-License-Identifier: Apache-2.0
// The lab that LIA's figures are judged on: policies as the paper's equations choose them, times by rates that depend on
// the batch.

import { batchedRates } from "./batched.ts";
import { labOf, paperLab, type Lab, type Runner } from "./lab.ts";

export const ownLab: Lab = labOf({ rates: batchedRates, chosenBy: paperLab });
/** The rates of the equations, which are also those of a single sequence. */
export const machine: Lab["machine"] = paperLab.machine;
export const lia: Runner = ownLab.lia;
