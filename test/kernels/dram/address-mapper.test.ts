// SPDX-License-Identifier: Apache-2.0
// The location of an address for every order of the fields, also with a number of rows that is not a power of two:
// commands name the locations of the definition, and no two addresses share one.

import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { parseDramReplayConfig } from "../../../src/kernels/dram/config.ts";
import { dramMappings, type DramReplayConfig } from "../../../src/kernels/dram/replay-config.ts";
import { mapAddress } from "./address-map.ts";
import { parseCommand } from "./command-checker.ts";
import { replayText, traceText } from "./replay-text.ts";

/** A memory of few rows, which a trace can fill. */
function memoryOf(mapping: string, rows: number): DramReplayConfig {
  const organization = {
    channels: 2,
    ranks_per_channel: 2,
    bankgroups: 2,
    banks_per_bankgroup: 2,
    rows,
    column_addresses_per_row: 8,
  };
  const document = { preset: "TriMoE", organization, address_mapper: mapping, refresh: "None" };
  return parseDramReplayConfig(document, "test");
}

const lines = (rows: number): number => 2 * 2 * 2 * 2 * rows * 8;

describe.each(dramMappings)("%s", (mapping) => {
  it.each([1, 3, 8, 12])(
    "puts each access of %i rows where the definition has it",
    async (rows) => {
      const config = memoryOf(mapping, rows);
      const places = Array.from({ length: lines(rows) }, (_, i) =>
        JSON.stringify(mapAddress(config, 64n * BigInt(i))),
      );
      expect(new Set(places).size).toBe(places.length);
      await fc.assert(
        fc.asyncProperty(fc.nat(places.length - 1), async (i) => {
          const address = 64n * BigInt(i);
          const { commands } = await replayText(
            config,
            traceText([{ id: 0, arrival: 0, op: "R", address }]),
          );
          const { channel, place } = mapAddress(config, address);
          const issued = commands.map(parseCommand);
          expect(issued.find(({ kind }) => kind === "ACT")).toMatchObject({
            channel,
            rank: place.rank,
            group: place.group,
            bank: place.bank,
            row: place.row,
          });
          expect(issued.find(({ kind }) => kind.startsWith("RD"))?.column).toBe(place.column);
        }),
        { numRuns: 40 },
      );
    },
  );
});
