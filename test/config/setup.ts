// SPDX-License-Identifier: Apache-2.0
// Fixes the seed of every property, so that a run can be repeated. NEARDATA_SEED explores others. With
// NEARDATA_SHRINK=0 a property ends at its first failure.

import fc from "fast-check";

fc.configureGlobal({
  seed: Number(process.env["NEARDATA_SEED"] ?? "20250521"),
  endOnFailure: process.env["NEARDATA_SHRINK"] === "0",
});
