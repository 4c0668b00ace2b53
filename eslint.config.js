// SPDX-License-Identifier: Apache-2.0
// The lint rules, where editors look for them.

export { default } from "./test/config/eslint.config.js";
