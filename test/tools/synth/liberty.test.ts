// SPDX-License-Identifier: Apache-2.0
// Liberty files of a user: what is not a library of cells is refused with its place, before any tool
// starts.

import { truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { readLibrary } from "../../../src/tools/synth/cells/liberty.ts";
import { cli, inTemporary } from "../../helpers/cli.ts";
import {
  changedBytes,
  expectOnlyRegular,
  expectRejected,
  expectSturdyReader,
  type HostileFile,
} from "../../helpers/hostile.ts";

const file: HostileFile = {
  name: "cells.lib",
  args: (path) => ["area", "sparf_argtopk", "--target", "asic", "--liberty", path],
};

const gate = (name: string, area: string, text: string): string =>
  `  cell (${name}) {\n    area : ${area};\n${text}  }\n`;
const pin = (name: string, what: string): string => `    pin (${name}) { ${what} }\n`;
const input = "direction : input;";
const output = (of: string): string => `direction : output; function : "${of}";`;
const cells = [
  gate("NAND", "0.5", pin("A", input) + pin("B", input) + pin("Y", output("!A + !B"))),
  gate("BUF", "0.5", pin("A", input) + pin("Y", output("A"))),
  gate("ONE", "0.5", pin("Y", output("1"))),
  gate("ZERO", "0.5", pin("Y", output("0"))),
  gate("DFF", "2", `    ff (IQ, IQN) { clocked_on : "C"; }\n${pin("Q", output("IQ"))}`),
];
const library = (more = "", time = "1ps"): string =>
  `library (small) {\n  time_unit : "${time}";\n${cells.join("")}${more}}\n`;

describe("a Liberty file", () => {
  it("is read plain and compressed, with a byte order mark and CR LF", async () => {
    await inTemporary(async (directory) => {
      const path = join(directory, "cells.lib");
      for (const text of [library(), `\ufeff${library().replaceAll("\n", "\r\n")}`]) {
        for (const contents of [Buffer.from(text), gzipSync(text)]) {
          writeFileSync(path, contents);
          const { cells: found, nand2, timeUnit } = readLibrary(path);
          expect([found.size, nand2.area, timeUnit]).toEqual([5, 0.5, 1]);
        }
      }
      return Promise.resolve();
    });
  });

  it.each<[string, string | Uint8Array, RegExp]>([
    ["nothing", "", /empty/],
    ["no library", "cell (A) { area : 1; }\n", /line 1: .*library \(name\)/],
    ["two libraries", `${library()}library (b) { }\n`, /line 28: .*one library/],
    ["a group that does not end", library().slice(0, -3), /line 1: a group/],
    ["a } too many", `${library()}}\n`, /line 28: a }/],
    ["a string that does not end", library('  comment : "x;\n'), /line 27: a string/],
    ["a comment that does not end", library("/* x\n"), /line 27: a comment/],
    ["a value that does not end", library("  x : 1 }\n"), /line 27: .*value of x .*";"/],
    ["no value", library("  x : ;\n"), /line 27: x has no value/],
    ["arguments that do not end", library("  x (1;\n"), /line 27: .*arguments of x /],
    ["no statement", library("  x y;\n"), /line 27: x .*":".*"\("/],
    ["groups without end", library("  g (a) {\n".repeat(100)), /line 90: .* 64/],
    ["a cell twice", library(cells[0]), /cell NAND .*twice/],
    ["negative area", library(gate("X", "-1", "")), /cell X .*area -1/],
    ["an area that is no number", library(gate("X", "big", "")), /cell X .*area big/],
    ["an area beyond numbers", library(gate("X", "1e999", "")), /cell X .*area 1e999/],
    ["an unknown unit of time", library("", "3fs"), /time_unit 3fs/],
    ["no flip-flop", library().replace(/cell \(DFF[\s\S]*/, "}\n"), /no flip-flop/],
    ["no NAND2", library().replace("!A + !B", "A * B").replace("NAND", "AND"), /needs a NAND2/],
    ["a NAND2 of no area", library().replaceAll("0.5", "0"), /needs a NAND2/],
    ["damaged gzip", gzipSync(library()).fill(7, 20, 60), /gzip.* damaged/],
    ["truncated gzip", gzipSync(library()).subarray(0, 100), /gzip.* early/],
    ["gzip and more", Buffer.concat([gzipSync(library()), Buffer.from("more")]), /gzip/],
    ["bytes that are no text", Buffer.from([0x6c, 0xff, 0xfe, 0x0a]), /line 1 .*UTF-8/],
    ["NUL", `library (x) {\0}\n`, /byte 13 .*NUL/],
  ])("with %s is refused", async (_, contents, rule) => {
    await expectRejected(file, contents, rule);
  });

  it("that is no regular file is refused and not waited for", async () => {
    await expectOnlyRegular(file);
  });

  it("that would fill the memory is refused, also where gzip hides its size", async () => {
    await expectRejected(
      file,
      Buffer.concat(Array<Buffer>(257).fill(gzipSync(Buffer.alloc(1 << 20)))),
      /gzip.* 256 MiB/,
    );
    await inTemporary(async (directory) => {
      const path = join(directory, "cells.lib");
      writeFileSync(path, "");
      truncateSync(path, 2 ** 40);
      const { code, stderr } = await cli(...file.args(path, directory));
      expect({ code, stderr }).toEqual({
        code: 2,
        stderr: expect.stringMatching(/cells\.lib: .* 1048576 MiB.* 256/) as unknown,
      });
    });
  });

  it("changed anywhere is read or refused", async () => {
    await inTemporary((directory) => {
      const path = join(directory, "cells.lib");
      const read = (contents: Uint8Array): void => {
        writeFileSync(path, contents);
        readLibrary(path);
      };
      expectSturdyReader(read, changedBytes(Buffer.from(library())), 300);
      expectSturdyReader(read, changedBytes(gzipSync(library())), 100);
      return Promise.resolve();
    });
  });
});
