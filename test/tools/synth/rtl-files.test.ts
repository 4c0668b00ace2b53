// SPDX-License-Identifier: Apache-2.0
// Parameters written into a file of the RTL: numbers, names of other parameters, and none that it
// does not have.

import { expect, it } from "vitest";
import { inRepository } from "../../../src/base/paths.ts";
import { withDefaults } from "../../../src/tools/synth/rtl-files.ts";
import { rejection } from "../../helpers/rejection.ts";

const unit = inRepository("rtl", "ndp", "act", "ndp_act_unit.sv");

it("writes values over numbers and over names, and nothing else", () => {
  const lines = (text: string): readonly string[] => text.split("\n");
  const before = lines(withDefaults(unit, {}));
  const after = lines(withDefaults(unit, { ActLanes: 64, BankLanes: 32 }));
  const changed = after.filter((line, i) => line !== before[i]).map((line) => line.trim());
  expect(changed).toEqual([
    expect.stringMatching(/^parameter int unsigned ActLanes = 64,/),
    expect.stringMatching(/^parameter int unsigned BankLanes = 32,/),
  ]);
  const walker = withDefaults(inRepository("rtl", "sparf", "front", "sparf_token_walker.sv"), {
    Values: 1,
  });
  expect(walker).toMatch(/^ {2}parameter bit Values = 1, /m);
  expect(() => withDefaults(unit, { Lanes: 1 })).toThrow(
    rejection("bad-input", /^Lanes: ndp_act_unit\.sv/),
  );
});
