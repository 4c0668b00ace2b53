// SPDX-License-Identifier: Apache-2.0
// `neardata prove`: proofs, refutations with their traces, the cache, and the messages for an
// unknown name or a missing solver.

import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { certificate, parseAiger, parseInvariant } from "../../../src/tools/prove/aiger.ts";
import { smtLib } from "../../../src/tools/prove/formula.ts";
import { harnesses } from "../../../src/tools/prove/list.ts";
import { sourcesOf } from "../../../src/tools/prove/model.ts";
import type { Row } from "../../../src/tools/prove/table.ts";
import { cli } from "../../helpers/cli.ts";
import { needs } from "../../helpers/needs.ts";

interface Printed {
  readonly rows: readonly Row[];
}

const proven = (text: string): readonly Row[] => (JSON.parse(text) as Printed).rows;

describe("the list of properties", () => {
  it("has no name twice", () => {
    const names = harnesses.flatMap(({ name, properties }) =>
      properties.map(({ label }) => `${name}.${label}`),
    );
    expect(new Set(names).size).toBe(names.length);
  });

  it("names modules that there are, and faults whose text occurs once in them", () => {
    for (const { top, parameters, smaller, properties } of harnesses) {
      const clean = sourcesOf(top, parameters, smaller).read;
      const harness = clean.find(({ name }) => name === `${top}.sv`)?.text ?? "";
      for (const { label, fault } of properties) {
        expect(harness).toMatch(new RegExp(`\\b(PROVE|AT_THE_END)\\(${label},`));
        expect(sourcesOf(top, parameters, [...smaller, fault]).read).not.toEqual(clean);
      }
    }
  });

  it("injects faults with names of their module only: Yosys would declare any other name", () => {
    const names = (text: string): readonly string[] =>
      text
        .replaceAll(/\d*'[sS]?[bdhoBDHO]?[0-9a-fA-F_xz]+|\$\w+|\w+::\w+/g, "")
        .match(/[A-Za-z_]\w*/g) ?? [];
    const unknown = harnesses.flatMap(({ name, top, parameters, smaller, properties }) => {
      const { read } = sourcesOf(top, parameters, smaller);
      return properties.flatMap(({ label, fault: { module, to } }) => {
        const own = new Set(names(read.find((file) => file.name === `${module}.sv`)?.text ?? ""));
        return names(to)
          .filter((word) => !own.has(word))
          .map((word) => `${name}.${label}: ${word}`);
      });
    });
    expect(unknown).toEqual([]);
  });

  it("is printed by --list, and as JSON", async () => {
    const { code, stdout } = await cli("prove", "--list", "skid_buffer");
    expect(code).toBe(0);
    expect(stdout).toMatch(/^skid_buffer .*pdr/);
    expect(stdout).toContain("InOrder");
    const listed = await cli("prove", "--list", "--json", "arbitration");
    expect(JSON.parse(listed.stdout)).toMatchObject({
      harnesses: [{ name: "round_robin" }, {}, {}, {}],
    });
  });

  it("refuses unknown names, all of them at once, with the nearest one", async () => {
    const result = await cli("prove", "skid_bufer", "nonsense");
    expect(result).toMatchObject({ code: 2, stdout: "" });
    expect(result.stderr).toMatch(/"skid_bufer".*"skid_buffer"\?\n.*"nonsense".*\n$/);
  });
});

describe("the check of an invariant", () => {
  // One latch, which keeps its value; the output is true if the latch is 1.
  const graph = parseAiger(Buffer.from("aig 1 0 1 1 0\n2\n2\n"));

  it("reads graphs and invariants of some of the latches", () => {
    expect(graph).toEqual({ inputs: 0, latches: [2], outputs: [2], gates: [] });
    expect(parseInvariant(".ilb lo02 lo07\n.ob inv\n1- 1\n01 1\n")).toEqual([
      [[2, true]],
      [
        [2, false],
        [7, true],
      ],
    ]);
  });

  it("takes no invariant that excludes the state after the reset", () => {
    expect(certificate(graph, [[[0, false]]])).toBeNull();
    const formula = certificate(graph, [[[0, true]]]);
    expect(smtLib(formula ?? { variables: 0, clauses: [] })).toContain("(check-sat)");
  });
});

describe("without a solver", () => {
  it("says which are missing and how to get them", async () => {
    const path = process.env["PATH"];
    process.env["PATH"] = "/nowhere";
    try {
      const result = await cli("prove", "skid_buffer");
      expect(result).toMatchObject({ code: 3, stdout: "" });
      expect(result.stderr).toMatch(/yosys and z3 and cvc5: .*`apt-get install/);
    } finally {
      process.env["PATH"] = path;
    }
  });
});

describe("with Yosys, z3 and cvc5", needs("make test-full", "yosys", "z3", "cvc5"), () => {
  const cache = process.env["NEARDATA_CACHE"];
  const scratch = mkdtempSync(join(tmpdir(), "neardata-prove-"));
  beforeAll(() => {
    process.env["NEARDATA_CACHE"] = scratch;
  });
  afterAll(() => {
    if (cache === undefined) delete process.env["NEARDATA_CACHE"];
    else process.env["NEARDATA_CACHE"] = cache;
    rmSync(scratch, { recursive: true });
  });

  it("proves what holds, with three solvers, and keeps it", async () => {
    const first = await cli("prove", "skid_buffer", "--json");
    expect(first.code).toBe(0);
    const rows = proven(first.stdout);
    expect([...new Set(rows.map((row) => row.outcome))]).toEqual(["proven"]);
    expect(Object.keys(rows[0]?.seconds ?? {})).toEqual(["abc pdr", "z3", "cvc5"]);
    expect(rows.every((row) => !row.fromCache)).toBe(true);
    const again = proven((await cli("prove", "skid_buffer", "--json")).stdout);
    expect(again).toEqual(rows.map((row) => ({ ...row, fromCache: true })));
  });

  it("refutes injected faults and writes a waveform of each", async () => {
    const { code, stdout } = await cli("prove", "--inject", "fp_narrow", "--json");
    expect(code).toBe(0);
    const rows = proven(stdout);
    expect([...new Set(rows.map((row) => row.outcome))]).toEqual(["fault refuted"]);
    for (const { waveform } of rows) {
      expect(readFileSync(waveform ?? "", "utf8")).toMatch(/\$var .* value_i /);
    }
  });

  it("proves pipelines from any state, and writes a page", async () => {
    const page = join(scratch, "page.html");
    const { code, stdout } = await cli("prove", "fp_narrow", "--out", page);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^proven +fp_narrow\.Fp16 +window of 3 cycles, z3 /m);
    expect(stdout).toMatch(/(\d+) properties: \1 proven\n$/);
    expect(readFileSync(page, "utf8")).toContain("fp_narrow.Bf16");
  });
});
