// SPDX-License-Identifier: Apache-2.0
// The tooltip of a mark of a plot: the values of the mark, as the title of
// its SVG element, which browsers show without a script.

/** Options of a mark with that title. */
export function hover<Options extends object>(
  options: Options,
): Options & { readonly title: (row: unknown) => string } {
  return { ...options, title: titleOf };
}

function titleOf(row: unknown): string {
  if (typeof row !== "object" || row === null) return shownValue(row);
  return Object.entries(row)
    .filter(([, value]) => typeof value === "string" || typeof value === "number")
    .map(([name, value]) => `${name}: ${shownValue(value)}`)
    .join("\n");
}

function shownValue(value: unknown): string {
  return typeof value === "number" && !Number.isInteger(value)
    ? String(Number(value.toPrecision(6)))
    : String(value);
}
