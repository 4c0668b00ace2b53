// SPDX-License-Identifier: Apache-2.0
// `neardata ndp eval`: one expert of a checkpoint on the NDP unit, inputs and outputs as .npy.

import { counted } from "../../../base/format-value.ts";
import { InvalidArgumentError, Option } from "commander";
import type { Command } from "commander";
import {
  type EvalEngine,
  type Evaluation,
  evaluateExpert,
  evaluationMachine,
} from "../../../kernels/ndp/evaluate.ts";
import {
  floatFormats,
  activationFunctions,
  type FloatFormat,
  type ActivationFunction,
} from "../../../golden/names.ts";
import type { ExpertWeights } from "../../../workload/expert.ts";
import type { LowBitWeights } from "../../../workload/low-bit.ts";
import { inputError } from "../../../base/errors.ts";
import type { Checkpoint } from "../../../workload/checkpoint.ts";
import { checkpointFile, expertWithGate } from "../../../run/checkpoint.ts";
import { checkOutput, type Output } from "../../../base/files/output.ts";
import { readWholeFile } from "../../../run/files.ts";
import { exitOnSignal, interruptible } from "../../terminal/interrupt.ts";
import { fidelityOption } from "../../options/options.ts";
import { failCheck, printJson, printText } from "../../terminal/output.ts";
import { remark } from "../../../run/remark.ts";
import { progressLine } from "../../../run/progress.ts";
import { example } from "../../options/help.ts";
import { valuesOf } from "../../../golden/float16.ts";
import { inputBits } from "../../../workload/inputs.ts";
import { readNpy, writeNpy } from "../../../workload/npy.ts";
import { openSession } from "../../../native/session.ts";
import {
  expertAt,
  weightsIn,
  locateExpert,
  describeExpert,
} from "../../../run/checkpoint-directory.ts";

interface EvalOptions {
  readonly weights?: string;
  readonly checkpoint?: string;
  readonly layer?: number;
  readonly expert: string;
  readonly inputs: string;
  readonly out: string;
  readonly fidelity: EvalEngine;
  readonly activation?: ActivationFunction;
  readonly dtype?: FloatFormat;
  readonly allowNonfinite?: boolean;
  readonly json?: boolean;
}

export function register(command: Command): void {
  command.addHelpText(
    "after",
    example(
      "neardata ndp eval --weights model.safetensors --expert model.layers.3.mlp.experts.17 --inputs X.npy --out Y.npy",
    ),
  );
  command
    .command("eval")
    .description("Compute y = down(act(gate x) * (up x)) for the rows of X.npy.")
    .option("--weights <file>", "A .safetensors file, or the index of a sharded one.")
    .option("--checkpoint <dir>", "The directory of a downloaded model, instead of --weights.")
    .option("--layer <n>", "The layer of --checkpoint.", wholeNumber)
    .requiredOption(
      "--expert <name>",
      "The expert, such as model.layers.3.mlp.experts.17; with --checkpoint its number.",
      notEmpty,
    )
    .requiredOption("--inputs <file>", "X.npy, tokens x hidden.")
    .requiredOption("--out <file>", "Y.npy, tokens x hidden, float64.")
    .addOption(fidelityOption("The engine.", ["rtl", "cycle", "golden"]).default("rtl"))
    .addOption(
      new Option(
        "--activation <name>",
        "The activation function (default: from config.json beside the weights, else silu).",
      ).choices(activationFunctions),
    )
    .addOption(
      new Option(
        "--dtype <format>",
        "Round weights to this format; for low-bit weights, the format of inputs and results (default: fp16).",
      ).choices(floatFormats),
    )
    .option("--allow-nonfinite", "Propagate NaN and infinity as in IEEE 754.")
    .option("--json", "Print one JSON document.")
    .addHelpText(
      "after",
      example(
        "neardata ndp eval --weights model.safetensors --expert model.layers.3.mlp.experts.17 --inputs X.npy --out Y.npy",
      ),
    )
    .action(evaluate);
}

function notEmpty(text: string): string {
  if (text === "") throw new InvalidArgumentError("a name is needed.");
  return text;
}

function wholeNumber(text: string): number {
  if (!/^\d{1,6}$/.test(text)) throw new InvalidArgumentError("a whole number is needed.");
  return Number(text);
}

/** The file of weights, and the expert's name, or its place in a model's directory. */
function chosen({ weights, checkpoint, layer, expert }: EvalOptions): {
  readonly file: string;
  readonly named: (opened: Checkpoint) => string;
} {
  if (weights !== undefined) {
    const other = checkpoint === undefined ? layer : checkpoint;
    if (other === undefined) return { file: weights, named: () => expert };
    throw inputError("--weights", "--checkpoint and --layer take its place.");
  }
  if (checkpoint === undefined) {
    throw inputError("--weights", "it or --checkpoint is required. See --help.");
  }
  if (layer === undefined || !/^\d{1,6}$/.test(expert)) {
    throw inputError("--checkpoint", "--layer N and --expert N choose an expert of it.");
  }
  return {
    file: weightsIn(checkpoint),
    named: (opened) => expertAt(opened, layer, Number(expert)),
  };
}

async function evaluate(options: EvalOptions): Promise<void> {
  const { file, named } = chosen(options);
  const read = [file, options.inputs];
  checkOutput("--out", options.out, read);
  const allowNonfinite = options.allowNonfinite === true;
  const checkpoint = checkpointFile(file, (shard) => read.push(shard));
  const expert = named(checkpoint);
  const format = options.dtype;
  const found = expertWithGate(checkpoint, expert, {
    given: options.activation,
    unit: options.fidelity !== "golden",
    allowNonfinite,
    format,
  });
  const { gate, weights, label, remarks } = found;
  const output = checkOutput("--out", options.out, read);
  const inputs = readInputs(options.inputs, weights, allowNonfinite);
  if (options.checkpoint !== undefined) {
    remark(`${file}: ${expert}: ${describeExpert(locateExpert(found))}.`);
  }
  for (const one of remarks) remark(one);
  const line = progressLine(options.fidelity);
  const machine = evaluationMachine(weights);
  const run = (signal: AbortSignal): Promise<Evaluation> =>
    evaluateExpert(machine, weights, inputs, {
      engine: options.fidelity,
      open: openSession,
      func: gate,
      signal,
      onProgress: line.update,
    });
  // The golden model computes without a pause.
  const evaluation = await (
    options.fidelity === "golden"
      ? exitOnSignal(() => run(new AbortController().signal))
      : interruptible(run)
  ).finally(line.end);
  writeOutputs({ ...options, expert, label }, output, weights, evaluation);
}

function readInputs(
  file: string,
  weights: ExpertWeights | LowBitWeights,
  allowNonfinite: boolean,
): Uint16Array {
  const { bits, rounded } = inputBits(file, readNpy(file, readWholeFile(file)), {
    hidden: weights.hidden,
    format: weights.format,
    allowNonfinite,
  });
  if (rounded > 0) {
    remark(`${rounded} inputs are rounded to ${weights.format.toUpperCase()}, to nearest even.`);
  }
  return bits;
}

function writeOutputs(
  options: EvalOptions & { readonly label: string },
  output: Output,
  weights: ExpertWeights | LowBitWeights,
  evaluation: Evaluation,
): void {
  const { outputs, run, checks } = evaluation;
  const { expert, fidelity: engine, label, out } = options;
  const { hidden, intermediate, format } = weights;
  const tokens = (outputs?.length ?? 0) / hidden;
  if (outputs !== null) {
    const data = Float64Array.from(valuesOf(format, outputs));
    output.write(writeNpy({ type: "f8", shape: [tokens, hidden], data }));
  }
  const passed = checks.every((check) => check.pass);
  const timing = run === null ? {} : { cycles: run.cycles, timeUs: run.time / 1e9 };
  if (options.json === true) {
    const outcome = run?.outcome.kind ?? "completed";
    const storage = "storage" in weights ? weights.storage : format;
    const shape = { tokens, hidden, intermediate, activation: label, format, weights: storage };
    printJson({ outcome, expert, engine, ...shape, ...timing, checks, out });
  } else {
    const time =
      run === null ? "" : `, ${counted(run.cycles, "cycle")}, ${(run.time / 1e9).toFixed(3)} us`;
    const where = outputs === null ? "no outputs" : out;
    printText(`${expert}: ${tokens} x ${hidden} by ${engine}${time} -> ${where}`);
    for (const check of checks.filter((c) => !c.pass)) remark(`${check.title}: ${check.detail}`);
  }
  if (!passed) failCheck();
}
