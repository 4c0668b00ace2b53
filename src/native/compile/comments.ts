// SPDX-License-Identifier: Apache-2.0
// SystemVerilog without its comments.

/** Replaces comments by blanks, so that line numbers do not change. */
export function withoutComments(text: string): string {
  return text.replace(/\/\*[^]*?\*\/|\/\/.*/g, (comment) => comment.replace(/[^\n]/g, " "));
}
