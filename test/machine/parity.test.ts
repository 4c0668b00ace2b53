// SPDX-License-Identifier: Apache-2.0
// Parity of a storage device: what a scenario states, else the spare area of the flash behind the controller.

import { expect, it } from "vitest";
import { controllerOf } from "../../src/machine/resolve/controller.ts";
import { csdMachine, sparfUnit } from "../../src/machine/resolve/csd.ts";
import { flashPresets, type FlashPreset } from "../../src/machine/flash/presets.ts";
import { bytes } from "../../src/base/units.ts";

function parityOf(flash: FlashPreset, parity?: number): number | undefined {
  const controller = controllerOf(parity === undefined ? {} : { ecc: { parity: bytes(parity) } });
  const unit = sparfUnit(128, 8, 16);
  const machine = { engine: "cycle", devices: 1, unit, flash: flashPresets[flash] } as const;
  return csdMachine({ ...machine, controller }).controller.ecc?.parity;
}

it.each([
  // The page has 1,872 spare bytes for 16,384 bytes of data (Micron MT29F128G08CBECB).
  ["tlc4k", 117],
  ["tlc16k", 117],
  ["daisyplus", 117],
  // SLC has 56 spare bytes for 1,024 bytes of data; a code that corrects 40 bits needs 70.
  ["znand4k", 70],
] as const)("a codeword of 1 KiB of %s has %d bytes of parity", (flash, parity) => {
  expect(parityOf(flash)).toBe(parity);
});

it("a scenario that states it has it on any flash", () => {
  expect(parityOf("tlc16k", 70)).toBe(70);
  expect(parityOf("znand4k", 1024)).toBe(1024);
  const { ecc } = controllerOf({ ecc: "none" });
  expect(ecc).toBeNull();
});
