// SPDX-License-Identifier: Apache-2.0
// An expert behind channels of every simulated standard: the cycle model equals the RTL in every cycle, the values are
// those of the golden model, and the commands of each channel obey the standard.

import { describe, expect, test } from "vitest";

import { defined } from "../../src/base/defined.ts";
import { present } from "../../src/base/present.ts";
import { cycles, type Cycles } from "../../src/base/units.ts";
import { goldenExpert } from "../../src/golden/expert.ts";
import { checkTrace, type CheckResult } from "../../src/kernels/dram/check/check.ts";
import { countsOf, tableBusCycles } from "../../src/kernels/dram/check/memory.ts";
import { prepareExpert, runExpert } from "../../src/kernels/ndp/cold-expert.ts";
import { standardOf } from "../../src/machine/rank-memory.ts";
import type { ChannelRefresh } from "../../src/machine/dram/refresh-kind.ts";
import { refreshCommandOf } from "../../src/machine/dram/standards/controller.ts";
import { standardNames } from "../../src/machine/dram/standards/standards.ts";
import { channelMemory, paperMachine, rankMemory } from "../../src/machine/resolve/systems.ts";
import type { CommandRecord, NdpMachine, NdpRun, RankMemory } from "../../src/machine/types.ts";
import { openSession } from "../../src/native/session.ts";
import { bitsOf } from "../helpers/float-bits.ts";
import { smallUnit } from "../helpers/machines.ts";

const hidden = 300;
const intermediate = 140;

function matrixOf(seed: number): Uint16Array {
  return bitsOf("fp16", hidden * intermediate, seed);
}
const weights = {
  name: "random",
  format: "fp16",
  hidden,
  intermediate,
  gate: matrixOf(1),
  up: matrixOf(2),
  down: matrixOf(3),
} as const;

function presetOf(name: string): string {
  return standardOf({ standard: name }).defaultPreset;
}

function memoryOf(
  name: string,
  refresh: ChannelRefresh,
  mapping: RankMemory["mapping"],
  preset: string = presetOf(name),
): RankMemory {
  const standard = standardOf({ standard: name });
  const memory =
    name === "DDR5"
      ? rankMemory("TriMoE", 32, "a test")
      : channelMemory(standard, preset, 32, "a test");
  // The first refresh is soon, so that a short run has several.
  return { ...memory, refresh, mapping, refreshStart: 0.9 };
}

/** The commands of a channel as `neardata dram check` reads them. */
function linesOf(memory: RankMemory, commands: readonly CommandRecord[]): readonly string[] {
  const hasPseudoChannels = standardOf(memory).levels.includes("pseudo channel");
  const place = hasPseudoChannels ? "pc,rank" : "rank";
  return [
    `cycle,ch,cmd,${place},bg,bank,row,col,req`,
    ...commands.map(({ cycle, command, logicalRank, bankGroup, bank, row, column }) => {
      const rank = hasPseudoChannels ? [0, bank === -1 ? -1 : logicalRank] : [0];
      return [cycle, 0, command, ...rank, bankGroup, bank, row, column, -1].join(",");
    }),
  ];
}

function checked(memory: RankMemory, run: NdpRun, stream: number): Promise<CheckResult> {
  const standard = standardOf(memory);
  const commands = run.commands.filter((one) => one.stream === stream);
  return checkTrace(
    {
      standard,
      timing: memory.timing,
      channels: 1,
      counts: countsOf({
        "stack id": memory.logicalRanks ?? 1,
        "bank group": memory.bankGroups,
        bank: memory.banksPerGroup,
      }),
      busCycles: tableBusCycles(standard),
      // The debt at the start of the run is not in the trace.
      refreshes: false,
      clockAlwaysOn: false,
      ...defined({ refreshManagement: memory.refreshManagement }),
    },
    "a test",
    linesOf(memory, commands).map((text, index) => ({ text, number: index + 1 })),
  );
}

const names = standardNames.filter((name) => name !== "DDR5");
const perBank = names.filter(
  (name) => refreshCommandOf(standardOf({ standard: name }), "PerBank") !== undefined,
);
const eightBanks = "LPDDR5-6400 8B";
const memories: readonly (readonly [string, ChannelRefresh, RankMemory["mapping"], string])[] = [
  ...names.map((name) => [name, "AllBank", "RoBaCoBg", presetOf(name)] as const),
  ...perBank.map((name) => [name, "PerBank", "RoCoBaBg", presetOf(name)] as const),
  ...names.map((name) => [name, "None", "RoBaRaCoCh", presetOf(name)] as const),
  ["LPDDR5", "AllBank", "RoBaCoBg", eightBanks],
  ["LPDDR5", "PerBank", "RoCoBaBg", eightBanks],
];

/** The same job on the RTL of the unit and on its model; the model equals the RTL, and the values the golden model. */
async function runOnBoth(memory: RankMemory): Promise<NdpRun> {
  const machine = (engine: "rtl" | "cycle"): NdpMachine => ({
    ...paperMachine(engine),
    unit: smallUnit,
    memory,
  });
  const inputs = bitsOf("fp16", 3 * hidden, 4);
  const task = { weights, inputs, activation: "silu", arrangement: "interleaved" } as const;
  const prepared = prepareExpert(machine("rtl"), task);
  const rtl = await openSession(machine("rtl"));
  const options = { keepCommands: 100_000 };
  const real = await runExpert(rtl, prepared, options);
  expect(real.run.outcome).toEqual({ kind: "completed" });
  const block = smallUnit.multipliersPerStream * smallUnit.lanes;
  expect(real.outputs).toEqual(goldenExpert(weights, inputs, "silu", block));
  const model = await runExpert(await openSession(machine("cycle")), prepared, options);
  const { cycles: modelled, streams, commands } = model.run;
  expect({ modelled, streams, commands }).toEqual({
    modelled: real.run.cycles,
    streams: real.run.streams,
    commands: real.run.commands,
  });
  return real.run;
}

describe("an expert", () => {
  test.each(memories)(
    "behind %s with refresh %s, mapping %s and preset %s",
    async (name, refresh, mapping, preset) => {
      const memory = memoryOf(name, refresh, mapping, preset);
      const run = await runOnBoth(memory);
      for (let stream = 0; stream < smallUnit.streams; ++stream) {
        const { violations, commands: count } = await checked(memory, run, stream);
        expect(violations).toEqual([]);
        expect(count).toBeGreaterThan(100);
      }
      const refreshes = run.commands.filter(({ command }) => command.startsWith("REF"));
      expect(refreshes.length > 0).toBe(refresh !== "None");
    },
  );

  test.each([
    ["DDR5", "AllBank", "RFMab"],
    ["DDR5", "SameBank", "RFMsb"],
    ["HBM3", "AllBank", "RFMab"],
    ["HBM3", "PerBank", "RFMpb"],
  ] as const)(
    "behind %s with refresh %s and a low RAAIMT gets %s before a bank is at RAAMMT",
    async (name, refresh, rfm) => {
      // Rows are short, so that a small expert opens many.
      const plain = { ...memoryOf(name, refresh, "RoBaRaCoCh"), columnsPerRow: 4 };
      const refreshManagement = { initial: 2, maximum: 2, perRefresh: 1 };
      const managed = { ...plain, refreshManagement };
      const run = await runOnBoth(managed);
      const issued = run.commands.filter(({ command }) => command.startsWith("RFM"));
      expect(issued.length).toBeGreaterThan(0);
      expect(new Set(issued.map(({ command }) => command))).toEqual(new Set([rfm]));
      const counted = run.streams.reduce((sum, { rankManagements }) => sum + rankManagements, 0);
      expect(counted).toBe(issued.length);
      const without = await runOnBoth(plain);
      let broken = 0;
      for (let stream = 0; stream < smallUnit.streams; ++stream) {
        expect((await checked(managed, run, stream)).violations).toEqual([]);
        const { violations } = await checked(managed, without, stream);
        broken += violations.filter(({ rule }) => rule === "RAA maximum").length;
      }
      // The check finds the activations of a machine without RFMs.
      expect(broken).toBeGreaterThan(0);
      const high = { initial: 1000, maximum: 1000, perRefresh: 1000 };
      const idle = await runOnBoth({ ...plain, refreshManagement: high });
      expect(idle.commands).toEqual(without.commands);
    },
  );

  test("behind HBM3 with a timing that is too short breaks a rule", async () => {
    const right = memoryOf("HBM3", "AllBank", "RoBaRaCoCh");
    const short = cycles(present(right.timing["nCCDL"]) - 2);
    const timing: Readonly<Record<string, Cycles>> = { ...right.timing, nCCDL: short };
    const machine: NdpMachine = {
      ...paperMachine("cycle"),
      unit: smallUnit,
      memory: { ...right, timing },
    };
    const inputs = bitsOf("fp16", hidden, 4);
    const task = { weights, inputs, activation: "silu", arrangement: "interleaved" } as const;
    const session = await openSession(machine);
    const options = { keepCommands: 10_000 };
    const { run } = await runExpert(session, prepareExpert(machine, task), options);
    const { violations } = await checked(right, run, 0);
    expect(violations[0]?.rule).toMatch(/^tCCD_L/);
  });
});
