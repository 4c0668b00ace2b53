// SPDX-License-Identifier: Apache-2.0
// Tests in workers that have the run time of a sanitizer preloaded; .ci/sanitize says which.

import process from "node:process";
import { defineConfig, mergeConfig } from "vitest/config";

import base from "./vitest.config.ts";

export default mergeConfig(
  base,
  defineConfig({
    test: {
      // A unit's model with sanitizers compiles for minutes.
      testTimeout: 3_600_000,
      hookTimeout: 3_600_000,
      setupFiles: ["test/config/sanitize-setup.ts"],
      env: { LD_PRELOAD: process.env["NEARDATA_SANITIZER_RUNTIME"] ?? "" },
    },
  }),
);
