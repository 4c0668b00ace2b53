// SPDX-License-Identifier: Apache-2.0
// The larger RTL models of the default tests, the one that takes longest first. Smaller ones are built by the test that needs them.

import { buildSparfUnit } from "../../src/native/csd/csd-unit.ts";
import { buildNdpUnit } from "../../src/native/ndp/ndp-unit.ts";
import { smallCsd } from "./csd.ts";
import { lowBitUnit, smallLayerMachine, smallUnit } from "./machines.ts";
import { openBench } from "./ndp-bench.ts";

/** Builds all of them, two at a time. @throws NeardataError `tool-missing`, `build-failed` */
export async function buildModels(): Promise<void> {
  const left: (() => Promise<unknown>)[] = [
    async () => {
      (await openBench(lowBitUnit)).close();
    },
    async () => buildSparfUnit(smallCsd().unit),
    async () => {
      (await openBench(smallUnit)).close();
    },
    async () => buildNdpUnit(smallLayerMachine(1).ndp.unit),
    async () => buildNdpUnit(smallUnit),
  ];
  // Verilator itself has one thread: the next one begins while the compiler works on the one before.
  const builder = async (): Promise<void> => {
    for (let build = left.shift(); build !== undefined; build = left.shift()) await build();
  };
  await Promise.all([builder(), builder()]);
}
