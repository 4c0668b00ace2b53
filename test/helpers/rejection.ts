// SPDX-License-Identifier: Apache-2.0
// What an error must be: its code and the places that it names. Wording is free to change.

import { expect } from "vitest";

import type { ErrorCode, Issue } from "../../src/base/errors.ts";

/**
 * Matches an error with this code whose problems are at these places, in this order. A place is the
 * `where` of an issue; a regular expression is matched against the whole line (`where: message`),
 * for rules that share a place. For `toThrow`, `rejects.toThrow` and `toEqual`.
 */
export function rejection(code: ErrorCode, ...places: readonly (string | RegExp)[]): unknown {
  const error: Record<string, unknown> = { code };
  if (places.length > 0) error["issues"] = places.map(issueAt);
  return expect.objectContaining(error);
}

/** One issue at a place. */
function issueAt(place: string | RegExp): unknown {
  if (typeof place === "string") return expect.objectContaining({ where: place });
  const matches = ({ where, message }: Issue): boolean =>
    place.test(where === "" ? message : `${where}: ${message}`);
  return expect.toSatisfy(matches, String(place));
}
