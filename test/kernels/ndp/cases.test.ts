// SPDX-License-Identifier: Apache-2.0
// A scenario's checks, each seen to hold and to fail, on sessions without hardware.

import { describe, expect, it } from "vitest";
import { goldenExpert } from "../../../src/golden/expert.ts";
import { parseScenario } from "../../../src/scenario/parse.ts";
import { resolveConfig } from "../../../src/scenario/resolve.ts";
import type { ResolvedConfig } from "../../../src/scenario/resolve.ts";
import { runCases } from "../../../src/kernels/ndp/cases.ts";
import type { OpenSession, RunOutcome } from "../../../src/machine/types.ts";
import type { CaseResult } from "../../../src/results/types.ts";
import { cycles } from "../../../src/base/units.ts";
import { generateExpert } from "../../../src/workload/generate.ts";
import { expertEnergy } from "../../../src/results/energy/energy.ts";
import { readCost } from "../../../src/tools/synth/record.ts";
import { present } from "../../../src/base/present.ts";
import { fakeSessions } from "../../helpers/fake-session.ts";

const unit =
  "ndp: { streams: 2, multipliersPerStream: 4, buffer: 16 KiB, queueBursts: 8, activationLanes: 32, maxTokens: 8 }";
const small = `name: s\nexpert: { hidden: 50, intermediate: 20 }\ntokens: [1, 3]\n${unit}\n`;

const config = (more = ""): ResolvedConfig =>
  resolveConfig("s.yaml", parseScenario("s.yaml", small + more));

async function run(
  open: OpenSession,
  resolved = config(),
  waves = false,
): Promise<readonly CaseResult[]> {
  const { scenario } = resolved;
  const source = scenario.expert?.source;
  if (source?.kind !== "generated") throw new Error("generated weights are needed");
  const { format, hidden, intermediate } = source;
  return runCases(resolved, {
    open,
    weights: generateExpert({ seed: 1, name: "e", format, hidden, intermediate }),
    golden: goldenExpert,
    signal: new AbortController().signal,
    onCase: () => ({ update: () => undefined, end: () => undefined }),
    expected: { golden: new Map(), real: new Map(), inputs: new Map(), images: new Map() },
    waveDirectory: "/waves",
    waves,
  });
}

const failed = (results: readonly CaseResult[]): readonly string[] =>
  results.flatMap((r) => r.checks.filter((c) => !c.pass).map((c) => `${r.id} ${c.id}`));

describe("the cases of a scenario", () => {
  it("are every layout with every number of tokens, all checks holding", async () => {
    const results = await run(fakeSessions(), config("layouts: [interleaved, row-major]\n"));
    expect(results.map((r) => r.id)).toEqual([
      "interleaved-1",
      "interleaved-3",
      "row-major-1",
      "row-major-3",
    ]);
    expect(failed(results)).toEqual([]);
    expect(results[0]?.accuracy).toMatchObject({ differentFromGolden: 0, values: 50 });
    // The layout changes the addresses, not the results.
    expect(results[0]?.outputHash).toBe(results[2]?.outputHash);
  });

  it("of gpt-oss and DeepSeek-V4 use the recorded energy of their own function", async () => {
    const recordedNdp = readCost("ndp") ?? expect.fail("no record");
    const { energy } = recordedNdp;
    const of = async (gate: string): Promise<number> => {
      const text = small.replace("intermediate: 20", `intermediate: 20, ${gate}`);
      const [first] = await run(fakeSessions(), resolveConfig("s", parseScenario("s", text)));
      const one = present(first);
      const runEnergy = expertEnergy(one, energy, 1000, one.machine.unit);
      const activation = present(runEnergy?.parts.find(({ part }) => part === "activation"));
      return activation.joules / (activation.count ?? NaN);
    };
    const recorded = (id: string): number =>
      present(energy.operations.find((one) => one.id === id)).joules;
    const gptOss = "activation: quick-gelu, gateLimit: 7, upPlusOne: true";
    expect(await of(gptOss)).toBeCloseTo(recorded("activate quick-gelu up + 1"), 18);
    expect(await of("gateLimit: 10")).toBeCloseTo(recorded("activate"), 18);
    expect(await of("activation: relu2")).toBeCloseTo(recorded("activate relu2"), 18);
  });

  it("compute in BF16 against its own limit of error", async () => {
    const bf16 = small.replace("intermediate: 20", "intermediate: 20, format: bf16");
    const results = await run(fakeSessions(), resolveConfig("s", parseScenario("s", bf16)));
    expect(failed(results)).toEqual([]);
    const relative = results[0]?.accuracy?.relativeL2 ?? 0;
    expect(relative).toBeGreaterThan(1e-3);
    expect(relative).toBeLessThan(1.6e-2);
  });

  it("fail when one bit differs from golden, and trace the cycles before it", async () => {
    const waveforms: { path: string; from: number }[] = [];
    const results = await run(fakeSessions({ flip: 30 }, waveforms));
    expect(failed(results)).toEqual(["interleaved-1 golden", "interleaved-3 golden"]);
    // Output 30 of 50 is computed at cycle 160,000 of the down phase; nine tenths of the window
    // precede it.
    expect(waveforms[0]).toEqual({
      path: "/waves/interleaved-1-failure.fst",
      from: 142_000,
      to: 162_000,
    });
  });

  it.each<RunOutcome>([
    { kind: "assertion-failed", cycle: cycles(5), place: "top.u_x", message: "Held_A" },
    { kind: "deadlock", cycle: cycles(5), place: "unit", message: "nothing will ever happen" },
    { kind: "guard-failed", cycle: cycles(5), place: "stream 1", message: "too many bytes" },
    { kind: "cycle-limit", cycle: cycles(5) },
  ])("fail on $kind with the cycle and the place", async (outcome) => {
    const waveforms: { path: string; from: number }[] = [];
    const results = await run(fakeSessions({ outcome }, waveforms));
    expect(failed(results)).toEqual(["interleaved-1 outcome", "interleaved-3 outcome"]);
    expect(results[0]?.checks[0]?.detail).toContain("cycle 5");
    expect(results[0]?.outputHash).toBeNull();
    expect(waveforms).toHaveLength(2);
  });

  it("fail when a run does not reach the share of its bound that the scenario asks for", async () => {
    const asked = config("expect: { boundShare: { interleaved: 0.95 } }\n");
    expect(failed(await run(fakeSessions({ cycles: 1_000_000 }), asked))).toEqual([
      "interleaved-1 bound",
      "interleaved-3 bound",
    ]);
    expect(failed(await run(fakeSessions({ cycles: 1 }), asked))).toEqual([]);
  });

  it("end without results when cancelled", async () => {
    const cancelled = fakeSessions({ outcome: { kind: "cancelled", cycle: cycles(1) } });
    await expect(run(cancelled)).rejects.toMatchObject({ code: "cancelled" });
  });

  it("trace the beginning of every run when told to", async () => {
    const waveforms: { path: string; from: number }[] = [];
    await run(fakeSessions({}, waveforms), config(), true);
    expect(waveforms.map((w) => [w.path, w.from])).toEqual([
      ["/waves/interleaved-1.fst", 0],
      ["/waves/interleaved-3.fst", 0],
    ]);
  });

  it("need no session in closed form", async () => {
    const never: OpenSession = () => Promise.reject(new Error("opened"));
    const results = await run(never, config("fidelity: analytic\n"));
    expect(results.every((r) => r.run === null && r.time > 0)).toBe(true);
  });
});
