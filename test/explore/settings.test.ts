// SPDX-License-Identifier: Apache-2.0
// The names of settings that a sweep accepts.

import { expect, it } from "vitest";

import { checkSettings } from "../../src/explore/settings-issues.ts";
import { rejection } from "../helpers/rejection.ts";

it("accepts a group that has another form, and the keys of this group", () => {
  expect(() => {
    checkSettings("a.yaml", ["attention.controller.ecc", "attention.controller.ecc.latency"]);
  }).not.toThrow();
});

it("rejects a group that has no other form", () => {
  expect(() => {
    checkSettings("a.yaml", ["attention.controller"]);
  }).toThrow(rejection("bad-input", /"attention\.controller" is a group of settings, not one/));
});
