// SPDX-License-Identifier: Apache-2.0
// Faults that no test can find because nothing changes, each with why.

export const reasons: ReadonlyMap<string, string> = new Map([]);
