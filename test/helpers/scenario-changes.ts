// SPDX-License-Identifier: Apache-2.0
// Scenarios that almost are: good ones with some settings of the schema set to anything, at, below
// and above their bounds, and with groups damaged.

import fc from "fast-check";
import { stringify } from "yaml";
import { scenarioJsonSchema } from "../../src/scenario/schema.ts";
import { changedValues } from "./hostile.ts";

interface Part {
  readonly type?: string;
  readonly properties?: Readonly<Record<string, Part>>;
  readonly anyOf?: readonly Part[];
  readonly oneOf?: readonly Part[];
  readonly items?: Part;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly minimum?: number;
  readonly maximum?: number;
}

/** A setting, a group or an entry of a list, and values near its bounds. */
interface Place {
  readonly path: readonly (string | number)[];
  readonly near: readonly unknown[];
}

const expert = {
  name: "s",
  seed: 7,
  expert: { hidden: 64, intermediate: 64, name: "e", format: "bf16", activation: "relu" },
  tokens: [1, 2],
  layouts: ["interleaved", "row-major"],
  ndp: { clock: "1.2 GHz", lanes: 8, buffer: "256 KiB", maxTokens: 16 },
  memory: { preset: "DDR5-4800AN", refresh: "None", queueEntries: 32, timing: { nCL: 41 } },
  expect: { boundShare: { interleaved: 0.1 } },
};
const attention = {
  name: "s",
  attention: {
    heads: 2,
    headWidth: 64,
    source: { generator: "hta1", firstSeed: 5 },
    length: 128,
    decode: 1,
    methods: ["dense", "sparf"],
    ratio: "1/8",
    r: 8,
    k: 16,
    dimsPerPage: 2,
    engine: { kernels: 1, lanes: 4, slots: 2 },
    channels: 4,
    flash: ["znand4k"],
    devices: [1],
    sharedLink: "14 GB/s",
    inFlight: [1, 2],
    expect: { speedup: { znand4k: 0 } },
  },
};
const goodScenarios: readonly object[] = [
  { name: "s", expert: { model: "deepseek-v2" } },
  { name: "s", expert: { weights: "w.safetensors", allowNonfinite: true } },
  { name: "s", attention: { model: "opt-13b" } },
  { name: "s", attention: { source: { weights: "w.safetensors", text: "t.bin", window: 2 } } },
  { name: "s", attention: { source: { q: "q.npy", k: "k.npy", v: "v.npy" } } },
  expert,
  attention,
  { ...expert, ...attention, title: "both" },
];

/** Values that every schema of numbers, texts or groups must reject properly. */
const strange: readonly unknown[] = [
  ...[null, true, {}, [], [[]], [null], { more: 1 }, [{ more: [] }], "", " ", "\n", "\u0000"],
  ...[NaN, Infinity, -Infinity, -0, -1, 0, 0.5, 1e-320, 2 ** 31, 2 ** 53, 1e21, 1.8e308],
  ...["0 Hz", "-1 GHz", "1e3 GHz", "0.5 B", "9999999999 GB", "1 GHz ".repeat(200), "1/0", "0/1"],
  ...["__proto__", "constructor", "x".repeat(40_000), "\u202e", "a\nb", "<script>", "NaN"],
  Array.from({ length: 400 }, (_, i) => i),
  Object.fromEntries(Array.from({ length: 300 }, (_, i) => [`key${i}`, i])),
];

const strangeKeys = [
  "more",
  "__proto__",
  "constructor",
  "toString",
  "",
  "a.b",
  "a\nb",
  "k".repeat(900),
];

const places = placesOf(scenarioJsonSchema() as Part, []);

function placesOf(part: Part, path: readonly (string | number)[]): readonly Place[] {
  const choices = [...(part.anyOf ?? []), ...(part.oneOf ?? [])];
  const { minimum: least, maximum: most } = part;
  const near = [
    ...(part.enum ?? []),
    ...(part.type === "boolean" ? [true, false] : []),
    ...(part.const === undefined ? [] : [part.const]),
    ...(least === undefined ? [] : [least, least - 1, least + 1]),
    ...(most === undefined ? [] : [most, most + 1, Math.floor(most / 2)]),
    ...(least === undefined && most === undefined ? [] : [2, 4, 8, 16, 64, 1000, 65536]),
  ];
  const below = Object.entries(part.properties ?? {}).flatMap(([key, inner]) =>
    placesOf(inner, [...path, key]),
  );
  return [
    ...(path.length === 0 ? [] : [{ path, near }]),
    ...below,
    ...(part.items === undefined ? [] : placesOf(part.items, [...path, 0])),
    ...choices.flatMap((one) => placesOf(one, path)),
  ];
}

type Change = (document: unknown) => unknown;

const anything = fc.oneof(
  fc.constantFrom(...strange),
  fc.double(),
  fc.string(),
  fc.jsonValue({ maxDepth: 3 }),
);

const quantities = [
  ...["1 MHz", "1 THz", "285 MHz", "64 KiB", "1 PiB", "512 B", "1/4", "1/1000"],
  ...["100 ns", "4 us", "1.4 GB/s"],
];

/** A setting of the schema gets any value. */
const anySetting: fc.Arbitrary<Change> = fc.tuple(fc.constantFrom(...places), anything).map(
  ([{ path }, value]): Change =>
    (document) =>
      withValue(document, path, value),
);

/** A setting of the schema that `good` has, or one next to those, gets a value near its bounds. */
function nearSetting(good: object): fc.Arbitrary<Change> {
  const there = places.filter(({ path: [top] }) => top !== undefined && top in good);
  return fc.constantFrom(...there).chain(({ path, near }) =>
    fc.constantFrom(...(near.length === 0 ? quantities : near)).map(
      (value): Change =>
        (document) =>
          withValue(document, path, value),
    ),
  );
}

/** A group gets an unknown key. */
const strangeKey: fc.Arbitrary<Change> = fc
  .tuple(fc.constantFrom(...places), fc.constantFrom(...strangeKeys), anything)
  .map(
    ([{ path }, key, value]): Change =>
      (document) =>
        withValue(document, [...path.slice(0, -1), key], value),
  );

function withValue(node: unknown, path: readonly (string | number)[], value: unknown): unknown {
  const [key, ...rest] = path;
  if (key === undefined) return value;
  if (typeof key === "number") {
    const list: unknown[] = Array.isArray(node) ? [...(node as unknown[])] : [];
    list[key] = withValue(list[key], rest, value);
    return list;
  }
  const group = typeof node === "object" && node !== null && !Array.isArray(node) ? node : {};
  const inner: unknown = Object.hasOwn(group, key) ? group[key as keyof typeof group] : undefined;
  // A key such as __proto__ must become an own key of the group.
  return Object.fromEntries([...Object.entries(group), [key, withValue(inner, rest, value)]]);
}

/** The text of a scenario with up to three changes; with one near a bound, it is often still good. */
export const almostScenarios: fc.Arbitrary<string> = fc
  .constantFrom(...goodScenarios)
  .chain((good) =>
    fc.oneof(
      nearSetting(good).map((change) => change(good)),
      changed(good, nearSetting(good)),
      changed(good, fc.oneof(nearSetting(good), anySetting, strangeKey)),
      changed(good, anySetting),
      changedValues(good),
    ),
  )
  .map((document) => stringify(document, { aliasDuplicateObjects: false }));

function changed(good: object, change: fc.Arbitrary<Change>): fc.Arbitrary<unknown> {
  return fc
    .array(change, { minLength: 1, maxLength: 3 })
    .map((changes) => changes.reduce<unknown>((document, one) => one(document), good));
}

/** Settings of every group, without lists of lists. */
export const somePaths: readonly string[] = [
  "seed",
  "tokens",
  "expert.hidden",
  "ndp.lanes",
  "ndp.clock",
  "memory.queueEntries",
  "memory.timing.nCL",
  "expect.boundShare.interleaved",
  "attention.length",
  "attention.engine.slots",
  "attention.devices",
];

/** The scenario of both kernels with a list of lists at each path, which none of them may be. */
export function wrongAt(paths: readonly string[]): string {
  const good: unknown = { ...expert, ...attention };
  const document = paths.reduce((one, path) => withValue(one, path.split("."), [[]]), good);
  return stringify(document);
}
