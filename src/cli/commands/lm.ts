// SPDX-License-Identifier: Apache-2.0
// `neardata lm eval`: what sparse attention costs a trained model, in bits per byte of text.

import process from "node:process";
import { Option, type Command } from "commander";
import { engineNames, type EngineName } from "../../driver/engine-names.ts";
import { lmAttentions, type LmAttention } from "../../lm/attention-names.ts";
import { inRepository } from "../../native/paths.ts";
import { shareOf } from "../../config/quantity.ts";
import { inputError } from "../../errors.ts";
import { shown } from "../../shown.ts";
import { memorySource } from "../../workload/bytes.ts";
import { readWholeFile } from "../files.ts";
import { wholeNumber } from "../options.ts";
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
  const { readTinyModel, tinyShape } = await import("../../lm/model.ts");
  const { attention, ratio } = options;
  const { csdsOn } = await import("../csd.ts");
  const engine = options.engine === undefined ? null : attentionEngine(options.engine, csdsOn());
  const model = readTinyModel(memorySource(options.model, readWholeFile(options.model)));
  const text = readWholeFile(options.text);
  const needed = tinyShape.context + 1;
  if (text.length < needed) {
    throw inputError(options.text, `it has ${text.length} bytes, and a window needs ${needed}.`);
  }
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

/** Of a text that anybody has; a window is 768 bytes. */
const mostWindows = 1_000_000;

function parseRatio(text: string): number {
  const ratio = shareOf(text);
  if (ratio !== null) return ratio;
  throw inputError(
    "--ratio",
    `${shown(text)} is no share above 0 and at most 1, such as 1/8 or 0.125.`,
  );
}

function parseWindows(text: string): readonly number[] {
  const windows = text.split(",").map(wholeNumber("--windows", 0, mostWindows));
  const twice = windows.find((window, i) => windows.indexOf(window) !== i);
  if (twice !== undefined) throw inputError("--windows", `window ${twice} stands there twice.`);
  return windows;
}
