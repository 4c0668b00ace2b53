// SPDX-License-Identifier: Apache-2.0
// The memory of a scenario's ranks: the settings of the scenario, and the defaults of the system.

import { collect } from "../../base/collect.ts";
import { defined } from "../../base/defined.ts";
import type { MemoryBackend } from "../dram/backends.ts";
import { maxQueueEntries, timingIssues } from "../dram/timing.ts";
import { atRefreshRate } from "../dram/refresh-rate.ts";
import type { RankMemory } from "../types.ts";
import { inputError, NeardataError, type Issue } from "../../base/errors.ts";
import { ddr5 } from "../dram/standards/ddr5.ts";
import { memoryStandard } from "../dram/standards/standards.ts";
import { managementIssues, managementOf } from "../dram/management-config.ts";
import { refreshCommandOf } from "../dram/standards/controller.ts";
import type { MemoryStandard } from "../dram/standards/table.ts";
import { cycles, type Cycles } from "../../base/units.ts";
import type { MemoryContent } from "./memory-schema.ts";
import { currentsIssues, currentsOfConfig, type CurrentsContent } from "../dram/currents-config.ts";
import { channelMemory, rankMemory, type NdpSystem } from "./systems.ts";

/**
 * A rank-sub-channel without gaps; the mapping follows from a run's layout.
 * @throws NeardataError `bad-input` with every broken rule.
 */
export function memoryOf(
  memory: MemoryContent,
  system: NdpSystem,
  override: MemoryBackend | undefined,
): Omit<RankMemory, "mapping"> {
  const { standard: name = "DDR5", queueEntries = system.queueEntries } = memory;
  const standard = memoryStandard(name);
  if (standard !== undefined && name !== "DDR5") return memoryOfStandard(standard, memory, system);
  const { preset = system.dram } = memory;
  const base = rankMemory(preset, queueEntries, "memory.preset");
  const given: Record<string, Cycles> = { ...base.timing };
  for (const [name, value] of Object.entries(memory.timing ?? {})) {
    if (value !== undefined) given[name] = cycles(value);
  }
  const timing = atRefreshRate(ddr5, given, memory.refreshRate);
  const backend = override ?? memory.backend ?? base.backend;
  const ofBackend = backend === "ramulator2" ? "ramulator-2.0" : base.semantics;
  const semantics = memory.semantics ?? ofBackend;
  if (backend === "ramulator2" && semantics !== ofBackend) {
    const message =
      `the backend ramulator2 runs scenarios with the semantics ${ofBackend} only; ` +
      `for ${semantics}, use the backend native.`;
    throw inputError("memory.semantics", message);
  }
  const refresh = memory.refresh ?? "AllBank";
  if (refresh === "PerBank") {
    throw inputError(
      "memory.refresh",
      "DDR5 has no refresh of one bank (PerBank); it has SameBank.",
    );
  }
  const issues: Issue[] = timingIssues(timing, refresh, base.banksPerGroup).map(
    ({ where, message }) => ({
      where: `memory.timing.${where}`,
      message,
    }),
  );
  // Ramulator 2.0 admits one more request than the nominal size of its queue.
  const admitted = queueEntries + (semantics === "ramulator-2.0" ? 1 : 0);
  if (admitted > maxQueueEntries) {
    const message = `${queueEntries} and the spare entry of ${semantics} are more than ${maxQueueEntries}.`;
    issues.push({ where: "memory.queueEntries", message });
  }
  const { refreshStart = base.refreshStart } = memory;
  const phaseOfBackend = backend === "ramulator2" ? "together" : base.refreshPhase;
  const { refreshPhase = phaseOfBackend } = memory;
  if (backend === "ramulator2") {
    const message =
      "the backend ramulator2 refreshes ranks whole, together and from the beginning.";
    if (refreshPhase === "staggered") issues.push({ where: "memory.refreshPhase", message });
    if (memory.commandBus === "shared") {
      issues.push({
        where: "memory.commandBus",
        message: "the backend ramulator2 has a command bus for each rank.",
      });
    }
    if (refreshStart !== 0) issues.push({ where: "memory.refreshStart", message });
    if (refresh === "SameBank") issues.push({ where: "memory.refresh", message });
  }
  const { currents, powerDown, refreshManagement } = memory;
  if (currents !== undefined) issues.push(...currentsIn(currents, powerDown));
  if (refreshManagement !== undefined) {
    const managed = { standard: ddr5, refresh, timing, semantics };
    issues.push(...managementIssues(managed, "memory.refreshManagement"));
  }
  if (issues.length > 0) throw new NeardataError("bad-input", issues);
  return {
    ...base,
    ...defined({
      currents:
        currents &&
        currentsOfConfig(currents, {
          megatransfersPerSecond: (base.clock * ddr5.transfersPerCycle) / 1e6,
          secondsOf: (count) => count / base.clock,
          timing,
        }),
    }),
    refresh,
    refreshPhase,
    refreshStart,
    backend,
    semantics,
    timing,
    ...defined({
      refreshManagement: managementOf(refreshManagement),
      commandBus: memory.commandBus === "shared" ? "shared" : undefined,
      eccDevices: memory.eccDevices === false ? false : undefined,
      powerDown: memory.powerDown === true ? true : undefined,
    }),
  };
}

/** Problems of the currents of a scenario. */
function currentsIn(currents: CurrentsContent, powerDown = false): readonly Issue[] {
  return currentsIssues(currents, { powerDown }).map(({ where, message }) => ({
    where: `memory.${where}`,
    message,
  }));
}

/** Keys that have a meaning for DDR5 alone. */
const ddr5Keys = [
  "timing",
  "backend",
  "semantics",
  "commandBus",
  "eccDevices",
  "powerDown",
] as const;

function memoryOfStandard(
  standard: MemoryStandard,
  memory: MemoryContent,
  system: NdpSystem,
): Omit<RankMemory, "mapping"> {
  const { name } = standard;
  const { preset = standard.defaultPreset, queueEntries = system.queueEntries } = memory;
  const { refresh = "AllBank" } = memory;
  const issues: Issue[] = ddr5Keys
    .filter((key) => memory[key] !== undefined)
    .map((key) => ({ where: `memory.${key}`, message: `only DDR5 has this key, not ${name}.` }));
  if (refresh !== "None" && refreshCommandOf(standard, refresh) === undefined) {
    issues.push({ where: "memory.refresh", message: `${name} has no refresh ${refresh}.` });
  }
  const { currents } = memory;
  if (currents !== undefined) issues.push(...currentsIn(currents));
  const base = collect(issues, () =>
    channelMemory(standard, preset, queueEntries, "memory.preset", currents),
  );
  const { refreshManagement } = memory;
  if (refreshManagement !== undefined && base !== null) {
    const { timing, semantics } = base;
    const managed = { standard, refresh, timing, semantics };
    issues.push(...managementIssues(managed, "memory.refreshManagement"));
  }
  if (issues.length > 0 || base === null) throw new NeardataError("bad-input", issues);
  const { refreshPhase = base.refreshPhase, refreshStart = base.refreshStart } = memory;
  const timing = atRefreshRate(standard, base.timing, memory.refreshRate);
  return {
    ...base,
    refresh,
    refreshPhase,
    refreshStart,
    timing,
    ...defined({ refreshManagement: managementOf(refreshManagement) }),
  };
}
