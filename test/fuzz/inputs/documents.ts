// SPDX-License-Identifier: Apache-2.0
// Documents of sound inputs, from values and text.

import type { Document } from "../input.ts";
import { treeOf } from "../tree.ts";

export const yaml = (value: unknown): Document => ({ kind: "yaml", tree: treeOf(value) });
export const json = (value: unknown): Document => ({ kind: "json", tree: treeOf(value) });
