// SPDX-License-Identifier: Apache-2.0
// Sources of RTL before any tool reads them: the order of packages, paths for makefiles, messages of Verilator as
// errors of the user's RTL, ignored constraints.

import { mkdirSync, readlinkSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";

import { describe, expect, it } from "vitest";

import { exitCodeOf, NeardataError } from "../../src/base/errors.ts";
import { undefinedFunctions } from "../../src/native/compile/foreign-sources.ts";
import { plainPaths } from "../../src/native/compile/plain-paths.ts";
import { rtlError } from "../../src/native/compile/rtl-errors.ts";
import { rtlSources } from "../../src/native/compile/rtl-sources.ts";
import { inRepository } from "../../src/base/paths.ts";
import { rejectConstraints } from "../../src/native/unit/constraints.ts";
import { constant, decoded } from "../../src/native/unit/ports.ts";
import { buildOf } from "../../src/rtl/source.ts";
import { inTemporary } from "../helpers/cli.ts";
import { rejection } from "../helpers/rejection.ts";

describe("a folder with files in the place of neardata's", () => {
  it("means all directories of neardata's RTL by default, without their file lists", async () => {
    await inTemporary((directory) => {
      const changed = join(directory, "sparf_nfc_filter.sv");
      writeFileSync(changed, "module sparf_nfc_filter; endmodule\n");
      const { sources } = buildOf({ top: "sparf_nfc_filter", rtl: directory });
      const filters = sources.filter((path) => basename(path) === "sparf_nfc_filter.sv");
      expect(filters).toEqual([changed]);
      const names = sources.map((path) => basename(path));
      expect(names).toEqual(
        expect.arrayContaining(["sparf_engine.sv", "dimm_ndp.sv", "fp_add.sv"]),
      );
    });
  });
});

describe("packages", () => {
  it("come before the files that use them, whatever the files are called", async () => {
    await inTemporary((directory) => {
      const files = {
        "a_top.sv": "module a_top; import types::*; endmodule",
        "b_more.sv": "package more; typedef types::word_t pair_t; endpackage",
        "c_types.sv":
          "// package hidden;\npackage automatic types;\ntypedef int word_t; endpackage",
      };
      const paths = Object.entries(files).map(([name, text]) => {
        writeFileSync(join(directory, name), text);
        return join(directory, name);
      });
      const sorted = rtlSources([], [], paths).map((path) => basename(path));
      expect(sorted.filter((name) => name.endsWith(".sv"))).toEqual([
        "c_types.sv",
        "b_more.sv",
        "a_top.sv",
      ]);
    });
  });
});

describe("paths for makefiles", () => {
  it("are links where a path has a blank or a sign of make", async () => {
    await inTemporary((directory) => {
      const paths = plainPaths(directory);
      const file = join(directory, "my $rtl", "a.cc");
      mkdirSync(join(directory, "my $rtl"));
      expect(paths.of("/usr/include/a.h")).toBe("/usr/include/a.h");
      const linked = paths.of(file);
      expect(linked).toMatch(/^[\w.-]+\/a\.cc$/);
      expect(readlinkSync(join(directory, linked.split("/")[0] ?? ""))).toBe(
        join(directory, "my $rtl"),
      );
      expect(paths.of(file)).toBe(linked);
      expect(paths.of(join(directory, "my $rtl", "b c.cc"))).toMatch(/^[\w.-]+\.cc$/);
    });
  });
});

describe("what Verilator says", () => {
  const said = (text: string): NeardataError =>
    new NeardataError("build-failed", `verilator failed with exit status 1:\n${text}`, {
      details: { command: "verilator", text },
    });
  const text = "%Error: /home/me/a b.sv:7:3: syntax error, unexpected assign\n    7 |   assign";

  it("is bad input with its place where the RTL is the user's", () => {
    const error = rtlError(said(text), ["/home/me/a b.sv"], "top");
    expect(error).toEqual(rejection("bad-input", "/home/me/a b.sv:7"));
    expect(exitCodeOf(error)).toBe(2);
  });

  it("is a failed build where the RTL is neardata's", () => {
    const own = inRepository("rtl", "common", "fp_add.sv");
    expect(rtlError(said(text), [own], "top")).toEqual(rejection("build-failed"));
  });

  it("names a port that is an interface, and shows a module to write", async () => {
    await inTemporary((directory) => {
      const file = join(directory, "top.sv");
      writeFileSync(file, "module top (\n  word_if.sink in\n);\nendmodule\n");
      const error = rtlError(
        said(
          `%Error-UNSUPPORTED: ${file}:2:16: Unsupported: Interfaced port on top level module\n`,
        ),
        [file],
        "top",
      );
      expect(error).toEqual(
        rejection("bad-input", /^top\.in: .*module top_ports .*word_if in \(\);/),
      );
    });
  });

  it("names functions that are defined nowhere", () => {
    const link = said(
      "/usr/bin/ld: x.o: undefined reference to `twice'\nundefined reference to `f'",
    );
    expect(undefinedFunctions(link, [])).toEqual(rejection("bad-input", "twice", "f"));
    const other = said("undefined reference to `Verilated::mkdir(char const*)'");
    expect(undefinedFunctions(other, [])).toBe(other);
    expect(undefinedFunctions(other, ["a.cc"])).toEqual(rejection("bad-input", "a.cc"));
  });
});

describe("constraints of random values", () => {
  it("are refused by line where Verilator ignores them", async () => {
    await inTemporary((directory) => {
      const file = join(directory, "c.sv");
      writeFileSync(
        file,
        "// constraint no { x; }\nclass C;\n  constraint low { x < 5; }\nendclass\n",
      );
      expect(() => {
        rejectConstraints([file], 5.006);
      }).toThrow(rejection("bad-input", `${file}:3`));
      rejectConstraints([file], 5.026);
    });
  });
});

it.each([
  ["a__02db", "a-b"],
  ["x___05Fy", "x__y"],
  ["plain_i", "plain_i"],
])("the name %s was %s", (encoded, name) => {
  expect(decoded(encoded)).toBe(name);
});

it("constants keep their signs", () => {
  expect(constant("8'hfb", true)).toBe(-5);
});

it.each([
  [{ defines: ["A B=1"] }, "defines[0]"],
  [{ defines: ["A=1", 'B="x"'] }, "defines[1]"],
  [{ parameters: { Word: "tab\t" } }, "parameters.Word"],
  [{ sources: ["absent.c"] }, "sources"],
])("%j is refused before any tool runs", (some, where) => {
  const build = (): unknown => buildOf({ top: "top", uses: ["common"], ...some });
  expect(build).toThrow(rejection("bad-input", where));
});
