// SPDX-License-Identifier: Apache-2.0
// The machines that a scenario runs on, before anything runs on them: the DIMM of its expert, storage
// devices of each kind of flash. A unit's RTL and its cycle model have the same ports.

import { remark } from "./remark.ts";
import type { AttentionScenario } from "../scenario/attention.ts";
import type { Scenario } from "../scenario/resolve.ts";
import { biasesAsColumns } from "../workload/ndp/bias-columns.ts";
import type { ExpertLayout } from "../workload/ndp/layout.ts";
import type { MachineGraph } from "../machine/machine-graph.ts";
import type { NdpMachine } from "../machine/types.ts";
import type { Seconds } from "../base/units.ts";
import { loadHeads } from "./attention-heads.ts";
import { openCsdSessionWith } from "../native/csd/csd-session.ts";
import { attentionMachine } from "../kernels/csd/attention/attention-machine.ts";
import { arrangements } from "../machine/resolve/systems.ts";
import { placeExpert } from "../kernels/ndp/cold-expert.ts";
import { loadWeights } from "./weights.ts";
import { arrivalOf } from "../kernels/moe/expert-move.ts";
import { openSessionWith } from "../native/session.ts";
import { machineOf } from "../kernels/ndp/cases.ts";

interface ScenarioMachine {
  readonly title: string;
  readonly graph: MachineGraph;
  /**
   * Time of the run whose messages the graph has. Only machines whose active parts are known from a
   * run have it.
   */
  readonly time?: Seconds;
}

/** @throws NeardataError `bad-input` where heads of files are none, or no such machine can be */
export async function scenarioMachines(
  scenario: Scenario,
  directory: string,
): Promise<readonly ScenarioMachine[]> {
  return [
    ...(await dimms(scenario, directory)),
    ...(await storageDevices(scenario.attention, directory)),
  ];
}

async function dimms(scenario: Scenario, directory: string): Promise<readonly ScenarioMachine[]> {
  const [layout] = scenario.expert === null ? [] : scenario.layouts;
  if (layout === undefined) return [];
  const machine = { ...machineOf(scenario, layout), engine: "cycle" } as const;
  const session = openSessionWith(machine, undefined);
  const graph = session.describe();
  session.close();
  const machines = [{ title: "NDP DIMM of the expert", graph }];
  if (scenario.links === undefined) return machines;
  const { run } = await arrivalOf(scenario.links, machine, placed(scenario, machine, directory));
  const title = "DIMMs and links that bring the expert";
  return run === null ? machines : [...machines, { title, graph: run.machine, time: run.time }];
}

/** The layout of the scenario's expert for one token. */
function placed(scenario: Scenario, machine: NdpMachine, directory: string): ExpertLayout {
  const { expert, layouts, seed } = scenario;
  if (expert === null) throw new RangeError("there is no expert");
  const { activation } = expert;
  const loaded = loadWeights(expert, seed, directory, remark);
  const { weights } = biasesAsColumns(machine.unit, loaded, new Uint16Array(), activation);
  const arrangement = arrangements[layouts[0] ?? "interleaved"];
  return placeExpert(machine, { weights, tokens: 1, activation, arrangement });
}

async function storageDevices(
  attention: AttentionScenario | null,
  directory: string,
): Promise<readonly ScenarioMachine[]> {
  if (attention === null) return [];
  const shape = await shapeOf(attention, directory);
  const alike = new Map<string, ScenarioMachine & { readonly kinds: readonly string[] }>();
  for (const devices of attention.devices) {
    for (const flash of attention.flash) {
      const machine = attentionMachine(attention, shape, flash, devices);
      const session = openCsdSessionWith({ ...machine, engine: "cycle" }, undefined);
      const graph = session.describe();
      session.close();
      const key = JSON.stringify(graph);
      const kinds = [...(alike.get(key)?.kinds ?? []), flash];
      const name = devices === 1 ? "storage device" : `${devices} storage devices`;
      alike.set(key, { graph, kinds, title: `${name} with ${kinds.join(" or ")} flash` });
    }
  }
  return [...alike.values()].map(({ title, graph }) => ({ title, graph }));
}

async function shapeOf(
  attention: AttentionScenario,
  directory: string,
): Promise<{ readonly width: number; readonly length: number }> {
  const { source, length } = attention;
  if (source.kind === "hta1") return { width: source.width, length: length ?? 0 };
  const [head] = await loadHeads(attention, directory);
  if (head === undefined) throw new RangeError("a source of heads has one at least");
  return { width: head.width, length: length ?? head.length };
}
