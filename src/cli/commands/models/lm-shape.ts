// SPDX-License-Identifier: Apache-2.0
// `neardata lm shape`: a decode step of a batch on the machine of a token, for a model of which only the
// shape is there.

import { Argument, type Command } from "commander";
import { inputError } from "../../../base/errors.ts";
import { checkOptionalOutput } from "../../../base/files/output.ts";
import { mixtureNames, modelShape } from "../../../workload/shapes.ts";
import {
  countOption,
  devicesOption,
  dimmsOption,
  hostOption,
  methodOption,
  ratioOption,
  seedOption,
} from "../../options/lm-options.ts";
import { rejectUnread, wholeNumber } from "../../options/options.ts";
import { exitOnSignal } from "../../terminal/interrupt.ts";
import { judgeChecks, printJson, printText } from "../../terminal/output.ts";
import { shareLine } from "../../../run/progress.ts";
import { example } from "../../options/help.ts";
import { runShape, shapeText } from "../../../run/shape.ts";
import { csdsOn } from "../../../run/csd.ts";
import { perfettoJson } from "../../../report/perfetto.ts";
import { openSession } from "../../../native/session.ts";
import { tokenSpans } from "../../../lm/token/token-report.ts";
import { mixtureOf } from "../../../lm/shape/shape-task.ts";
import { placeAttention } from "../../../lm/shape/shape-attention.ts";
import { hostNamed } from "../../../run/lm-model.ts";

interface ShapeOptions {
  readonly layers?: number;
  readonly batch: number;
  readonly microBatches?: number;
  readonly length: number;
  readonly attention: "dense" | "sparf";
  readonly ratio: number;
  readonly rtlLayer?: number;
  readonly host: string;
  readonly dimms: number;
  readonly devices: number;
  readonly seed: number;
  readonly timeline?: string;
  readonly json?: boolean;
}

const maxLayers = 1000;

/** Adds `shape` to `lm`. */
export function registerShape(lm: Command): void {
  lm.command("shape")
    .description(
      "Simulate a decode step of a large mixture of experts from its shape: generated weights, routes " +
        "scaled from a trained router, the machine of `lm token`.",
    )
    .addArgument(new Argument("<model>", "The model.").choices(mixtureNames))
    .option(
      "--layers <n>",
      "Simulate the first n layers (default: all).",
      wholeNumber("--layers", 1, maxLayers),
    )
    .addOption(countOption("--batch <n>", "Sequences in the batch, one token each.", 64).default(8))
    .option(
      "--micro-batches <n>",
      "Equal parts of the batch; the experts of one part overlap with the attention of another (default: 2, for an odd batch 1).",
      wholeNumber("--micro-batches", 1, 64),
    )
    .addOption(
      countOption("--length <n>", "Tokens in the cache of each sequence.", 32768).default(2048),
    )
    .addOption(methodOption("The attention method."))
    .addOption(ratioOption())
    .option(
      "--rtl-layer <n>",
      "Also run every expert and head of this layer on RTL, and compare.",
      wholeNumber("--rtl-layer", 0, maxLayers),
    )
    .addOption(hostOption())
    .addOption(dimmsOption(16))
    .addOption(devicesOption(4))
    .addOption(seedOption("The seed of weights, keys, values and sampled routes."))
    .option("--timeline <file>", "Write a timeline for ui.perfetto.dev.")
    .option("--json", "Print the result as JSON.")
    .addHelpText("after", example("neardata lm shape qwen3-235b-a22b --layers 2 --batch 8"))
    .action(decode);
}

async function decode(name: string, options: ShapeOptions, command: Command): Promise<void> {
  const shape = modelShape(name, "the model");
  const { batch, length, dimms, devices, seed } = options;
  const attention = placeAttention(shape, length);
  const onHost = attention.on === "host" ? `the host attends: ${attention.why}` : "";
  rejectUnread(command, [
    ["attention", attention.on === "host", onHost],
    ["devices", attention.on === "host", onHost],
    [
      "ratio",
      attention.on === "host" || options.attention === "dense",
      onHost || "dense attention moves all of K and V.",
    ],
  ]);
  const host = hostNamed(options.host);
  const layers = options.layers ?? shape.layers;
  if (layers > shape.layers) {
    throw inputError("--layers", `${shape.title} has ${shape.layers} layers.`);
  }
  const parts = options.microBatches ?? (batch % 2 === 0 ? 2 : 1);
  if (batch % parts !== 0) {
    throw inputError("--micro-batches", `${batch} sequences are not ${parts} equal parts.`);
  }
  const rtlLayer = options.rtlLayer ?? null;
  const { denseLayers } = mixtureOf(shape);
  if (rtlLayer !== null && (rtlLayer < denseLayers || rtlLayer >= layers)) {
    const some = `${denseLayers} to ${layers - 1}`;
    throw inputError("--rtl-layer", `layers with routed experts are ${some}, not ${rtlLayer}.`);
  }
  const output = checkOptionalOutput("--timeline", options.timeline, []);
  const ratio = attention.on === "host" || options.attention === "dense" ? null : options.ratio;
  const asked = { layers, batch, parts, length, ratio, seed, host, dimms, devices };
  const line = shareLine(`lm shape ${name}`);
  const shapeResult = await exitOnSignal(() =>
    runShape(
      { shape, attention, rtlLayer, ...asked },
      { openNdp: openSession, openCsd: csdsOn(), onProgress: line.update },
    ),
  ).finally(line.end);
  output?.write(perfettoJson(tokenSpans(shapeResult.runs)));
  const { report, layers: byLayer, waits, energy, experts, rtl, checks } = shapeResult;
  if (options.json === true) {
    printJson({
      model: shape,
      fidelity: "cycle",
      ...asked,
      attention,
      ...report,
      layerCount: layers,
      layers: byLayer,
      waits,
      energy,
      experts,
      hardware: { attention: shapeResult.attention },
      rtl,
      checks,
    });
  } else {
    printText(shapeText(shapeResult, { shape, attention, rtlLayer, ...asked }));
  }
  judgeChecks(checks);
}
