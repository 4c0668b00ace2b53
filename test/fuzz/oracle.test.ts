// SPDX-License-Identifier: Apache-2.0
// The oracle of `make fuzz` finds violations: a program made for each promise breaks it once, and the
// oracle returns the sentence about it.

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { runInput } from "./campaign.ts";
import type { Input } from "./input.ts";
import { runner, type Limits, type Runner } from "./runner.ts";

/** Programs that do one thing each, by their first word. */
const program = `
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { setImmediate } from "node:timers/promises";
const say = (text) => process.stderr.write(text + "\\n");
const refuse = (text) => { process.exitCode = 2; say(text); };
const acts = {
  fine: () => { writeFileSync("out.json", "{}"); process.stdout.write("{}\\n"); },
  refuses: () => refuse("neardata: in.json: it is refused."),
  bug: () => { process.exitCode = 70; say("neardata: in.json: oh."); },
  cancelled: () => { process.exitCode = 130; say("neardata: in.json: stopped."); },
  aborts: () => process.abort(),
  exits: () => process.exit(0),
  throws: () => { throw new Error("nobody sees me"); },
  rejects: async () => { Promise.reject(new Error("later")); await setImmediate(); },
  spins: () => { for (;;); },
  waits: () => new Promise(() => undefined),
  hoards: () => { const all = []; for (;;) all.push(new Uint8Array(1 << 26).fill(1)); },
  goesOn: () => import("node:net").then((net) => void net.createServer().listen(0)),
  silent: () => { process.exitCode = 2; },
  stack: () => refuse("neardata: in.json: x\\n    at run (file.js:1:2)"),
  plain: () => refuse("in.json is bad"),
  object: () => refuse("neardata: in.json: [object Object] is no number."),
  undef: () => refuse("neardata: in.json: expected a number, received undefined."),
  zod: () => refuse("neardata: in.json: Invalid input: expected number"),
  notANumber: () => refuse("neardata: in.json: 3 rows are NaN bytes."),
  v8: () => refuse("neardata: in.json: Maximum call stack size exceeded."),
  nameless: () => refuse("neardata: something is wrong."),
  long: () => refuse("neardata: in.json: " + "x".repeat(5000)),
  twoDocuments: () => process.stdout.write("{}\\n{}\\n"),
  noDocument: () => refuse("neardata: in.json: it is refused."),
  pipe: () => import("node:fs").then((fs) => fs.writeSync(2, "Aborted\\n")),
  leftover: () => writeFileSync("out.json.17.partial", ""),
  stray: () => writeFileSync("other.txt", ""),
  above: () => writeFileSync("../other.txt", ""),
  halfWritten: () => { writeFileSync("out.json", "{"); refuse("neardata: in.json: it is refused."); },
  eats: () => rmSync("in.json"),
  overwrites: () => writeFileSync("in.json", "{}"),
};
export async function runMain([, , act]) { await acts[act](); }
`;

/** Where programs end by themselves, however busy the machine is. */
const patient: Limits = { memory: 1024, processor: 60, wall: 500, idle: 500, grace: 60 };
/** Where they do not. */
const strict: Limits = { memory: 1024, processor: 0.5, wall: 500, idle: 0.5, grace: 0.3 };
let home = "";
let fake: Runner;
let endless: Runner;
let small: Runner;

beforeAll(() => {
  home = mkdtempSync(join(tmpdir(), "neardata-fuzz-"));
  mkdirSync(join(home, "worker"));
  const main = join(home, "program.mjs");
  writeFileSync(main, program);
  fake = runner({ main, home: join(home, "worker"), limits: patient, inputs: 100 });
  endless = runner({ main, home: join(home, "worker"), limits: strict, inputs: 100 });
  small = runner({
    main,
    home: join(home, "worker"),
    limits: { ...patient, memory: 512 },
    inputs: 1,
  });
});

afterAll(async () => {
  await fake.end();
  await endless.end();
  await small.end();
  rmSync(home, { recursive: true, force: true });
});

const inputOf = (act: string, ...more: readonly string[]): Input => ({
  command: act,
  name: "planted",
  argv: [act, "in.json", ...more],
  files: { "in.json": { kind: "file", bytes: Buffer.from("[]") } },
  outputs: ["out.json"],
  own: null,
});

const brokenBy = async (act: string, ...more: readonly string[]): Promise<string> =>
  (await runInput(fake, home, inputOf(act, ...more))).broken.join("\n");

describe("the judge of make fuzz", () => {
  it("has nothing against a command that is done, and one that refuses", async () => {
    expect(await brokenBy("fine", "--out", "out.json", "--json")).toBe("");
    expect(await brokenBy("refuses")).toBe("");
  });

  it.each<[string, RegExp]>([
    ["bug", /exit code 70/],
    ["cancelled", /exit code 130/],
    ["aborts", /the process ended: SIGABRT/],
    ["exits", /the process ended: exit code 0/],
    ["throws", /exit code 70|nobody caught: Error: nobody sees me/],
    ["rejects", /nobody caught: Error: later/],
    ["goesOn", /the process would not end/],
    ["silent", /ends without a word/],
    ["stack", /a line on stderr is no sentence: at run/],
    ["plain", /a line on stderr is no sentence: in\.json/],
    ["object", /says "\[object Object\]"/],
    ["undef", /says "undefined"/],
    ["zod", /says "Invalid input"/],
    ["notANumber", /says "NaN"/],
    ["v8", /says "Maximum call stack"/],
    ["nameless", /names neither file nor option/],
    ["long", /a message has 50\d\d characters/],
    ["pipe", /printed past the program's output: Aborted/],
    ["leftover", /leaves work\/out\.json\.17\.partial/],
    ["stray", /leaves work\/other\.txt with exit code 0/],
    ["above", /leaves other\.txt with exit code 0/],
    ["eats", /removes work\/in\.json/],
    ["overwrites", /changes work\/in\.json/],
  ])("notices a program that %s", async (act, sentence) => {
    expect(await brokenBy(act)).toMatch(sentence);
  });

  it.each(["spins", "waits"])("notices a program that %s without end", async (act) => {
    const { broken } = await runInput(endless, home, inputOf(act));
    expect(broken.join("\n")).toMatch(/the process ended: nothing after/);
  });

  it("notices a program that hoards memory", async () => {
    const { broken } = await runInput(small, home, inputOf("hoards"));
    expect(broken.join("\n")).toMatch(/the process ended|nobody caught: .*(memory|allocation)/);
  });

  it("lets a message quote the input, also what is compressed in it", async () => {
    const input = inputOf("undef");
    const quoted = (bytes: Buffer): Input => ({
      ...input,
      files: { "in.json": { kind: "file", bytes } },
    });
    const text = Buffer.from("[undefined]");
    for (const bytes of [text, gzipSync(text)]) {
      expect((await runInput(fake, home, quoted(bytes))).broken).toEqual([]);
    }
    const damaged = gzipSync(text).subarray(0, 20);
    expect((await runInput(fake, home, quoted(damaged))).broken.join()).toMatch(/says "undefined"/);
  });

  it("notices output of a refused command, and stdout that is no document", async () => {
    expect(await brokenBy("halfWritten", "--out", "out.json")).toMatch(/leaves work\/out\.json/);
    expect(await brokenBy("twoDocuments", "--json")).toMatch(/no single JSON document/);
    expect(await brokenBy("noDocument", "--json")).toMatch(/no single JSON document/);
  });
});
