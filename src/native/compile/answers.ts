// SPDX-License-Identifier: Apache-2.0
// Answers of tools that a process asks once.

const answers = new Map<string, string>();

/**
 * The cached answer for `key`. If there is none, calls `ask` and caches its answer. A call that failed or was
 * cancelled is not cached, because the next call may succeed.
 */
export async function cachedAnswer(key: string, ask: () => Promise<string>): Promise<string> {
  const answer = answers.get(key) ?? (await ask());
  answers.set(key, answer);
  return answer;
}
