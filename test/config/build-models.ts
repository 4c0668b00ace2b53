// SPDX-License-Identifier: Apache-2.0
// Builds the RTL models of the default tests before the first of them runs, the longest first, on all processors.
// Tests that are run by name build their own models.

import process from "node:process";

import { buildModels } from "../helpers/models.ts";

export default async function setup(): Promise<void> {
  if (process.env["NEARDATA_TEST_MODELS"] === "all") await buildModels();
}
