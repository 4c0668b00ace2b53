// SPDX-License-Identifier: Apache-2.0
// Texts that many sources repeat, such as the processes of a sweep, and that a user reads once.

/** Calls `act` with each different text once. */
export function distinctTexts(act: (text: string) => void): (text: string) => void {
  const seen = new Set<string>();
  return (text) => {
    if (!seen.has(text)) act(text);
    seen.add(text);
  };
}
