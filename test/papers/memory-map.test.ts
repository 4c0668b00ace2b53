// SPDX-License-Identifier: Apache-2.0
// The sentence of a device that is too small: one device and one byte are singular.

import { expect, it } from "vitest";
import { bytes } from "../../src/base/units.ts";
import {
  deviceMemory,
  oneOf,
  shortagesOf,
  shortageText,
} from "../../src/papers/experiment/memory-map.ts";

it.each([
  [1, 11, "the GPU of decode lacks 1 byte (1 B): 11 B are needed, 10 B are there."],
  [4, 13, "each of 4 GPUs of decode lacks 3 bytes (3 B): 13 B are needed, 10 B are there."],
])("a shortage of %i GPUs", (count, needs, sentence) => {
  const map = [deviceMemory(`${oneOf(count, "GPU")} of decode`, bytes(10), [["weights", needs]])];
  expect(shortagesOf(map).map(shortageText)).toEqual([sentence]);
});
