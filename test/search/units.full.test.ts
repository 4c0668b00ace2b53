// SPDX-License-Identifier: Apache-2.0
// `make search` in short: cases that disagreed once agree now, and so do some new ones; an injected
// fault is found and shrunk.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { inRepository } from "../../src/base/paths.ts";
import { moduleFile } from "../../src/tools/synth/rtl-files.ts";
import type { HeadJob } from "../../src/tools/bench/sparf-case.ts";
import { smallEngine } from "../helpers/sparf-bench.ts";
import { goldenOutcome, type Outcome } from "../helpers/sparf-jobs.ts";
import { readCorpus } from "./corpus.ts";
import { searched, Search, shrunk } from "./search.ts";
import { sparfEngineSubject } from "./sparf-engine.ts";
import type { Subject } from "./subject.ts";
import { subjects } from "./subjects.ts";

const scratch = mkdtempSync(join(tmpdir(), "neardata-search-"));
afterAll(() => {
  rmSync(scratch, { recursive: true });
});

describe.each(Object.entries(subjects))("%s", (name, open) => {
  let subject: Subject;
  beforeAll(async () => {
    subject = await open(scratch);
  }, 1_800_000);
  afterAll(() => {
    subject.close();
  });

  it("agrees with its cycle model and the golden values in recorded and new cases", async () => {
    for (const [file, one] of readCorpus(inRepository("test", "fixtures", "search"), subject)) {
      expect({ file, ...(await subject.run(one)) }).toMatchObject({ file, wrong: null });
    }
    const search = new Search(subject, Number(process.env["NEARDATA_SEED"] ?? 1));
    expect(await searched(search, name === "ndp" ? 100 : 40)).toBeNull();
    expect(search.seen.size).toBeGreaterThan(500);
  });
});

describe("a fault", () => {
  it("as of an engine that loses a token of many is found in a small batch", async () => {
    const golden = (job: HeadJob): Outcome => {
      const right = goldenOutcome(job);
      return right.tokens.length < 3 ? right : { ...right, tokens: right.tokens.slice(1) };
    };
    const nothing = new Map<string, string>();
    const subject = await sparfEngineSubject("planted", smallEngine, scratch, nothing, golden);
    const disagreement = await searched(new Search(subject, 1), 1000);
    const { one, wrong } = await shrunk(subject, disagreement ?? { one: {}, wrong: "" });
    expect(wrong).toBe("outcomes: not as the golden model");
    // The last head is the first that chooses so many; those before it are of one token.
    const heads = one["heads"] ?? 0;
    const tokens = Array.from({ length: heads }, (_, i) => one[`tokens.${String(i)}`]);
    expect(tokens).toEqual([...Array.from({ length: heads - 1 }, () => 1), 3]);
  });

  it("in when the kernel says that it waits is found, and named in a small case", async () => {
    const sequencer = moduleFile("sparf_attend_sequencer");
    const source = readFileSync(sequencer, "utf8");
    const right = "(!use_valid_i || closing_q), finish_q";
    expect(source).toContain(right);
    const planted = join(scratch, "sparf_attend_sequencer.sv");
    writeFileSync(planted, source.replace(right, "!use_valid_i, finish_o"));
    const open = subjects["sparf-kernel-slots"];
    const subject = await open?.(scratch, new Map([[sequencer, planted]]));
    if (subject === undefined) throw new Error("there is no such subject");
    const disagreement = await searched(new Search(subject, 1), 1000);
    expect(disagreement?.wrong).toMatch(/the cycle model differs in cycle \d+: events/);
    const { one, wrong } = await shrunk(subject, disagreement ?? { one: {}, wrong: "" });
    expect(wrong).toMatch(/the cycle model differs in cycle \d+: events/);
    // The values of the next head arrive while this head is being finished.
    expect(one["heads"]).toBe(2);
  });
});
