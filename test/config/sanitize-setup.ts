// SPDX-License-Identifier: Apache-2.0
// In a worker that has a sanitizer preloaded: only Node.js may inherit it, compilers and benches that
// a test starts must not.

import process from "node:process";

const node = process.env["NEARDATA_SANITIZED_NODE"];
if (node === undefined)
  throw new Error("NEARDATA_SANITIZED_NODE names no program; see .ci/sanitize");
process.execPath = node;
delete process.env["LD_PRELOAD"];
