// SPDX-License-Identifier: Apache-2.0
// The error type of the package. A message has one sentence per problem: the place and the broken rule.

/** Why a call or a command failed. docs/reference/errors.md has the meaning and the exit code of each. */
export type ErrorCode = (typeof errorCodes)[number];
export const errorCodes = [
  "bad-input",
  "tool-missing",
  "not-built",
  "build-failed",
  "place-missing",
  "exhausted",
  "check-failed",
  "cancelled",
  "misuse",
] as const;

/** Whether an error of the addon has a code of ours. */
export function isErrorCode(code: unknown): code is ErrorCode {
  return errorCodes.some((known) => known === code);
}

/** One broken rule: where (a path such as `memory.rate`, or a file; may be empty) and a sentence. */
export interface Issue {
  readonly where: string;
  readonly message: string;
}

/** Options of an error besides its message. */
export interface ErrorContext {
  readonly cause?: unknown;
  readonly details?: Readonly<Record<string, unknown>>;
}

/**
 * Thrown for misuse, invalid input and a broken environment. Results of a run are values, not
 * errors.
 */
export class NeardataError extends Error {
  readonly code: ErrorCode;
  /** All problems, in order; at least one. */
  readonly issues: readonly Issue[];
  readonly details: Readonly<Record<string, unknown>>;

  constructor(code: ErrorCode, problem: string | readonly Issue[], context: ErrorContext = {}) {
    const issues = typeof problem === "string" ? [{ where: "", message: problem }] : problem;
    const text = issues.map((i) => (i.where === "" ? i.message : `${i.where}: ${i.message}`));
    super(text.join("\n"), "cause" in context ? { cause: context.cause } : undefined);
    this.name = "NeardataError";
    this.code = code;
    this.issues = issues;
    this.details = context.details ?? {};
  }
}

/** An error in the user's input; exit code 2. */
export function inputError(where: string, message: string, cause?: unknown): NeardataError {
  const context = cause === undefined ? {} : { cause };
  return new NeardataError("bad-input", [{ where, message }], context);
}

/** Problems of one file, whose places are in it. */
export function inFile(
  file: string,
  issues: readonly Issue[],
  context: ErrorContext = {},
): NeardataError {
  return new NeardataError(
    "bad-input",
    issues.map(({ where, message }) => ({
      where: [file, where].filter((part) => part !== "").join(": "),
      message,
    })),
    context,
  );
}

/** The process exit code of an error: 1 check, 2 input, 3 environment, 70 a bug, 130 cancelled. */
export function exitCodeOf(error: unknown): number {
  if (!(error instanceof NeardataError)) return 70;
  switch (error.code) {
    case "check-failed":
      return 1;
    case "bad-input":
      return 2;
    case "tool-missing":
    case "not-built":
    case "build-failed":
    case "place-missing":
    case "exhausted":
      return 3;
    case "cancelled":
      return 130;
    case "misuse":
      return 70;
  }
}
