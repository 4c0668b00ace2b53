// SPDX-License-Identifier: Apache-2.0
// Files that commands write: what cannot be written is refused before any work, with the option and
// the reason; nothing is left half written; several outputs appear together.

import { copyFileSync, existsSync, linkSync, lstatSync, mkdirSync, readdirSync } from "node:fs";
import { readFileSync, readlinkSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { inRepository } from "../../src/base/paths.ts";
import type { Command } from "commander";
import { buildProgram } from "../../src/cli/main.ts";
import { cli, inTemporary } from "../helpers/cli.ts";
import { makeReadOnly, onSmallDisk } from "../helpers/mount.ts";
import { rejectedAt } from "../helpers/rejected-at.ts";
import { needs } from "../helpers/needs.ts";

const fixture = (name: string): string =>
  inRepository("test", "fixtures", "dram", `closed-row.${name}`);
const replay = ["dram", "replay", "--config", fixture("config.json")] as const;
const requests = ["--requests", fixture("req.csv")] as const;

const base = "name: base\nexpert: { hidden: 70, intermediate: 37 }\nfidelity: analytic\n";

/** A scenario and a sweep over it in `directory`; their paths. */
function specsIn(directory: string): { readonly scenario: string; readonly sweep: string } {
  const scenario = join(directory, "base.yaml");
  const sweep = join(directory, "sweep.yaml");
  writeFileSync(scenario, base);
  writeFileSync(sweep, "name: small\nscenario: base.yaml\ngrid: { tokens: [[1], [2]] }\n");
  return { scenario, sweep };
}

/** Every option that names an output; inputs are not read before it is looked at. */
const outputs: readonly (readonly [string, readonly string[]])[] = [
  ["--out", ["calibrate", "measured.json"]],
  ["--out", ["coverage", "counts"]],
  ["--out", ["report", "a", "b"]],
  ["--out", ["flash", "replay", "facts.json"]],
  ["--out", ["policy", "solve", "cases.json"]],
  ["--out", ["sparf", "eval", "vectors.json"]],
  ["--out", ["ndp", "eval", "--weights", "w", "--expert", "e", "--inputs", "x.npy"]],
  ["--out", ["area", "ndp"]],
  ["--out", ["types", "--uses", "common/fp_add.sv", "--top", "fp_add"]],
  ["--svg", ["machine"]],
  ["--timeline", ["lm", "token"]],
  ["--timeline", ["lm", "batch", "--trace", "t.csv"]],
  ["--page", ["lm", "batch", "--trace", "t.csv"]],
  ["--timeline", ["lm", "shape", "mixtral-8x7b"]],
  ["--routes", ["lm", "eval"]],
  ["--out", ["prove", "skid_buffer"]],
  ["--commands", [...replay, ...requests]],
  ["--completions", [...replay, ...requests]],
];

/** Paths where no file can be, and words of the reason. */
const impossible: readonly (readonly [string, (at: string) => string, RegExp])[] = [
  ["an empty name", () => "", /empty/],
  ["a directory", (at) => at, /is a directory/],
  ["a name with a slash at its end", (at) => `${at}/new/`, /names a directory/],
  ["a file below a file", (at) => join(at, "file", "x"), /part of its path/],
  ["a directory that is not there", (at) => join(at, "no", "x"), /no does not exist/],
  ["a name that is too long", (at) => join(at, "x".repeat(300)), /too long/],
  ["links in a circle", (at) => join(at, "circle"), /symbolic links/],
  ["a device", () => "/dev/null", /device/],
];

describe.each(outputs)("%s of %j", (option, command) => {
  it("refuses what is no place for a file before anything else, and leaves nothing", () =>
    inTemporary(async (directory) => {
      writeFileSync(join(directory, "file"), "kept");
      symlinkSync("circle", join(directory, "circle"));
      for (const [what, path, reason] of impossible) {
        const result = await cli(...command, option, path(directory));
        expect(result, what).toEqual(rejectedAt(option));
        expect(result, what).toEqual(rejectedAt(reason));
        expect(result.stderr.length).toBeLessThan(500);
        // The option is named once.
        expect(result.stderr.split(option)).toHaveLength(2);
      }
      expect(readdirSync(directory).sort()).toEqual(["circle", "file"]);
      expect(readFileSync(join(directory, "file"), "utf8")).toBe("kept");
      expect(statSync("/dev/null").isCharacterDevice()).toBe(true);
    }));
});

/** These outputs may be directories or have a page next to them; they have tests below. */
const others = ["run --out", "sweep --out", "sweep --export", "explore --out", "reproduce --out"];

it("every option that names an output is tried here", async () => {
  const names = /^--(?:out|page|export|svg|timeline|routes|commands|completions)$/;
  const found = (command: Command, path: string): readonly string[] => [
    ...command.options.flatMap(({ long }) =>
      names.test(long ?? "") ? [`${path} ${long ?? ""}`] : [],
    ),
    ...command.commands.flatMap((sub) => found(sub, `${path} ${sub.name()}`.trim())),
  ];
  const program = await buildProgram();
  const tried = outputs.map(([option, command]) => {
    const first = command.findIndex((word, i) => i > 0 && (word.startsWith("-") || i > 1));
    const words = command.slice(0, first < 0 ? command.length : first);
    const known = program.commands.find((one) => one.name() === words[0]);
    const path = known?.commands.length === 0 ? words.slice(0, 1) : words.slice(0, 2);
    return `${path.join(" ")} ${option}`;
  });
  expect([...tried, ...others].sort()).toEqual([...found(program, "")].sort());
});

describe("run, sweep, explore and reproduce", () => {
  it.each(impossible)("refuse %s", (_, path) =>
    inTemporary(async (directory) => {
      const { scenario, sweep } = specsIn(directory);
      const explore = join(directory, "explore.yaml");
      writeFileSync(
        explore,
        "name: e\nscenario: base.yaml\nunit: ndp\nspace: { ndp.queueBursts: [8, 16] }\n",
      );
      writeFileSync(join(directory, "file"), "kept");
      symlinkSync("circle", join(directory, "circle"));
      const before = readdirSync(directory).sort();
      const at = path(directory);
      // A directory may have a slash at its end, and parents that are not there yet.
      const makes = at.endsWith("/") || at.endsWith("/no/x");
      const commands = [
        ...(makes ? [] : [["run", scenario, "--out", at]]),
        ["sweep", sweep, "--out", at],
        ["sweep", sweep, "--out", join(directory, "a.duckdb"), "--export", at],
        ["explore", explore, "--out", at],
        ...(makes || at === directory ? [] : [["reproduce", "--only", "lia/table-2", "--out", at]]),
      ];
      for (const command of commands) {
        const result = await cli(...command);
        expect({ command, ...result }).toMatchObject({ command, code: 2, stdout: "" });
        expect(result.stderr).toMatch(/^neardata: --(out|export): /);
      }
      expect(readdirSync(directory).sort()).toEqual(before);
    }),
  );

  it("refuse a page that is in the way, beside results that are not", () =>
    inTemporary(async (directory) => {
      const { sweep } = specsIn(directory);
      mkdirSync(join(directory, "a.html"));
      const result = await cli("sweep", sweep, "--out", join(directory, "a.duckdb"));
      expect(result).toEqual(rejectedAt(/--out: .*a\.html .*directory/));
      expect(existsSync(join(directory, "a.duckdb"))).toBe(false);
    }));

  it("keep results in files, whatever DuckDB makes of their name", () =>
    inTemporary(async (directory) => {
      const { sweep } = specsIn(directory);
      const out = join(directory, ":memory:");
      const back = process.cwd();
      process.chdir(directory);
      try {
        expect(await cli("sweep", sweep, "--out", ":memory:")).toMatchObject({ code: 0 });
      } finally {
        process.chdir(back);
      }
      expect(statSync(out).size).toBeGreaterThan(1000);
    }));

  it("leave no results of a sweep that is refused, and none of an exploration", () =>
    inTemporary(async (directory) => {
      const { sweep } = specsIn(directory);
      writeFileSync(join(directory, "base.yaml"), "name: [\n");
      const result = await cli("sweep", sweep, "--out", join(directory, "a.duckdb"));
      expect(result).toMatchObject({ code: 2 });
      expect(readdirSync(directory).sort()).toEqual(["base.yaml", "sweep.yaml"]);
    }));

  it("do not touch a database of something else", () =>
    inTemporary(async (directory) => {
      const { DuckDBInstance } = await import("@duckdb/node-api");
      const { sweep } = specsIn(directory);
      const file = join(directory, "own.duckdb");
      const instance = await DuckDBInstance.create(file);
      const connection = await instance.connect();
      await connection.run("CREATE TABLE mine (a INTEGER)");
      connection.closeSync();
      instance.closeSync();
      const before = readFileSync(file);
      const result = await cli("sweep", sweep, "--out", file);
      expect(result).toEqual(rejectedAt(/own\.duckdb: .*something else/));
      expect(readFileSync(file).equals(before)).toBe(true);
    }));
});

describe("an output that is an input", () => {
  const copies = (directory: string): { readonly config: string; readonly trace: string } => {
    const [config, trace] = [join(directory, "c.json"), join(directory, "t.csv")];
    copyFileSync(fixture("config.json"), config);
    copyFileSync(fixture("req.csv"), trace);
    return { config, trace };
  };

  it.each(["as it is", "through a symbolic link", "as another name of it", "by another way"])(
    "is refused %s",
    (how) =>
      inTemporary(async (directory) => {
        const { config, trace } = copies(directory);
        const before = readFileSync(trace, "utf8");
        const out = how === "as it is" ? trace : join(directory, "other.csv");
        if (how === "through a symbolic link") symlinkSync(trace, out);
        if (how === "as another name of it") linkSync(trace, out);
        if (how === "by another way") symlinkSync(".", join(directory, "way"));
        const path = how === "by another way" ? join(directory, "way", "t.csv") : out;
        const args = ["dram", "replay", "--config", config, "--requests", trace];
        const result = await cli(...args, "--completions", path);
        expect(result).toEqual(rejectedAt(/--completions: .*t\.csv.*reads/));
        expect(readFileSync(trace, "utf8")).toBe(before);
      }),
  );

  it("and two outputs that are one file are refused", () =>
    inTemporary(async (directory) => {
      const [a, b] = [join(directory, "a.csv"), join(directory, "b.csv")];
      symlinkSync("a.csv", b);
      for (const other of [a, b, join(directory, ".", "a.csv")]) {
        const both = ["--commands", a, "--completions", other] as const;
        const result = await cli(...replay, ...requests, ...both);
        expect(result).toEqual(rejectedAt(/--completions: .*one file/));
      }
      expect(readdirSync(directory)).toEqual(["b.csv"]);
    }));
});

describe("an output", () => {
  it("that is a symbolic link stays one: the file it points to is written", () =>
    inTemporary(async (directory) => {
      mkdirSync(join(directory, "there"));
      const link = join(directory, "link.csv");
      symlinkSync(join("there", "file.csv"), link);
      for (let turn = 0; turn < 2; turn += 1) {
        expect(await cli(...replay, ...requests, "--commands", link)).toMatchObject({ code: 0 });
        expect(readlinkSync(link)).toBe(join("there", "file.csv"));
        expect(lstatSync(join(directory, "there", "file.csv")).isFile()).toBe(true);
      }
      expect(readFileSync(link, "utf8")).toBe(readFileSync(fixture("cmd.csv"), "utf8"));
      expect(readdirSync(join(directory, "there"))).toEqual(["file.csv"]);
    }));

  it("keeps the rights of the file that it replaces", () =>
    inTemporary(async (directory) => {
      const out = join(directory, "out.csv");
      writeFileSync(out, "old", { mode: 0o600 });
      expect(await cli(...replay, ...requests, "--commands", out)).toMatchObject({ code: 0 });
      expect(statSync(out).mode & 0o777).toBe(0o600);
    }));

  it("appears with the others of its command or not at all", () =>
    inTemporary(async (directory) => {
      const bad = join(directory, "bad.csv");
      writeFileSync(bad, `${readFileSync(fixture("req.csv"), "utf8")}1,x\n`);
      const paths = [join(directory, "cmd.csv"), join(directory, "comp.csv.gz")] as const;
      writeFileSync(paths[0], "old");
      const both = ["--commands", paths[0], "--completions", paths[1]] as const;
      expect(await cli(...replay, "--requests", bad, ...both)).toMatchObject({ code: 2 });
      expect(readdirSync(directory).sort()).toEqual(["bad.csv", "cmd.csv"]);
      expect(readFileSync(paths[0], "utf8")).toBe("old");
    }));
});

describe("a disk", needs("mount"), () => {
  it("that is read-only is named before any work", () =>
    inTemporary(async (directory) =>
      onSmallDisk(64, async (disk) => {
        const { scenario, sweep } = specsIn(directory);
        makeReadOnly(disk);
        for (const command of [
          [...replay, ...requests, "--commands", join(disk, "x.csv")],
          ["run", scenario, "--out", join(disk, "run")],
          ["sweep", sweep, "--out", join(disk, "x.duckdb")],
          ["reproduce", "--only", "lia/table-2", "--out", join(disk, "pages")],
        ]) {
          const result = await cli(...command);
          expect({ command, ...result }).toMatchObject({ command, code: 2, stdout: "" });
          expect(result.stderr).toMatch(/read-only/);
        }
      }),
    ));

  it("that is full before is named, and one that fills up leaves nothing half written", () =>
    inTemporary(async (directory) =>
      onSmallDisk(64, async (disk) => {
        const { scenario, sweep } = specsIn(directory);
        const commands = [
          [...replay, ...requests, "--commands", join(disk, "x.csv")],
          ["run", scenario, "--out", join(disk, "new", "run")],
          ["sweep", sweep, "--out", join(directory, "x.duckdb"), "--export", join(disk, "x.csv")],
          ["sweep", sweep, "--out", join(disk, "x.duckdb")],
        ];
        for (const room of [0, 2]) {
          writeFileSync(join(disk, "filler"), new Uint8Array((64 - 4 * room) * 1024));
          // Rows of two points fit into little room, a run and a database do not.
          for (const command of commands.filter((c) => room === 0 || !c.includes("--export"))) {
            if (room > 0 && command.includes("dram")) continue;
            const result = await cli(...command);
            expect({ command, ...result }).toMatchObject({ command, code: 2, stdout: "" });
            expect(result.stderr).toMatch(/[Nn]o space/);
            expect(readdirSync(disk)).toEqual(["filler"]);
          }
        }
      }),
    ));
});
