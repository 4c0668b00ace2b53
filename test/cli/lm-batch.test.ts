// SPDX-License-Identifier: Apache-2.0
// `neardata lm batch`: a trace served by a small model and by that of the repository, audits on RTL, exit codes.

import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { describe, expect, it, onTestFinished } from "vitest";

import { judgeChecks } from "../../src/cli/terminal/output.ts";
import { loadExperts } from "../../src/run/lm-model.ts";
import { serveTrace } from "../../src/run/batch.ts";
import { openCsdSession } from "../../src/native/csd/csd-session.ts";
import { openSession } from "../../src/native/session.ts";
import { cli } from "../helpers/cli.ts";
import { rejectedAt } from "../helpers/rejected-at.ts";
import { tracedRequests } from "../helpers/traced-requests.ts";
import { safetensors } from "../helpers/safetensors.ts";
import { faultySessions } from "../lm/faulty-sessions.ts";
import { tensorsOf, text } from "../lm/moe-checkpoint.ts";
import { inFull } from "../helpers/needs.ts";

const lines = [
  ...["TIMESTAMP,ContextTokens,GeneratedTokens", "2023-11-16 18:15:46.6805900,120,24"],
  ...["2023-11-16 18:15:46.8,75,37", "2023-11-16 18:15:47.1,200,9"],
];
const folder = mkdtempSync(join(tmpdir(), "neardata-batch-"));
const at = (name: string): string => join(folder, name);
const trace = at("trace.csv");
const model = at("model.safetensors");
writeFileSync(trace, `${lines.join("\r\n")}\r\n`);
writeFileSync(model, safetensors(tensorsOf("deepseek-moe")));
writeFileSync(at("text.bin"), text);
writeFileSync(at("lengths.csv"), "ContextTokens,GeneratedTokens\n1,1\n");
const assume = ["head_dim=16", "num_experts_per_tok=2", "max_position_embeddings=64"];
const machine = [
  ...["lm", "batch", "--model", model, "--text", at("text.bin")],
  ...assume.flatMap((one) => ["--assume", one]),
];
const small = [...machine, "--trace", trace, "--requests", "3"];

interface Document {
  readonly resultHash: string;
  readonly shrink: number;
  readonly requests: readonly { readonly generated: number; readonly ttftUs: number }[];
  readonly steps: readonly unknown[];
  readonly checks: readonly { readonly id: string; readonly pass: boolean }[];
}

describe("neardata lm batch", () => {
  it("serves a trace with a page and a timeline, twice with one hash", async () => {
    const [page, timeline] = [at("page.html"), at("timeline.json")];
    const { code, stdout, stderr } = await cli(
      ...small,
      "--page",
      page,
      "--timeline",
      timeline,
      "--json",
    );
    expect([code, stderr]).toEqual([0, ""]);
    const document = JSON.parse(stdout) as Document;
    // 200 + 9 tokens by 4 are 50 + 3 - 1 positions of 64.
    expect(document.shrink).toBe(4);
    expect(document.requests.map(({ generated }) => generated)).toEqual([6, 10, 3]);
    expect(document.checks.map(({ id }) => id)).toEqual(["attention", "experts", "served"]);
    const html = readFileSync(page, "utf8");
    expect(html).toContain("3 requests in one batch");
    expect(html).toContain("ceil(n / 4)");
    expect(html).toContain(document.resultHash);
    const { traceEvents } = JSON.parse(readFileSync(timeline, "utf8")) as {
      readonly traceEvents: readonly { readonly name: string }[];
    };
    const names = new Set(traceEvents.map(({ name }) => name));
    for (const name of [
      "attention",
      "storing",
      "prompt attention",
      "decodes",
      "requests waiting",
    ]) {
      expect(names).toContain(name);
    }
    const again = JSON.parse((await cli(...small, "--json")).stdout) as Document;
    expect(again).toEqual(document);
    const other = JSON.parse((await cli(...small, "--json", "--chunk", "5")).stdout) as Document;
    expect(other.resultHash).not.toBe(document.resultHash);
  });

  it("says the rules and every number on the terminal", async () => {
    const { code, stdout } = await cli(...small, "--attention", "dense", "--pace", "1000");
    expect(code).toBe(0);
    expect(stdout).toMatch(
      /^The first 3 requests of an Azure LLM inference trace\. A length of n tokens .* 1\/1000 of the trace's/,
    );
    expect(stdout).toMatch(/time per output token, median +[\d.]+ us \(measured\)/);
    expect(stdout).toMatch(/steps waited for: .*attention \d/);
  });

  it("audits the repository's model on RTL: none differs", inFull, async () => {
    const { code, stdout } = await cli(
      ...["lm", "batch", "--trace", trace, "--requests", "2", "--shrink", "12", "--pace", "1000"],
      ...["--audit", "1/6", "--seed", "2"],
    );
    expect(code).toBe(0);
    const match = /(\d+) of \d+ jobs of experts and (\d+) of \d+ rounds .* none differ/.exec(
      stdout,
    );
    expect(Number(match?.[1])).toBeGreaterThan(0);
    expect(Number(match?.[2])).toBeGreaterThan(0);
  });

  it("has exit code 1 for a difference, and 0 without one", async () => {
    const before = process.exitCode;
    onTestFinished(() => {
      process.exitCode = before;
    });
    const served = async (head: number): Promise<Awaited<ReturnType<typeof serveTrace>>> =>
      serveTrace(
        {
          trace: await tracedRequests(lines.join("\n"), "t.csv"),
          requests: 1,
          shrink: 8,
          pace: 100,
          batch: 8,
          chunk: 64,
          room: null,
          ratio: 1 / 2,
          storage: null,
          fidelity: "cycle",
          host: "h100-80",
          dimms: 2,
          devices: 2,
          audit: 1,
          seed: 1,
        },
        loadExperts(model, assume).model,
        text,
        {
          openNdp: openSession,
          openCsd: openCsdSession,
          auditOn: { engine: "cycle", ...faultySessions({ head }) },
        },
      );
    process.exitCode = 0;
    judgeChecks((await served(0)).run.checks);
    expect(process.exitCode).toBe(0);
    const faulty = await served(3);
    judgeChecks(faulty.run.checks);
    expect(process.exitCode).toBe(1);
    expect(faulty.run.checks.find(({ pass }) => !pass)?.detail).toMatch(
      /0 jobs and 1 rounds differ/,
    );
    expect(faulty.document).toMatchObject({ audit: { rounds: { different: 1 } } });
  });

  it.each([
    [["--shrink", "1"], /--shrink: .* 143 /],
    [["--room", "1"], "--room"],
    [["--seed", "2"], /--seed: .*--audit/],
    [["--audit", "1/2", "--fidelity", "rtl"], "--audit"],
    [["--attention", "dense", "--ratio", "1/4"], "--ratio"],
    [["--host", "abacus"], /--host: .*"abacus"/],
    [["--page", trace], "--page"],
  ])("refuses %o", async (options, where) => {
    expect(await cli(...small, ...options)).toEqual(rejectedAt(where));
  });

  it.each([
    [["--trace", at("none.csv")], "none.csv"],
    [["--trace", at("text.bin")], /text\.bin: .*NUL/],
    [["--trace", at("lengths.csv")], /lengths\.csv: .*TIMESTAMP/],
    [["--trace", trace, "--requests", "0"], /--requests: "0"/],
    [["--trace", trace, "--requests", "4"], /--requests: .*trace\.csv .* 4/],
  ])("refuses %o", async (options, where) => {
    expect(await cli(...machine, ...options)).toEqual(rejectedAt(where));
  });

  it("refuses to start without a trace", async () => {
    expect(await cli("lm", "batch")).toEqual(rejectedAt(/--trace/));
  });
});
