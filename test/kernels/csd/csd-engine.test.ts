// SPDX-License-Identifier: Apache-2.0
// Attention requests as jobs of a storage device: sequences that grow, sizes of units and pages,
// answers in order; wrong pages and broken runs are errors.

import { describe, expect, it } from "vitest";

import type {
  AttentionAnswer,
  AttentionEngine,
  AttentionRequest,
} from "../../../src/kernels/csd/attention/attention-request.ts";
import { attentionEngine } from "../../../src/kernels/csd/attention/attention-engine.ts";
import { evaluate } from "../../../src/kernels/csd/attention/sparf-eval.ts";
import type { CsdMachine } from "../../../src/machine/csd/csd-machine.ts";
import { numbersToHalves } from "../../../src/golden/half.ts";
import { cycles } from "../../../src/base/units.ts";
import { generateHta1 } from "../../../src/workload/hta1.ts";
import { fakeCsd, type CsdFault } from "../../helpers/fake-csd.ts";
import { rejection } from "../../helpers/rejection.ts";

const width = 16;
const length = 40;
const { queries, keys, values } = generateHta1(1, length, width);
const query = (t: number): Float64Array => queries.slice(t * width, (t + 1) * width);

function request(tokens: number, pageBytes = 128): AttentionRequest {
  const cache = { length: tokens, width, keys, values };
  const parameters = { r: 4, k: 6, l: 1 };
  return {
    kind: "sparse",
    queries: query(tokens - 1),
    cache,
    pages: { m: 2, pageBytes },
    parameters,
  };
}

/** All fields of the answers that do not depend on the hardware. */
function values64(answers: readonly AttentionAnswer[]): unknown {
  return answers.map(({ dims, tokens, alphas, out }) => [
    dims,
    tokens,
    alphas,
    numbersToHalves(out),
  ]);
}

const engine = (fault: CsdFault = {}, machines: CsdMachine[] = []): AttentionEngine =>
  attentionEngine("cycle", fakeCsd(fault, machines));

describe("attention on a device", () => {
  it("answers as the golden engine does, for caches that grow, shrink and differ", async () => {
    const requests: readonly AttentionRequest[] = [
      request(20),
      request(24),
      { ...request(30), kind: "dense" },
      request(12),
      request(40, 256),
      { ...request(33), kind: "tokens", tokens: Uint32Array.of(0, 3, 7, 32) },
      request(40),
    ];
    const machines: CsdMachine[] = [];
    const attentionAnswers = await engine({}, machines).attend(requests);
    const wanted = await attentionEngine("golden", fakeCsd()).attend(requests);
    expect(values64(attentionAnswers)).toEqual(values64(wanted));
    expect(machines.map((m) => m.flash.page_bytes)).toEqual([128, 256]);
    expect(machines.map((m) => m.unit)).toMatchObject([
      { width, lanes: 16, ringLines: 2048, maxPageRows: 64 },
      { width, lanes: 16, ringLines: 2048, maxPageRows: 64 },
    ]);
  });

  it("gets a ring that holds the chosen dimensions of a block", async () => {
    const machines: CsdMachine[] = [];
    const long = generateHta1(2, 2100, width);
    const cache = { length: 2100, width, keys: long.keys, values: long.values };
    const all = { r: width, k: 2100, l: 0 };
    const wide: AttentionRequest = {
      kind: "sparse",
      queries: query(0),
      cache,
      parameters: all,
      pages: { m: 1, pageBytes: 4096 },
    };
    await engine({}, machines).attend([wide]);
    // 2048 tokens of one dimension are 64 lines, and 16 dimensions 1024: the usual ring is enough.
    expect(machines[0]?.unit).toMatchObject({ ringLines: 2048, maxPageRows: 128 });
  });

  it("refuses what no engine can be built for, every rule once", async () => {
    const thick = { ...request(20), pages: { m: 3, pageBytes: 16_384 } };
    await expect(engine().attend([thick, thick])).rejects.toThrow(
      rejection("bad-input", / 128 rows .* 512 /, /1, 2, 4 or 8 dimensions .* 3\b/),
    );
  });

  it("takes k and l beyond the head as all there is, and refuses what no descriptor holds", async () => {
    const beyond = { ...request(20), parameters: { r: 17, k: 65_536, l: 65_536 } };
    await expect(engine().attend([beyond])).rejects.toThrow(
      rejection(
        "bad-input",
        /\(r\) from 1 to 16, not 17/,
        /\(k\) .* 65535, .*65536/,
        /\(l\) .*65536/,
      ),
    );
    const much = { ...request(20), parameters: { r: 16, k: 65_535, l: 65_535 } };
    const attentionAnswers = await engine().attend([much]);
    const wanted = await attentionEngine("golden", fakeCsd()).attend([much]);
    expect(values64(attentionAnswers)).toEqual(values64(wanted));
    expect(attentionAnswers[0]?.tokens).toHaveLength(20);
  });

  it("fails when an append says that its row is not finite", async () => {
    const grows = [request(20), request(24)];
    // The first request, four appends, the second request.
    const wrong = engine({ nonFiniteJob: 3 }).attend(grows);
    await expect(wrong).rejects.toThrow(rejection("check-failed", /infinite or not a number/));
    expect(await engine({ nonFiniteJob: 6 }).attend(grows)).toHaveLength(2);
  });

  it("fails when a run breaks off or reads pages beyond the rules", async () => {
    const outcome = { kind: "cycle-limit", cycle: cycles(7) } as const;
    await expect(engine({ outcome }).attend([request(20)])).rejects.toThrow(
      rejection("check-failed", /limit of cycles/),
    );
    const dataset = {
      id: "one",
      cache: { length, width, keys, values },
      queries: [query(39)],
      cases: [{ id: "one#0", query: 0, r: 4, k: 6, l: 1, m: 2, n: 4, pageBytes: 128 }],
    };
    await expect(evaluate(engine({ extraPage: true }), [dataset])).rejects.toThrow(
      rejection("check-failed", /^one#0: .*\d+, \d+, \d+ pages/),
    );
    const { cases } = await evaluate(engine(), [dataset]);
    expect(cases[0]?.id).toBe("one#0");
  });
});
