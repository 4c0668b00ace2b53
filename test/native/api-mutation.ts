// SPDX-License-Identifier: Apache-2.0
// Calls with one field of another value: for every function, any argument and any field below it.

import fc from "fast-check";

import { accepted, type Fields } from "./api-base.ts";
import type { ApiCall, ApiCase, Given } from "./api.ts";

/** The path from the arguments to a field: indices of arguments and items, and names. */
type Path = readonly (string | number)[];

const numbers: readonly number[] = [
  0,
  -0,
  -1,
  1,
  2,
  3,
  7,
  0.5,
  NaN,
  Infinity,
  -Infinity,
  255,
  256,
  4096,
  65535,
  65536,
  1e6,
  1e7,
  2 ** 20,
  2 ** 24,
  2 ** 31 - 1,
  2 ** 31,
  2 ** 32 - 1,
  2 ** 32,
  2 ** 53,
  2 ** 63,
  1e18,
  1e300,
  5e-324,
  -1e300,
];
const words: readonly number[] = [0, 1, 2, 3, 16, 255, 4096, 65536, 2 ** 24, 2 ** 31, 2 ** 32 - 1];

const others: readonly Given[] = [
  undefined,
  null,
  true,
  false,
  "",
  "a\0b",
  "cycle",
  "rtl",
  "x".repeat(5000),
  10n ** 30n,
  [],
  {},
  [1, 2, 3],
  new Uint8Array(0),
  new Uint8Array(64),
  new Uint16Array(16),
  Uint32Array.of(1, 2, 3),
  new Uint32Array(20),
  new Float64Array(7).fill(NaN),
  new Float64Array(28).fill(1e300),
  new Int8Array(3),
  { $: "symbol" },
  { $: "function" },
  { $: "throws" },
  { $: "proxy", of: {} },
  { $: "shared", of: new Uint32Array(20) },
  { $: "detached", of: new Uint32Array(20) },
];

/** Every field of the arguments, and items of arrays and typed arrays; results of calls are one. */
function pathsOf(value: Given, path: Path = []): readonly Path[] {
  if (ArrayBuffer.isView(value)) return [path, [...path, "$item"]];
  if (Array.isArray(value)) {
    return [
      ...(path.length === 0 ? [] : [path]),
      ...value.flatMap((v: Given, i) => pathsOf(v, [...path, i])),
    ];
  }
  if (typeof value !== "object" || value === null || "$" in value) return [path];
  return [
    path,
    ...Object.entries(value).flatMap(([key, v]) => pathsOf(v as Given, [...path, key])),
  ];
}

/** The arguments with another value at the path. */
function replaced(value: Given, path: Path, by: Given, item: number): Given {
  const [at, ...rest] = path;
  if (at === undefined) return by;
  if (at === "$item") return withItem(value as Uint32Array, item, by);
  if (Array.isArray(value)) {
    return value.map((v: Given, i) => (i === at ? replaced(v, rest, by, item) : v));
  }
  const fields = value as Fields;
  return { ...fields, [at]: replaced(fields[at], rest, by, item) };
}

function withItem(array: Uint32Array, item: number, by: Given): Given {
  const copy = array.slice();
  if (copy.length > 0) copy[item % copy.length] = Number(by);
  return copy;
}

/** A case of a function whose last call has one wrong value; runs of it that stay long are ended. */
export function hostileCase(): fc.Arbitrary<ApiCase> {
  const functions = Object.entries(accepted).filter(
    ([, calls]) => calls.at(-1)?.given.length !== 0,
  );
  return fc.constantFrom(...functions).chain(([name, calls]) => {
    const given = calls.at(-1)?.given ?? [];
    return fc.constantFrom(...pathsOf([...given])).chain((path) => {
      const values =
        path.at(-1) === "$item"
          ? fc.constantFrom<Given>(...words, ...numbers)
          : fc.constantFrom(...numbers, ...others);
      return fc.tuple(values, fc.nat(1000)).map(([by, item]) => {
        const last: ApiCall = {
          call: name,
          given: replaced([...given], path, by, item) as Given[],
        };
        return {
          name: `${name} ${path.join(".")} [${item}] = ${shown(by)}`,
          calls: [...calls.slice(0, -1), last],
        };
      });
    });
  });
}

function shown(value: Given): string {
  if (ArrayBuffer.isView(value)) return `${value.constructor.name}(${value.byteLength} bytes)`;
  if (typeof value === "bigint" || typeof value === "number") return String(value);
  return value === undefined ? "undefined" : JSON.stringify(value).slice(0, 60);
}
