// SPDX-License-Identifier: Apache-2.0
// `neardata lm eval`: what sparse attention costs a trained model, in bits per byte of text.

import process from "node:process";
import { InvalidArgumentError, Option, type Command } from "commander";
import { engineNames, type EngineName } from "../../driver/engine-names.ts";
import { lmAttentions, type LmAttention } from "../../lm/attention-names.ts";
import { inRepository } from "../../native/paths.ts";
import { memorySource } from "../../workload/bytes.ts";
import { readWholeFile } from "../files.ts";
import { printJson, printText } from "../output.ts";

interface LmOptions {
  readonly model: string;
  readonly text: string;
  readonly attention: LmAttention;
  readonly ratio: number;
  readonly engine?: EngineName;
  readonly windows?: readonly number[];
  readonly json?: boolean;
}

export function register(program: Command): void {
  const lm = program.command("lm").description("a small trained transformer as a judge");
  lm.command("eval")
    .description("bits per byte of a text under an attention method")
    .option(
      "--model <file>",
      "weights (.safetensors, FP16; default: the model of the repository)",
      inRepository("data", "tinylm", "tinylm.safetensors"),
    )
    .option(
      "--text <file>",
      "the text, bytes (default: the text of the repository)",
      inRepository("data", "tinylm", "eval.bin"),
    )
    .addOption(
      new Option("--attention <name>", "how decode steps attend")
        .choices(lmAttentions)
        .default("dense"),
    )
    .addOption(
      new Option("--ratio <c>", "share of K and V that is moved, such as 1/8")
        .argParser(parseRatio)
        .default(1 / 8, "1/8"),
    )
    .addOption(
      new Option(
        "--engine <name>",
        "who computes decode attention, on FP16 (default: float64, nothing rounded)",
      ).choices(engineNames),
    )
    .option("--windows <list>", "windows to score, such as 0,2,4 (default: all)", parseWindows)
    .option("--json", "print the result as JSON")
    .action(evaluateText);
}

async function evaluateText(options: LmOptions): Promise<void> {
  const { attentionEngine } = await import("../../driver/attention-engine.ts");
  const { evaluateLm, windowCount } = await import("../../lm/evaluate.ts");
  const { readTinyModel } = await import("../../lm/model.ts");
  const { attention, ratio } = options;
  const { openCsd } = await import("../csd.ts");
  const engine = options.engine === undefined ? null : attentionEngine(options.engine, openCsd);
  const model = readTinyModel(memorySource(options.model, readWholeFile(options.model)));
  const text = readWholeFile(options.text);
  const windows = options.windows ?? Array.from({ length: windowCount(text) }, (_, i) => i);
  const onWindow = (window: number, bits: number): void => {
    if (process.stderr.isTTY) process.stderr.write(`window ${window}: ${bits.toFixed(3)} bits\n`);
  };
  const result = await evaluateLm(model, text, windows, { attention, ratio }, engine, onWindow);
  if (options.json === true) {
    printJson(result);
    return;
  }
  printText(
    `${attention}: ${result.bitsPerByte.toFixed(4)} bits per byte over ` +
      `${result.scoredBytes} bytes (${result.windows.length} windows)`,
  );
}

/** A fraction or a decimal in (0, 1]. */
function parseRatio(text: string): number {
  const match = /^(\d+(?:\.\d+)?)(?:\/(\d+(?:\.\d+)?))?$/.exec(text);
  const ratio = Number(match?.[1]) / Number(match?.[2] ?? 1);
  if (ratio > 0 && ratio <= 1) return ratio;
  throw new InvalidArgumentError("a ratio is above 0 and at most 1, such as 1/8 or 0.125.");
}

function parseWindows(text: string): readonly number[] {
  const windows = text.split(",").map((part) => (/^\d+$/.test(part) ? Number(part) : NaN));
  if (windows.every((w) => Number.isInteger(w))) return windows;
  throw new InvalidArgumentError("windows are whole numbers with commas between, such as 0,2,4.");
}
