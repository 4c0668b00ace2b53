// SPDX-License-Identifier: Apache-2.0
// The door `neardata`.

export { NeardataError, type ErrorCode, type Issue } from "./errors.ts";
