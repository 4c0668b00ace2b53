// SPDX-License-Identifier: Apache-2.0
// Files of recorded activations, of policy cases and of requests that leave a reader to guess.

import { describe, expect, it } from "vitest";
import { lengthsOfCsv } from "../../../src/papers/llmshare/model/requests.ts";
import {
  changedBytes,
  expectOnlyRegular,
  expectRejected,
  expectSturdy,
} from "../../helpers/hostile.ts";
import type { HostileFile } from "../../helpers/hostile.ts";
import { rejection } from "../../helpers/rejection.ts";

const layer: HostileFile = {
  name: "trace.csv",
  args: (path) => ["policy", "layer", path, "--model", "mixtral-8x7b"],
};
const cases: HostileFile = {
  name: "cases.json",
  args: (path, directory) => ["policy", "solve", path, "--out", `${directory}/out.json`],
};
const header = "step,layer,expert,tokens\n";

describe("recorded activations", () => {
  it.each<[string, string | Uint8Array, RegExp]>([
    ["nothing", "", /no row/],
    ["only a header", header, /no row/],
    ["a column twice", `step,layer,expert,tokens,tokens\n0,0,0,1,2\n`, /csv:1: .*\btokens\b/],
    ["a column more", `step,layer,expert,tokens,more\n0,0,0,1,2\n`, /csv:1: .*"more"/],
    ["a cell more", `${header}0,0,0,1,2\n`, /csv:2: .*5 cells/],
    ["a cell less", `${header}0,0,0\n`, /csv:2: tokens/],
    ["a negative number", `${header}0,0,0,-1\n`, /csv:2: tokens/],
    ["a hexadecimal number", `${header}0,0,0,0x10\n`, /csv:2: tokens/],
    ["an absurd number", `${header}0,0,0,2147483647\n`, /csv:2: tokens .* 1000000/],
    ["a key more", '{"step":0,"layer":0,"expert":0,"tokens":1,"x":1}\n', /csv:1: "x"/],
    ["NUL", `${header}0,0,0,1\0\n`, /NUL/],
  ])("with %s are refused", async (_, contents, rule) => {
    await expectRejected(layer, contents, rule);
  });

  it("in no regular file are refused", async () => {
    await expectOnlyRegular(layer);
  });

  it("changed anywhere are solved or refused", async () => {
    const good = `${header}0,0,0,5\n0,0,1,3\n1,0,0,4\n`;
    await expectSturdy(layer, changedBytes(Buffer.from(good)), 60);
  });
});

describe("policy cases", () => {
  const one = (inputs: object): string =>
    JSON.stringify({
      oracle: "paper_arithmetic",
      version: 1,
      cases: [{ id: "x", kind: "lia", where: "", what: "x", published: 1, inputs }],
    });

  it.each<[string, string, RegExp]>([
    ["a list where a number belongs", one({ B: [1] }), /json: .*inputs\.B: /],
    ["a group as an operand", one({ a: {}, b: 1 }), /json: .*inputs\.a: /],
    ["deep lists", "[".repeat(5000), / 100 /],
    ["a key twice", '{"oracle":"ehvi","oracle":"ehvi"}', /"oracle" .*twice/],
  ])("with %s are refused", async (_, contents, rule) => {
    await expectRejected(cases, contents, rule);
  });
});

describe("a request log", () => {
  const names = "TIMESTAMP,ContextTokens,GeneratedTokens\n";
  it.each<[string, string, string | RegExp]>([
    ["a column twice", "ContextTokens,GeneratedTokens,ContextTokens\n1,2,3\n", /^log.*twice/],
    ["a cell more", `${names}t,1,2,3\n`, "log:2"],
    ["no number", `${names}t,many,2\n`, "log:2"],
    ["a fraction", `${names}t,1.5,2\n`, "log:2"],
    ["an absurd number", `${names}t,1e300,2\n`, "log:2"],
    ["only a header", names, "log"],
  ])("with %s is refused", (_, text, where) => {
    expect(() => lengthsOfCsv(text, "log")).toThrow(rejection("bad-input", where));
  });
});
