// SPDX-License-Identifier: Apache-2.0
// The ports of a Verilated top as its tool describes them: names, directions, packed types. What they
// mean, the naming rule says (streams.ts).

/** A packed type; `other` is what no port of a unit may have. */
export type PortType =
  | { readonly kind: "bits"; readonly bits: number }
  | {
      readonly kind: "array";
      readonly count: number;
      readonly element: PortType;
      /** Declared as [0:n-1]: the first element is the most significant one. */
      readonly ascending: boolean;
    }
  /** Members from the most significant one on. */
  | { readonly kind: "struct"; readonly members: readonly Member[] }
  | { readonly kind: "other"; readonly what: string };

export interface Member {
  readonly name: string;
  readonly type: PortType;
}

export interface Port {
  readonly name: string;
  readonly direction: "input" | "output" | "inout";
  readonly type: PortType;
}

export interface UnitDescription {
  readonly top: string;
  /** Of the module header, with the values that they have in this build; whole numbers only. */
  readonly parameters: Readonly<Record<string, number>>;
  /** In the order of their declaration. */
  readonly ports: readonly Port[];
}

/** Bits of a packed type; 0 of what is none. */
export function bitsOf(type: PortType): number {
  switch (type.kind) {
    case "bits":
      return type.bits;
    case "array":
      return type.count * bitsOf(type.element);
    case "struct":
      return type.members.reduce((sum, member) => sum + bitsOf(member.type), 0);
    case "other":
      return 0;
  }
}

/** What keeps a type from being packed, anywhere in it. */
export function unpackedPart(type: PortType): string | undefined {
  switch (type.kind) {
    case "bits":
      return undefined;
    case "array":
      return unpackedPart(type.element);
    case "struct":
      return type.members.map((member) => unpackedPart(member.type)).find((part) => part);
    case "other":
      return type.what;
  }
}

/** A range as two bounds. */
export function arrayOf(left: number, right: number, element: PortType): PortType {
  return { kind: "array", count: Math.abs(left - right) + 1, element, ascending: left < right };
}

/**
 * The value of a constant as Verilator prints it (`32'h1f`, `-3`), of a type that is `signed` or says so
 * itself (`32'sh1f`); undefined if it is no whole number.
 */
export function constant(text: string, signed = false): number | undefined {
  const based = /^(\d+)'(s?)([hdbo])([0-9a-f]+)$/.exec(text);
  if (based === null) return /^-?\d+$/.test(text) ? Number(text) : undefined;
  const [, width = "", sign = "", base = "", digits = ""] = based;
  const radix = { h: "0x", d: "", b: "0b", o: "0o" }[base] ?? "";
  const value = BigInt(radix + digits);
  return Number(signed || sign !== "" ? BigInt.asIntN(Number(width), value) : value);
}
