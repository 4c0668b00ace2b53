// SPDX-License-Identifier: Apache-2.0
// Ranks of a sub-channel that share their command bus in NDP mode: no two commands are on it at once, values stay as
// they are, and the expert takes no less time than with a bus for each rank, which is the default.

import { expect, it } from "vitest";
import { paperMachine } from "../../../src/machine/resolve/systems.ts";
import { parseScenario } from "../../../src/scenario/parse.ts";
import { resolveConfig } from "../../../src/scenario/resolve.ts";
import { prepareExpert, runExpert, type ExpertRun } from "../../../src/kernels/ndp/cold-expert.ts";
import { machineOf } from "../../../src/kernels/ndp/cases.ts";
import type { NdpMachine } from "../../../src/machine/types.ts";
import { openSession } from "../../../src/native/session.ts";
import { generateExpert, generateInputs } from "../../../src/workload/generate.ts";
import { rejection } from "../../helpers/rejection.ts";

const shape = { hidden: 1024, intermediate: 256 };
const weights = generateExpert({ seed: 5, name: "e", format: "fp16", ...shape });
const inputs = generateInputs(6, "fp16", 1, shape.hidden);

function machine(commandBus: "private" | "shared"): NdpMachine {
  const text = `name: a\nfidelity: cycle\nexpert: { hidden: 1024, intermediate: 256 }\nmemory: { commandBus: ${commandBus} }\n`;
  return machineOf(resolveConfig("a.yaml", parseScenario("a.yaml", text)).scenario, "interleaved");
}

async function run(of: NdpMachine): Promise<ExpertRun> {
  const session = await openSession(of);
  const task = { weights, inputs, activation: "silu", arrangement: "interleaved" } as const;
  const done = await runExpert(session, prepareExpert(of, task), { keepCommands: 100_000 });
  session.close();
  return done;
}

/** Cycles on the command bus (JESD79-5): two of ACT, RD and WR. */
const lengthOf = (command: string): number => (["ACT", "RD", "WR"].includes(command) ? 2 : 1);

/** Commands of a sub-channel's ranks that begin while another one is on the bus. */
function collisions({ run: { commands } }: ExpertRun, half: number): number {
  const commandRecords = commands
    .filter(({ stream }) => Math.floor(stream / 4) === half)
    .toSorted((a, b) => a.cycle - b.cycle);
  return commandRecords.filter(({ cycle }, i) => {
    const before = commandRecords[i - 1];
    return before !== undefined && cycle < before.cycle + lengthOf(before.command);
  }).length;
}

it("ranks with one command bus send one command at a time, and the same values come later", async () => {
  const [expertRun, shared] = [await run(machine("private")), await run(machine("shared"))];
  expect(expertRun.run.outcome).toEqual({ kind: "completed" });
  expect(shared.run.outcome).toEqual({ kind: "completed" });
  expect(shared.outputs).toEqual(expertRun.outputs);
  for (const half of [0, 1]) {
    expect(collisions(expertRun, half)).toBeGreaterThan(100);
    expect(collisions(shared, half)).toBe(0);
  }
  expect(shared.run.cycles).toBeGreaterThan(expertRun.run.cycles);
  // RD commands alone fill the bus of four ranks; ACT and PRE of each row of 128 bursts add to
  // them.
  expect(shared.run.cycles / expertRun.run.cycles).toBeLessThan(1.1);
});

it("a private bus is the default, and Ramulator's channels have no other", () => {
  const { memory } = paperMachine("cycle");
  expect("commandBus" in memory).toBe(false);
  const text = (memory: string): string =>
    `name: a\nexpert: { hidden: 64, intermediate: 64 }\nmemory: { ${memory} }\n`;
  const hash = (of: string): string =>
    resolveConfig("a.yaml", parseScenario("a.yaml", of)).configHash;
  expect(hash(text("commandBus: private"))).toBe(hash(text("refresh: AllBank")));
  expect(hash(text("commandBus: shared"))).not.toBe(hash(text("commandBus: private")));
  const library = "backend: ramulator2, semantics: ramulator-2.0, commandBus: shared";
  expect(() => hash(text(library))).toThrow(rejection("bad-input", /memory\.commandBus: /));
});
