// SPDX-License-Identifier: Apache-2.0
// Types of what passes between this program and the addon, made from the texts of layout.ts. A type
// there is `number`, `boolean`, `string`, words with bars between them, a typed array or the name of a
// record; `[]` after it is a list, `*` rows in a Float64Array, `#` rows in a Uint32Array, `?` that it
// may be left out.

import type { FilledDevices, HeadPages } from "../machine/csd/csd-types.ts";
import type { MachineGraph } from "../machine/machine-graph.ts";
import type { StreamContents } from "../machine/types.ts";

/** Records, or calls, by name. */
export type Texts = Readonly<Record<string, string>>;

declare const handleBrand: unique symbol;
/** A session; only the addon looks inside. */
export interface Handle {
  readonly [handleBrand]: true;
}

/** Types that are not made from a text, or better known elsewhere. */
interface Known {
  readonly number: number;
  readonly boolean: boolean;
  readonly string: string;
  readonly void: undefined;
  readonly handle: Handle;
  readonly progress: (first: number, second: number) => void;
  readonly Uint8Array: Uint8Array;
  readonly Uint16Array: Uint16Array;
  readonly Uint32Array: Uint32Array;
  readonly Float64Array: Float64Array;
  readonly StreamContents: StreamContents;
  readonly HeadPages: HeadPages;
  readonly FilledDevices: FilledDevices;
  readonly MachineGraph: MachineGraph;
  readonly DramTiming: Readonly<Record<string, number>>;
}

/** Between spaces and ends of lines. */
type Parts<Text extends string> = Text extends `${infer A}\n${infer B}`
  ? readonly [...Parts<A>, ...Parts<B>]
  : Text extends `${infer A} ${infer B}`
    ? readonly [...Parts<A>, ...Parts<B>]
    : Text extends ""
      ? readonly []
      : readonly [Text];

type NameOf<Part> = Part extends `${infer Name}:${string}` ? Name : Part;
type TextOf<Part> = Part extends `${string}:${infer Type}` ? Type : "number";
type Part<Text extends string> = Parts<Text>[number];

type Words<Text extends string> = Text extends `${infer First}|${infer Rest}`
  ? First | Words<Rest>
  : Text;

type NamedType<Text extends string, Records extends Texts> = Text extends keyof Known
  ? Known[Text]
  : Text extends keyof Records
    ? RecordType<Records[Text], Records>
    : Text;

/** The type that a text stands for. */
export type TypeOf<Text, Records extends Texts> = Text extends `${infer T}?`
  ? TypeOf<T, Records> | undefined
  : Text extends `Promise<${infer T}>`
    ? Promise<TypeOf<T, Records>>
    : Text extends `${infer T}[]`
      ? readonly TypeOf<T, Records>[]
      : Text extends `${string}*`
        ? Float64Array
        : Text extends `${string}#`
          ? Uint32Array
          : Text extends string
            ? { [T in Words<Text>]: NamedType<T, Records> }[Words<Text>]
            : never;

/** The type of a record. */
export type RecordType<Of extends string, Records extends Texts> = {
  readonly [P in Part<Of> as P extends `${string}?` ? never : NameOf<P> & string]: TypeOf<
    TextOf<P>,
    Records
  >;
} & {
  readonly [P in Part<Of> as P extends `${string}?` ? NameOf<P> & string : never]?: TypeOf<
    TextOf<P>,
    Records
  >;
};

/** What a call takes: `NAME:TYPE`, or a type alone. */
type GivenType<P, Records extends Texts> = TypeOf<
  P extends `${string}:${infer Type}` ? Type : P,
  Records
>;
type GivenTypes<P extends readonly unknown[], Records extends Texts> = {
  [At in keyof P]: GivenType<P[At], Records>;
};
/** The type of a call, `TAKES -> GIVES`. */
export type CallType<
  Text extends string,
  Records extends Texts,
> = Text extends `${infer Takes} -> ${infer Gives}`
  ? (...given: GivenTypes<Parts<Takes>, Records>) => TypeOf<Gives, Records>
  : never;

/** A row of a typed array; where its field has words, the number of one stands there. */
export type RowType<Of extends string> = {
  readonly [P in Part<Of> as NameOf<P> & string]: TextOf<P> extends "number"
    ? number
    : TextOf<P> extends "boolean"
      ? boolean
      : Words<TextOf<P> & string>;
};

/** Fields of a text, in their order. */
function fieldsOf(text: string): readonly { readonly name: string; readonly type: string }[] {
  return partsOf(text).map((part) => {
    const [name = "", type = "number"] = part.split(":");
    return { name, type };
  });
}

/** A text in which lines do not matter. */
export function partsOf(text: string): readonly string[] {
  return text.split(/\s+/).filter((part) => part !== "");
}

/** The rows of an array. */
export function rowsOf<Of extends string>(row: Of, flat: Float64Array): readonly RowType<Of>[] {
  const columns = fieldsOf(row).map(({ name, type }) => ({ name, read: reader(type) }));
  return Array.from({ length: flat.length / columns.length }, (_, at) => {
    const item: Record<string, unknown> = {};
    columns.forEach(({ name, read }, column) => {
      item[name] = read(flat[at * columns.length + column] ?? 0);
    });
    return item as RowType<Of>;
  });
}

function reader(type: string): (value: number) => unknown {
  if (type === "number") return (value) => value;
  if (type === "boolean") return (value) => value !== 0;
  const words = type.split("|");
  return (value) => words[value];
}

/** Rows of words as an array. */
export function wordsOf<Of extends string>(
  row: Of,
  rows: readonly Readonly<Record<keyof RowType<Of>, number>>[],
): Uint32Array {
  const names = fieldsOf(row).map(({ name }) => name) as (keyof RowType<Of>)[];
  return Uint32Array.from(rows.flatMap((item) => names.map((name) => item[name])));
}
