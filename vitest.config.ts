// SPDX-License-Identifier: Apache-2.0
// The configuration of the tests, where editors look for it.

export { default } from "./test/config/vitest.config.ts";
