// SPDX-License-Identifier: Apache-2.0
// The ports of a Verilated top as its tool describes them: names, directions, packed types. The
// naming rule has their meaning (streams.ts).

/** A packed type; `other` is a type that no port of a unit may have. */
export type PortType =
  | { readonly kind: "bits"; readonly bits: number; readonly signed?: boolean }
  | {
      readonly kind: "array";
      readonly count: number;
      readonly element: PortType;
      /** Declared as [0:n-1]: the first element is the most significant one. */
      readonly ascending: boolean;
      /** Each element is a separate variable; the bits of a packed array are contiguous. */
      readonly unpacked?: boolean;
    }
  /** Members from the most significant one on. */
  | { readonly kind: "struct"; readonly members: readonly Member[] }
  | { readonly kind: "other"; readonly what: string };

export interface Member {
  readonly name: string;
  readonly type: PortType;
}

export interface Port {
  /** As it is written, an escaped one without its backslash. */
  readonly name: string;
  /** In Verilator's C++, if that differs: characters other than letters, digits and single underscores are encoded there. */
  readonly encoded?: string;
  readonly direction: "input" | "output" | "inout";
  readonly type: PortType;
}

export interface UnitDescription {
  readonly top: string;
  /** Of the module header, with the values that they have in this build; whole numbers only. */
  readonly parameters: Readonly<Record<string, number>>;
  /** Of the module header, by the kind of their values. */
  readonly kinds?: Readonly<Record<string, ParameterKind>>;
  /** In the order of their declaration. */
  readonly ports: readonly Port[];
  /** It has delays, or waits for events within a process. */
  readonly timing?: boolean;
}

export type ParameterKind = "whole" | "real" | "string" | "other";

/** A name before Verilator's encoding, in which `__0hh` is a character. */
export function decoded(name: string): string {
  return name.replace(/__0([0-9A-Fa-f]{2})/g, (_, code: string) =>
    String.fromCharCode(Number.parseInt(code, 16)),
  );
}

/** A port by its encoded name. */
export function portNamed(encoded: string, direction: Port["direction"], type: PortType): Port {
  const name = decoded(encoded);
  return name === encoded ? { name, direction, type } : { name, encoded, direction, type };
}

/** Whether a type has an array of elements by themselves anywhere in it. */
export function isUnpacked(type: PortType): boolean {
  return type.kind === "array" && (type.unpacked === true || isUnpacked(type.element));
}

/** Bits of a packed type; 0 for other types. */
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

/** The part of a type that prevents it from being packed. */
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

/** An unpacked array by its bounds: the first element is that of the lowest index. */
export function unpackedArray(left: number, right: number, element: PortType): PortType {
  const count = Math.abs(left - right) + 1;
  return { kind: "array", count, element, ascending: false, unpacked: true };
}

/** A range as two bounds. */
export function arrayOf(left: number, right: number, element: PortType): PortType {
  return { kind: "array", count: Math.abs(left - right) + 1, element, ascending: left < right };
}

/**
 * The value of a constant in Verilator's output (`32'h1f`, `-3`), of a type that is `signed` or
 * with a signed literal (`32'sh1f`); undefined if it is not a whole number.
 */
export function constant(text: string, signed = false): number | undefined {
  const based = /^(\d+)'(s?)([hdbo])([0-9a-f]+)$/.exec(text);
  if (based === null) return /^-?\d+$/.test(text) ? Number(text) : undefined;
  const [, width = "", sign = "", base = "", digits = ""] = based;
  const radix = { h: "0x", d: "", b: "0b", o: "0o" }[base] ?? "";
  const value = BigInt(radix + digits);
  return Number(signed || sign !== "" ? BigInt.asIntN(Number(width), value) : value);
}
