// SPDX-License-Identifier: Apache-2.0
// The one error type. It is thrown for misuse and for a missing environment, never for the outcome
// of a run (a failed check, a deadlock, an assertion: those are values).

/** What went wrong, as a literal that callers can switch on. */
export type ErrorCode =
  | "bad-input" // the caller's data break a rule
  | "bad-config" // a scenario or parameter breaks a rule
  | "tool-missing" // a program of the environment is not installed
  | "build-failed" // an installed tool rejected our sources or parameters
  | "addon-missing" // the native addon is not built or does not load
  | "abi-mismatch" // the native part was built from other sources
  | "session-closed" // a session was used after it was closed
  | "session-busy" // a session was used while a run was in progress
  | "cancelled" // the caller's signal ended the run
  | "internal"; // a fault of this program

const environmentCodes: ReadonlySet<ErrorCode> = new Set([
  "tool-missing",
  "addon-missing",
  "abi-mismatch",
]);

/** An error with a code, machine-readable details, and the exit code that the command line gives. */
export class NeardataError extends Error {
  override readonly name = "NeardataError";
  readonly code: ErrorCode;
  readonly details: Readonly<Record<string, unknown>>;
  readonly exitCode: 2 | 3;

  constructor(
    code: ErrorCode,
    message: string,
    options: {
      readonly details?: Readonly<Record<string, unknown>>;
      readonly cause?: unknown;
    } = {},
  ) {
    super(message, { cause: options.cause });
    this.code = code;
    this.details = options.details ?? {};
    this.exitCode = environmentCodes.has(code) ? 3 : 2;
  }
}
