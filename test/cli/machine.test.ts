// SPDX-License-Identifier: Apache-2.0
// `neardata machine`: what it prints and draws is what the builder of a run's machine says.

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";

import type { MachineGraph } from "../../src/machine/machine-graph.ts";
import { familiesOf } from "../../src/machine/machine-families.ts";
import { hertz } from "../../src/base/units.ts";
import { cli, inTemporary } from "../helpers/cli.ts";
import { rejectedAt } from "../helpers/rejected-at.ts";

interface Printed {
  readonly machines: readonly (MachineGraph & { readonly title: string })[];
}

describe("neardata machine", () => {
  it("names every part, clock and edge of both machines", async () => {
    const { code, stdout, stderr } = await cli("machine", "--json");
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    const { machines } = JSON.parse(stdout) as Printed;
    expect(machines.map(({ title }) => title)).toEqual([
      "NDP DIMM of the expert",
      "storage device with znand4k or tlc4k flash",
    ]);
    for (const { parts, edges, clocks } of machines) {
      const ports = new Set(
        parts.flatMap(({ name, ports: own }) => own.map((port) => `${name}.${port.name}`)),
      );
      for (const { from, to, fromClock, toClock } of edges) {
        expect(ports).toContain(`${from.part}.${from.port}`);
        expect(ports).toContain(`${to.part}.${to.port}`);
        expect(clocks.map(({ name }) => name)).toEqual(
          expect.arrayContaining([fromClock, toClock]),
        );
      }
      const open = parts.flatMap((part) =>
        part.ports.filter(({ option, joined }) => option === "" && !joined),
      );
      expect(open).toEqual([]);
      const joined = parts.flatMap((part) => part.ports.filter((port) => port.joined));
      expect(joined).toHaveLength(2 * edges.length);
    }
    expect(machines[0]?.parts.filter(({ kind }) => kind === "DDR5 sub-channel")).toHaveLength(8);
    expect(machines[0]?.clocks).toEqual([
      { name: "unit", hertz: 1e9 },
      { name: "memory", hertz: 2.4e9 },
    ]);
  });

  it("has the DIMMs and links that bring an expert, with what went over them", async () =>
    inTemporary(async (directory) => {
      const file = join(directory, "links.yaml");
      const expert = "expert: { hidden: 256, intermediate: 256 }\nndp: { links: 2 }\n";
      writeFileSync(file, `name: links\nfidelity: cycle\n${expert}`);
      const { code, stdout, stderr } = await cli("machine", file, "--json");
      expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
      const [, brought] = (JSON.parse(stdout) as Printed).machines;
      expect(brought?.title).toBe("DIMMs and links that bring the expert");
      const moved = (kind: string): number =>
        (brought?.edges ?? [])
          .filter(({ message, to }) => message === kind && !to.part.includes("hub"))
          .reduce((sum, { messages }) => sum + messages, 0);
      // Three matrices of 256 x 256 in FP16, in bursts: read at their sources, written at their DIMM.
      const bursts = (3 * 256 * 256 * 2) / 64;
      expect(moved("read request")).toBe(bursts);
      expect(moved("write request")).toBe(bursts);
    }));

  it("prints parts that differ in a number as one", async () => {
    const { code, stdout } = await cli("machine", "scenarios/cold-expert.yaml");
    expect(code).toBe(0);
    expect(stdout).toContain("clocks: unit 1 GHz, memory 2.4 GHz");
    expect(stdout).toMatch(/^ {2}8 x {2}sub-channel 0-7 +DDR5 sub-channel +memory clock$/m);
    expect(stdout).toMatch(
      /^ {2}8 x {2}sub-channel 0-7\.responses -> NDP unit\.responses\[0-7\] +read response, 64 B +holds 129 +seen after 1 edge of unit$/m,
    );
  });

  it("puts every device of a scenario into one machine, before the switch whose link they share", () =>
    inTemporary(async (directory) => {
      const file = join(directory, "devices.yaml");
      const attention = "{ heads: 4, headWidth: 64, devices: [1, 4], sharedLink: 14 GB/s }";
      writeFileSync(file, `name: devices\nattention: ${attention}\n`);
      const { code, stdout } = await cli("machine", file);
      expect(code).toBe(0);
      expect(stdout).toMatch(/^storage device with znand4k flash$/m);
      expect(stdout).toMatch(/^4 storage devices with znand4k flash$/m);
      expect(stdout).toMatch(
        /^ {2}4 x {2}device 0-3 attention engine +attention engine +engine clock$/m,
      );
      expect(stdout).toMatch(
        /^ {2}4 x {3}device 0-3 host\.down -> root port\.packets\[0-3\] +packets +holds \d+ +seen after 1 edge of PCIe$/m,
      );
    }));

  it("draws a box a part and an arrow an edge, and writes nothing beside", () =>
    inTemporary(async (directory) => {
      const file = join(directory, "machine.svg");
      const { code, stdout } = await cli("machine", "--svg", file);
      expect(code).toBe(0);
      expect(stdout).toContain(`drawn: ${file}`);
      const svg = readFileSync(file, "utf8");
      const all = (pattern: RegExp): readonly string[] =>
        [...svg.matchAll(pattern)].map(([, text = ""]) => text);
      expect(all(/<text class="name"[^>]*>([^<]*)<\/text>/g)).toEqual([
        ...["descriptor queue", "NDP unit", "output router", "sub-channel 0-7 (8)"],
        ...["host jobs of DIMM 0", "host sub-channel 0-1 (2)"],
        ...["host", "attention engine", "flash", "controller DRAM"],
        ...["link to device", "link to host"],
      ]);
      expect(all(/<path class="edge" d="(M[^"]+)"/g)).toHaveLength(12 + 17);
      expect(all(/<title>([^<]*)<\/title>/g)).toContain(
        "NDP unit.requests[0-7] to sub-channel 0-7.requests, holds 129",
      );
    }));

  it("does not write over its scenario", async () => {
    const refused = await cli("machine", "scenarios/main.yaml", "--svg", "scenarios/main.yaml");
    expect(refused).toEqual(rejectedAt("--svg"));
  });
});

describe("families of parts", () => {
  const part = (name: string, clock = "unit"): MachineGraph["parts"][number] => ({
    name,
    kind: "queue",
    subsystem: "",
    clock,
    ports: [],
  });
  const edge = (from: string, to: string, capacity = 4): MachineGraph["edges"][number] => ({
    from: { part: from, port: "out" },
    to: { part: to, port: "in" },
    message: "word",
    dataBytes: 8,
    fromClock: "unit",
    toClock: "unit",
    capacity,
    latency: 1,
    messages: 3,
  });

  it("keep apart what differs in more than a number", () => {
    const graph: MachineGraph = {
      clocks: [{ name: "unit", hertz: hertz(1e9) }],
      parts: [
        part("DIMM 2 queue"),
        part("DIMM 3 queue"),
        part("DIMM 4 queue", "memory"),
        part("end"),
      ],
      edges: [
        edge("DIMM 2 queue", "end"),
        edge("DIMM 3 queue", "end"),
        edge("DIMM 4 queue", "end"),
        edge("DIMM 2 queue", "end", 8),
      ],
    };
    const { parts, edges } = familiesOf(graph);
    expect(parts.map(({ name, count }) => [name, count])).toEqual([
      ["DIMM 2-3 queue", 2],
      ["DIMM 4 queue", 1],
      ["end", 1],
    ]);
    expect(
      edges.map(({ fromPart, count, capacity, messages }) => [fromPart, count, capacity, messages]),
    ).toEqual([
      ["DIMM 2-3 queue", 2, 4, 6],
      ["DIMM 4 queue", 1, 4, 3],
      ["DIMM 2-3 queue", 1, 8, 3],
    ]);
  });
});
