// SPDX-License-Identifier: Apache-2.0
// Answers of tools that a process asks once.

const answers = new Map<string, string>();

/**
 * The answer that is kept under `key`, or the one of `ask`, which is kept. A call that failed or was cancelled
 * keeps none: it says nothing about the next one.
 */
export async function cachedAnswer(key: string, ask: () => Promise<string>): Promise<string> {
  const answer = answers.get(key) ?? (await ask());
  answers.set(key, answer);
  return answer;
}
