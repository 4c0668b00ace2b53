// SPDX-License-Identifier: Apache-2.0

import { describe, expect, it } from "vitest";
import { memorySource } from "../../src/base/bytes.ts";
import { readSafetensors } from "../../src/workload/safetensors.ts";
import { changedBytes, expectSturdyReader } from "../helpers/hostile.ts";
import { rejection } from "../helpers/rejection.ts";
import { bits16, rawSafetensors, safetensors } from "../helpers/safetensors.ts";

const file = safetensors({
  a: bits16("F16", [2, 2], [1, 2, 3, 4]),
  b: bits16("BF16", [3], [5, 6, 7]),
});
const read = (data: Uint8Array): ReturnType<typeof readSafetensors> =>
  readSafetensors(memorySource("w.safetensors", data));

function withHeader(entries: Record<string, unknown>, dataBytes = 8): Uint8Array {
  return rawSafetensors(JSON.stringify(entries), [new Uint8Array(dataBytes)]);
}

const entry = (
  begin: number,
  end: number,
  shape: readonly number[] = [(end - begin) / 2],
): object => ({
  dtype: "F16",
  shape,
  data_offsets: [begin, end],
});

describe("safetensors header", () => {
  it("says where each tensor lies", () => {
    const { tensors } = read(file);
    expect([...tensors.keys()]).toEqual(["a", "b"]);
    const b = tensors.get("b");
    expect(b).toMatchObject({
      dtype: "BF16",
      shape: [3],
      begin: file.length - 6,
      end: file.length,
    });
  });

  it("takes tensors in any order of the file, and empty ones", () => {
    expect(
      read(withHeader({ z: entry(4, 8), y: entry(0, 4), x: entry(4, 4, [0]) })).tensors.size,
    ).toBe(3);
  });

  it("keeps tensors of types that it does not know", () => {
    const { tensors } = read(withHeader({ a: { ...entry(0, 6), dtype: "F99" }, b: entry(6, 8) }));
    expect(tensors.get("a")).toMatchObject({ dtype: "F99", shape: [3] });
    expect(tensors.get("b")?.dtype).toBe("F16");
  });

  it("knows the sizes of types that later versions of the format have", () => {
    const six = { dtype: "F6_E2M3", shape: [4], data_offsets: [0, 3] };
    const four = { dtype: "F4", shape: [2, 3], data_offsets: [3, 6] };
    const eight = { dtype: "F8_E4M3FNUZ", shape: [2], data_offsets: [6, 8] };
    expect(read(withHeader({ a: six, b: four, c: eight })).tensors.size).toBe(3);
    expect(() => read(withHeader({ a: { ...six, shape: [8] }, b: entry(3, 8, [1]) }))).toThrow(
      rejection("bad-input", /"a" .* 6 bytes.* 3/, /"b" .* 2 bytes.* 5/),
    );
  });

  it("refuses every truncation", () => {
    for (let length = 0; length < file.length; length += 1) {
      expect(() => read(file.subarray(0, length)), String(length)).toThrow(/^w\.safetensors: /);
    }
  });

  it.each<[string, Uint8Array, RegExp]>([
    ["a short file", new Uint8Array(3), / 8 .* 3/],
    ["another kind of file", new Uint8Array(64).fill(0x41), /\d{19} .* 56 /],
    ["a header that is no JSON", rawSafetensors("{nope", []), /JSON.*"nope"/],
    ["a header that is no object", rawSafetensors("[1]", []), /JSON object/],
    [
      "an entry without offsets",
      withHeader({ a: { dtype: "F16", shape: [4] } }),
      /"a" .*data_offsets/,
    ],
    ["offsets turned round", withHeader({ a: entry(8, 0, [4]) }), /"a" .*\(0\).*\(8\)/],
    ["data beyond the end", withHeader({ a: entry(0, 16) }), /"a" .* 16 .* 8/],
    ["a shape of another size", withHeader({ a: entry(0, 8, [5]) }), /"a" .* 10 .* 8/],
    ["overlapping tensors", withHeader({ a: entry(0, 6), b: entry(4, 8) }), /"a" .*"b" .*2 bytes/],
    ["a hole", withHeader({ a: entry(2, 8) }), /2 bytes .*"a"/],
    [
      "a tensor twice",
      rawSafetensors(
        '{"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]},"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]}}',
        [new Uint8Array(1)],
      ),
      /"a" .*twice/,
    ],
    ["metadata that is a text", withHeader({ __metadata__: "x", a: entry(0, 8) }), /__metadata__/],
    ["metadata of numbers", withHeader({ __metadata__: { x: 1 }, a: entry(0, 8) }), /__metadata__/],
    ["endless nesting", rawSafetensors("[".repeat(5000), []), /JSON: .* 100 /],
    ["trailing bytes", withHeader({ a: entry(0, 4) }), /last 4 bytes/],
  ])("refuses %s", (_, data, rule) => {
    expect(() => read(data)).toThrow(rejection("bad-input", rule));
  });

  it("reads or refuses a file that was changed anywhere", () => {
    expectSturdyReader(read, changedBytes(file), 500);
  });

  it("names every broken tensor at once", () => {
    const broken = withHeader({ a: entry(0, 16), b: { dtype: "F16" }, c: entry(6, 2, [1]) });
    expect(() => read(broken)).toThrow(rejection("bad-input", /"a"/, /"b"/, /"c"/));
  });
});
