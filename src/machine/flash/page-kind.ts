// SPDX-License-Identifier: Apache-2.0
// The contents of a page of a head: K or V of tokens, or dimensions of the K of a block of tokens.
// In the order of the numbers of sim/flash/translation/page_kind.h.

export const pageKinds = ["token-keys", "token-values", "dim-keys"] as const;
export type PageKind = (typeof pageKinds)[number];
