// SPDX-License-Identifier: Apache-2.0
// Routes as other programs record them: the same loads in every format, and what is refused where.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseTrace } from "../../../src/papers/trimoe/model/recorded.ts";
import { cli, inTemporary } from "../../helpers/cli.ts";
import { rejection } from "../../helpers/rejection.ts";
import { runs } from "../../helpers/tier.ts";

const experts = 4;

/** Tokens of each expert, by layer. */
const loads = fc
  .array(fc.array(fc.nat(5), { minLength: experts, maxLength: experts }), {
    minLength: 1,
    maxLength: 3,
  })
  .filter((layers) => layers.some((one) => one.some((n) => n > 0)));

const layersOf = (text: string): Record<number, number[][]> =>
  Object.fromEntries(
    [...parseTrace("t", text, experts).layers].map(([layer, steps]) => [
      layer,
      steps.map((one) => [...one]),
    ]),
  );

/** Every load above 0. */
const cells = (layers: readonly (readonly number[])[]): readonly (readonly number[])[] =>
  layers.flatMap((one, layer) =>
    one.flatMap((tokens, expert) => (tokens > 0 ? [[layer, expert, tokens]] : [])),
  );

const writers: readonly (readonly [string, (layers: readonly (readonly number[])[]) => string])[] =
  [
    [
      "lines of counts",
      (layers) =>
        `layer_id,expert_id,count\n${cells(layers)
          .map((row) => row.join(","))
          .join("\n")}\n`,
    ],
    [
      "a line for each choice",
      (layers) =>
        `layer,expert\r\n${cells(layers)
          .flatMap(([layer, expert, n = 0]) =>
            Array.from({ length: n }, () => `${layer},${expert}`),
          )
          .join("\r\n")}`,
    ],
    [
      "JSON lines of choices",
      (layers) =>
        cells(layers)
          .flatMap(([layer, expert, n]) =>
            Array.from({ length: n ?? 0 }, () => ({ layer, expert })),
          )
          .map((row) => JSON.stringify(row))
          .join("\n"),
    ],
    ["SGLang's record", (layers) => JSON.stringify({ rank: 0, logical_count: [layers] })],
    ["SGLang's record of one step", (layers) => JSON.stringify({ logical_count: layers }, null, 1)],
  ];

describe("routes", () => {
  it.each(writers)("as %s are the same loads", (_, write) => {
    fc.assert(
      fc.property(loads, (layers) => {
        const wanted = Object.fromEntries(
          layers.flatMap((one, i) => (one.some((n) => n > 0) ? [[i, [one]]] : [])),
        );
        expect(layersOf(write(layers))).toEqual(wanted);
      }),
      { numRuns: runs(30, 300) },
    );
  });

  it("of SGLang leave out steps without tokens, which are room of its buffer", () => {
    const empty = [
      [0, 0, 0, 0],
      [0, 0, 0, 0],
    ];
    const steps = [
      [
        [0, 0, 0, 0],
        [1, 2, 0, 0],
      ],
      empty,
      [
        [0, 0, 0, 0],
        [0, 0, 3, 0],
      ],
    ];
    expect(layersOf(JSON.stringify({ logical_count: steps }))).toEqual({
      1: [
        [1, 2, 0, 0],
        [0, 0, 3, 0],
      ],
    });
  });

  it("of vLLM are a step for the prompt and one for each generated token of all choices", () => {
    const answer = {
      id: "cmpl-1",
      object: "text_completion",
      model: "m",
      prompt_routed_experts: [[[0, 1]], [[0, 2]]],
      choices: [
        { index: 0, text: "a", routed_experts: [[[3, 1]], [[3, 0]]] },
        { index: 1, text: "b", routed_experts: [[[3, 2]]] },
      ],
    };
    expect(layersOf(JSON.stringify(answer))).toEqual({
      0: [
        [2, 1, 1, 0],
        [0, 1, 1, 2],
        [1, 0, 0, 1],
      ],
    });
    expect(parseTrace("t", JSON.stringify(answer), experts).notes).toEqual([]);
  });

  it("without steps say that they are taken for one", () => {
    for (const text of ["layer,expert\n0,1\n", '{"logical_count": [[1, 0, 0, 0]]}']) {
      expect(parseTrace("t", text, experts).notes).toEqual([expect.stringMatching(/one step/)]);
    }
    const stepped = "step,layer,expert,tokens\n0,0,1,1\n";
    expect(parseTrace("t", stepped, experts).notes).toEqual([]);
  });

  it.each<[string, string, readonly (string | RegExp)[]]>([
    ["another header", "expert_id,count\n0,1\n", [/^t:1: .*layer_id,expert_id,count/]],
    ["a column of another kind", "layer,expert,weight\n0,1,0.5\n", [/^t:1: "weight"/]],
    ["a column under two names", "layer,layer_id,expert\n0,0,1\n", [/^t:1: .*layer .*twice/]],
    ["two bad lines", "layer,expert\n0,1\n0,x\n0,1,2\n", ["t:3", "t:4"]],
    ["files of several ranks in one", "layer_id,expert_id,count\n0,1,5\n0,1,6\n", [/twice/]],
    ["an expert that is not there", "layer,expert\n0,4\n", [/^t:2: .*expert 4 of 4/]],
    ["more tokens than any step has", "layer,expert,count\n0,1,2000000000\n", ["t:2"]],
    ["rows of two kinds", '{"layer":0,"expert":1}\n{"layer":0,"expert":1,"count":2}\n', ["t:2"]],
    ["experts of another model", '{"logical_count": [[1, 2, 3]]}', [/logical_count\[0\]: .*4/]],
    ["half a token", '{"logical_count": [[[1, 0.5, 0, 0]]]}', [/logical_count\[0\]\[0\]: /]],
    ["steps of different layers", '{"logical_count": [[[1,0,0,0]],[]]}', [/logical_count\[1\]: /]],
    ["no counts", '{"logical_count": {"0": 1}}', [/logical_count: /]],
    ["a key of another record", '{"logical_count": [[1,0,0,0]], "eplb": 1}', [/"eplb"/]],
    ["physical experts", '{"records": [], "last_physical_to_logical_map": []}', [/physical/]],
    ["base64", '{"routed_experts": "AAEC"}', [/routed_experts: .*base64/]],
    ["an expert twice for a token", '{"routed_experts": [[[1, 1]]]}', [/routed_experts\[0\]: /]],
    ["tokens of two shapes", '{"routed_experts": [[[1, 2]], [[1]]]}', [/routed_experts\[1\]: /]],
    ["padding", '{"routed_experts": [[[-1, 2]]]}', [/routed_experts\[0\]: /]],
    ["an answer without routes", '{"choices": [{"text": "a"}]}', [/^t: there is no row/]],
  ])("with %s are refused", (_, text, where) => {
    expect(() => parseTrace("t", text, experts)).toThrow(rejection("bad-input", ...where));
  });

  it("are solved by policy layer, plain and gzip, with a remark", async () => {
    await inTemporary(async (directory) => {
      const path = join(directory, "t.csv.gz");
      writeFileSync(path, gzipSync("layer_id,expert_id,count\n3,0,412\n3,18,97\n3,21,56\n"));
      const cliResult = await cli("policy", "layer", path, "--model", "qwen3-235b-a22b", "--json");
      expect(cliResult.code).toBe(0);
      expect(cliResult.stderr).toMatch(/^neardata: .*t\.csv\.gz: .*one step/);
      const { layers } = JSON.parse(cliResult.stdout) as {
        layers: { layer: number; steps: number }[];
      };
      expect(layers).toMatchObject([{ layer: 3, steps: 1 }]);
    });
  });
});
