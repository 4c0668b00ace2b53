// SPDX-License-Identifier: Apache-2.0
// SystemVerilog without its comments.

/** Comments as blanks, so that lines keep their numbers. */
export function withoutComments(text: string): string {
  return text.replace(/\/\*[^]*?\*\/|\/\/.*/g, (comment) => comment.replace(/[^\n]/g, " "));
}
