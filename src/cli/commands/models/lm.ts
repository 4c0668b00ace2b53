// SPDX-License-Identifier: Apache-2.0
// `neardata lm eval`: measures the loss of a trained model under sparse attention, in bits per byte of
// text, and runs a mixture-of-experts model with its experts and its attention on simulated hardware.

import { counted } from "../../../base/format-value.ts";
import process from "node:process";
import { Option, type Command } from "commander";
import { engineNames, type EngineName } from "../../../kernels/csd/engine-names.ts";
import { checkOptionalOutput } from "../../../base/files/output.ts";
import type { FloatFormat } from "../../../golden/activation.ts";
import {
  expertEngineNames,
  groupChoices,
  lmAttentions,
  methodsWithoutEngine,
} from "../../../lm/attention-names.ts";
import type { ExpertEngineName, GroupChoice, LmAttention } from "../../../lm/attention-names.ts";
import { type LmResult, evaluateLm, windowCount } from "../../../lm/evaluate.ts";
import type { SparqTraffic } from "../../../lm/sparq-traffic.ts";
import { inRepository } from "../../../base/paths.ts";
import { inputError, NeardataError } from "../../../base/errors.ts";
import { roundedFormats, type RoundedFormat } from "../../../workload/quantise.ts";
import { readWholeFile } from "../../../run/files.ts";
import { exitOnSignal } from "../../terminal/interrupt.ts";
import {
  assumeOption,
  parseWindows,
  ratioOption,
  storageOption,
  textOption,
} from "../../options/lm-options.ts";
import { fidelityOption, inputPath, rejectUnread, wholeNumber } from "../../options/options.ts";
import { judgeChecks, printJson, printText } from "../../terminal/output.ts";
import { remark } from "../../../run/remark.ts";
import { asksForLines } from "../../../run/progress.ts";
import { registerBatch } from "./lm-batch.ts";
import { registerShape } from "./lm-shape.ts";
import { registerToken } from "./lm-token.ts";
import { floatFormats } from "../../../golden/names.ts";
import { example } from "../../options/help.ts";
import { hashOfValue, sha256 } from "../../../base/hash.ts";
import { readSetting } from "../../../lm/moe/settings.ts";
import { lmHardware } from "../../../run/lm-hardware.ts";
import { loadLanguageModel } from "../../../run/lm-model.ts";

interface LmOptions {
  readonly model: string;
  readonly text: string;
  readonly attention: LmAttention;
  readonly ratio: number;
  readonly group: GroupChoice;
  readonly fidelity?: EngineName;
  readonly experts?: ExpertEngineName;
  readonly dispatch?: "window" | "step";
  readonly dtype?: FloatFormat;
  readonly storage?: RoundedFormat;
  readonly assume: readonly string[];
  readonly routes?: string;
  readonly quantise?: number;
  readonly cacheBits?: number;
  readonly windows?: readonly number[];
  readonly steps?: number;
  readonly json?: boolean;
}

export function register(lm: Command): void {
  lm.addHelpText("after", example("neardata lm eval --windows 0"));
  lm.command("eval")
    .description("Measure bits per byte of a text under an attention method.")
    .option(
      "--model <file>",
      "A .safetensors file or the index of a sharded one: a mixture of experts with the names of Hugging " +
        "Face (Mixtral, Qwen3-MoE, DeepSeek-MoE), or the dense model of the repository.",
      inputPath,
      inRepository("data", "tinylm", "tinylm.safetensors"),
    )
    .addOption(textOption())
    .addOption(
      new Option("--attention <name>", "The attention method of decode steps.")
        .choices(lmAttentions)
        .default("dense"),
    )
    .addOption(ratioOption())
    .addOption(
      new Option(
        "--group <who>",
        "Who selects tokens under SparF if query heads share keys and values: the whole group, as in the " +
          "attention engine, or each head.",
      )
        .choices(groupChoices)
        .default("whole"),
    )
    .addOption(
      fidelityOption(
        "The engine of decode attention, in FP16 (default: float64 without rounding).",
        engineNames,
      ),
    )
    .addOption(
      new Option(
        "--experts <name>",
        "The engine of routed experts, FP16 in and out (default: float64).",
      ).choices(expertEngineNames),
    )
    .addOption(
      new Option(
        "--dispatch <unit>",
        "The tokens of one job of an expert: all of the window, or of one decode step (default: window).",
      ).choices(["window", "step"]),
    )
    .addOption(
      new Option("--dtype <format>", "Round the weights of --experts to this format.").choices(
        floatFormats,
      ),
    )
    .addOption(storageOption(roundedFormats))
    .addOption(assumeOption())
    .addOption(
      new Option(
        "--quantise <bits>",
        "Store weights and caches in this number of bits, in FlexGen's groups of 64 (default: not quantised).",
      ).argParser(wholeNumber("--quantise", 1, 8)),
    )
    .addOption(
      new Option(
        "--cache-bits <bits>",
        "Store keys and values of decode steps in this number of bits, in FlexGen's groups of 64 (default: not quantised).",
      ).argParser(wholeNumber("--cache-bits", 1, 8)),
    )
    .option("--routes <file>", "Write the choices of the routers to a CSV file.")
    .option("--windows <list>", "Windows to score, such as 0,2,4 (default: all).", parseWindows)
    .addOption(
      new Option(
        "--steps <n>",
        "Score the first n decode steps of each window (default: all).",
      ).argParser(wholeNumber("--steps", 1, maxSteps)),
    )
    .option("--json", "Print the result as JSON.")
    .addHelpText("after", evalExamples)
    .action(evaluateText);
  registerToken(lm);
  registerBatch(lm);
  registerShape(lm);
}

const evalExamples = `${example("neardata lm eval --attention sparf --ratio 1/8 --windows 0")}
  neardata lm eval --attention sparse-values --ratio 1/10 --cache-bits 4 --windows 0`;

async function evaluateText(options: LmOptions, command: Command): Promise<void> {
  rejectUnread(command, [
    ["ratio", options.attention === "dense", "dense attention moves all of K and V."],
    ["group", options.attention !== "sparf", "it says how SparF chooses; see --attention sparf."],
    [
      "fidelity",
      methodsWithoutEngine.includes(options.attention),
      `${options.attention} is computed in float64: the attention engine has SparF; see --attention sparf.`,
    ],
    [
      "cacheBits",
      options.quantise !== undefined,
      "--quantise stores keys and values in its own number of bits.",
    ],
  ]);
  const { attention, ratio, group, steps } = options;
  checkOptionalOutput("--routes", options.routes, [options.model, options.text]);
  const settings = options.assume.reduce(
    (all, one) => ({ ...all, ...readSetting("--assume", one) }),
    {},
  );
  const loaded = loadLanguageModel(options.model, settings, options.quantise);
  if (loaded.kind === "tiny") rejectRouted(options);
  const output = checkOptionalOutput("--routes", options.routes, [...loaded.files, options.text]);
  const text = readWholeFile(options.text);
  const hardware = lmHardware(loaded, { ...options, routes: output !== null });
  const { model } = hardware;
  const needed = model.inputs + 1;
  if (text.length < needed) {
    throw inputError(options.text, `it has ${text.length} bytes, and a window needs ${needed}.`);
  }
  const windows = options.windows ?? Array.from({ length: windowCount(model, text) }, (_, i) => i);
  const onWindow = (window: number, bits: number): void => {
    const line = `window ${window}: ${bits.toFixed(3)} bits`;
    if (asksForLines()) remark(line);
    else if (process.stderr.isTTY) process.stderr.write(`${line}\n`);
  };
  const { quantise: bits, cacheBits } = options;
  const task = {
    text,
    windows,
    steps,
    bits,
    cacheBits,
    method: { attention, ratio, choice: group },
  };
  try {
    const result = await exitOnSignal(() => evaluateLm(model, task, hardware.attention, onWindow));
    if (output !== null && hardware.routes !== null) output.write(hardware.routes.csv());
    const checks = hardware.checks();
    if (options.json === true) {
      const configHash = hashOf(options, settings, [...loaded.files, options.text], windows);
      printJson({ configHash, ...result, ...hardware.report() });
    } else {
      printText(
        [
          `${attention}: ${result.bitsPerByte.toFixed(4)} bits per byte over ` +
            `${counted(result.scoredBytes, "byte")} (${counted(result.windows.length, "window")})`,
          ...(result.traffic === undefined ? [] : trafficLines(result.traffic)),
          ...cacheLines(result),
        ].join("\n"),
      );
    }
    judgeChecks(checks);
  } finally {
    hardware.close();
  }
}

/**
 * The share of a cache of 16-bit values that FlexGen's approximations read; empty for other
 * methods.
 */
function cacheLines({ attention, ratio, cacheBits }: LmResult): readonly string[] {
  const percent = (share: number): string => `${Number((100 * share).toPrecision(3))} %`;
  const values = attention === "sparse-values" ? (ratio ?? 1) : null;
  return [
    ...(values === null
      ? []
      : [
          `  keys of all tokens and values of ${percent(values)} of them: ${percent((1 + values) / 2)} of dense attention's elements (derived)`,
        ]),
    ...(cacheBits === null
      ? []
      : [
          `  keys and values in ${cacheBits} bits, minimum and scale of 64 values in FP16: ${percent((cacheBits + 0.5) / 16)} of the bytes of 16-bit values (derived)`,
        ]),
  ];
}

/** The traffic of SparQ, and the difference to SparF. */
function trafficLines(traffic: SparqTraffic): readonly string[] {
  const share = (moved: number): string =>
    `${(moved / 1e6).toFixed(1)} MB, ${((100 * moved) / traffic.denseBytes).toFixed(1)} % of dense attention's`;
  return [
    `  SparQ moves the elements that it uses: ${share(traffic.sparqBytes)} (derived)`,
    `  SparF reads whole pages of 4 KiB for the same choices: ${share(traffic.sparfBytes)} (derived)`,
  ];
}

/**
 * Covers everything that determines the numbers: the content of model and text, not their paths.
 */
function hashOf(
  options: LmOptions,
  settings: Readonly<Record<string, unknown>>,
  files: readonly string[],
  windows: readonly number[],
): string {
  const { attention, ratio, group, fidelity, experts, dispatch, dtype, storage } = options;
  const { quantise, cacheBits, steps } = options;
  return hashOfValue({
    ...{
      attention,
      engine: fidelity,
      experts,
      dispatch,
      dtype,
      storage,
      quantise,
      cacheBits,
      steps,
      settings,
      windows,
    },
    ratio: attention === "dense" ? null : ratio,
    group: attention === "sparf" ? group : null,
    files: files.map((file) => sha256(readWholeFile(file))),
  });
}

/** The model of the repository has nothing to route. */
function rejectRouted(options: LmOptions): void {
  const given = (["experts", "dispatch", "dtype", "storage", "routes"] as const).filter(
    (name) => options[name] !== undefined,
  );
  if (given.length === 0) return;
  throw new NeardataError(
    "bad-input",
    given.map((name) => ({ where: `--${name}`, message: "the model has no routed experts." })),
  );
}

/** Half of the longest window. */
const maxSteps = 512;
