// SPDX-License-Identifier: Apache-2.0
// Additions of a page of ports to the declarations of the RTL: meanings, legal values, rules of the
// streams.

/** Values of a field that a unit has to take or to refuse, the other fields as in the example. */
export interface Edges {
  /** Numbers, or expressions of the unit's parameters. */
  readonly taken: readonly (number | string)[];
  readonly refused: readonly (number | string)[];
}

/** Legal values of a field: in words, and at their edges. */
export interface Legal {
  readonly text: string;
  readonly edges: Edges;
}

/** Some bits of a word of a descriptor. */
export interface FieldRow {
  /** Constant of the package that numbers the word. */
  readonly word: string;
  /** Default: the whole word. */
  readonly bits?: readonly [high: number, low: number];
  readonly meaning: string;
  /** The operations that read it; default: all. */
  readonly of?: string;
  readonly legal: Legal;
  /** Constant of the package that numbers the field in a completion; absent: illegal values are not found. */
  readonly refusedWith?: string;
}

export interface DescriptorDescription {
  readonly package: string;
  /** Constants of the package that begin with `Desc` and number no word. */
  readonly notWords: readonly string[];
  /** Constants that begin with `Field` and number no field. */
  readonly notFields: readonly string[];
  readonly intro: string;
  readonly fields: readonly FieldRow[];
}

/** A packed structure on a port. */
export interface StructureDescription {
  readonly structure: string;
  readonly title: string;
  readonly meanings: Readonly<Record<string, string>>;
}

/** Rules of one stream, or of a signal that is none. */
export interface HandshakeDescription {
  readonly title: string;
  readonly rules: readonly string[];
}

/** A timing diagram: the file `waves-TOP-NAME.svg`. */
export interface PictureDescription {
  readonly name: string;
  readonly caption: string;
}

export interface UnitDescription {
  readonly top: string;
  readonly intro: string;
  /** Meaning and legal values, by parameter. */
  readonly parameters: Readonly<Record<string, string>>;
  /** Meaning, by port. */
  readonly ports: Readonly<Record<string, string>>;
  readonly descriptor?: DescriptorDescription;
  readonly structures: readonly StructureDescription[];
  readonly handshakes: readonly HandshakeDescription[];
  readonly pictures: readonly PictureDescription[];
}

const grouped = (value: number): string => value.toLocaleString("en-US");

/** From one value to another, both legal. `most` may be an expression of the unit's parameters. */
export function range(least: number, most: number | string, rule = ""): Legal {
  const end = typeof most === "number" ? grouped(most) : `\`${most}\``;
  return {
    text: `${grouped(least)} to ${end}${rule === "" ? "" : `; ${rule}`}`,
    edges: {
      taken: [least, most],
      refused: [
        ...(least > 0 ? [least - 1] : []),
        typeof most === "number" ? most + 1 : `${most}+1`,
      ],
    },
  };
}

/** Legal values in words, with edges where they can be named. */
export function rule(
  text: string,
  taken: Edges["taken"] = [],
  refused: Edges["refused"] = [],
): Legal {
  return { text, edges: { taken, refused } };
}

/** Every value is legal. */
export const any: Legal = rule("any");
