// SPDX-License-Identifier: Apache-2.0
// Text of a user or a tool, quoted in a sentence: on one line, without control characters,
// cut where it is long, a list or a group named and not spelled out.

/** Characters of a value that a sentence shows. */
const maxShown = 60;
/** Characters of one name in a path. */
const maxNameLength = 40;

/** Text on one line: control characters and line ends are written as escapes. */
export function oneLine(text: string): string {
  return text.replace(
    /[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

/** The beginning of a text that is longer than `most` characters. */
export function cut(text: string, most: number = maxShown): string {
  return text.length <= most ? text : `${text.slice(0, most - 3)}...`;
}

/** The text with a capital letter. */
export function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** A count with its noun: `1 layer`, `2 layers`. */
export function counted(count: number, noun: string): string {
  return `${String(count)} ${noun}${count === 1 ? "" : "s"}`;
}

/** A value of a document or an option. */
export function formatValue(value: unknown): string {
  switch (typeof value) {
    case "string":
      return JSON.stringify(cut(oneLine(value)));
    case "number":
    case "boolean":
    case "bigint":
      return String(value);
    case "undefined":
      return "nothing";
    default:
      if (value === null) return "null";
      return Array.isArray(value) ? "a list" : "a group";
  }
}

/** Longer names of tensors are cut. */
const maxTensorNameLength = 240;

/** The whole name of a tensor: its end distinguishes it from other tensors. */
export function tensorLabel(name: string): string {
  return JSON.stringify(cut(oneLine(name), maxTensorNameLength));
}

/** A path such as `ndp.clock` or `tokens[2]`; long names are cut. */
export function pathText(path: readonly PropertyKey[]): string {
  return path
    .map((key, i) => {
      if (typeof key === "number") return `[${String(key)}]`;
      const name = cut(oneLine(String(key)), maxNameLength);
      return `${i === 0 ? "" : "."}${name === "" ? '""' : name}`;
    })
    .join("");
}
