// SPDX-License-Identifier: Apache-2.0
// Fixes the seed of every property, so that a run can be repeated. NEARDATA_SEED explores others.

import fc from "fast-check";

fc.configureGlobal({
  seed: Number(process.env["NEARDATA_SEED"] ?? "20250521"),
  endOnFailure: false,
});
