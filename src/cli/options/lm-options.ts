// SPDX-License-Identifier: Apache-2.0
// Options that the commands of `neardata lm` share.

import { Option, type Command } from "commander";
import { largestSeed } from "../../base/limits.ts";
import { shareOf } from "../../base/quantity.ts";
import { lowBitFormats } from "../../golden/low-bit.ts";
import { inputError } from "../../base/errors.ts";
import { inRepository } from "../../base/paths.ts";
import { formatValue } from "../../base/format-value.ts";
import { collect, fidelityOption, inputPath, wholeNumber } from "./options.ts";

/** The largest number of a window; the text determines how many windows exist. */
const maxWindows = 1_000_000;

export function textOption(): Option {
  return new Option(
    "--text <file>",
    "The text, as bytes (default: neardata's data/tinylm/eval.bin).",
  )
    .argParser(inputPath)
    .default(inRepository("data", "tinylm", "eval.bin"));
}

export function ratioOption(): Option {
  return new Option("--ratio <c>", "The share of K and V to transfer, such as 1/8.")
    .argParser(shareParser("--ratio"))
    .default(1 / 8, "1/8");
}

export function storageOption(formats: readonly string[] = lowBitFormats): Option {
  return new Option(
    "--storage <format>",
    "Round routed experts to weights of fewer bits, which the NDP unit multiplies without conversion.",
  ).choices(formats);
}

export function assumeOption(): Option {
  return new Option(
    "--assume <name=value>",
    "A setting that the tensors do not determine, such as num_experts_per_tok=4; repeatable.",
  )
    .argParser(collect)
    .default([]);
}

export function auditOption(): Option {
  return new Option(
    "--audit <share>",
    "Also run a sampled share of experts and heads on RTL, such as 1/16, and compare.",
  ).argParser(shareParser("--audit"));
}

/** Commander's parser of a share. */
function shareParser(name: string): (text: string) => number {
  return (text) => {
    const share = shareOf(text);
    if (share !== null) return share;
    const message = `${formatValue(text)} is no share above 0 and at most 1, such as 1/8 or 0.125.`;
    throw inputError(name, message);
  };
}

/** Commander's parser of windows, none twice. */
export function parseWindows(text: string): readonly number[] {
  const windows = text.split(",").map(wholeNumber("--windows", 0, maxWindows));
  const twice = windows.find((window, i) => windows.indexOf(window) !== i);
  if (twice !== undefined) throw inputError("--windows", `window ${twice} stands there twice.`);
  return windows;
}

/** A whole number from 1 to `most`. */
export function countOption(flags: string, meaning: string, most: number): Option {
  const name = flags.split(" ")[0] ?? flags;
  return new Option(flags, meaning).argParser(wholeNumber(name, 1, most));
}

export function dimmsOption(usual: number): Option {
  return countOption("--dimms <n>", "NDP DIMMs that store the experts.", 64).default(usual);
}

export function devicesOption(usual: number): Option {
  const meaning = "Storage devices that store keys and values.";
  return countOption("--devices <n>", meaning, 16).default(usual);
}

export function seedOption(meaning: string): Option {
  return new Option("--seed <n>", meaning)
    .argParser(wholeNumber("--seed", 0, largestSeed))
    .default(1);
}

export function methodOption(meaning: string): Option {
  return new Option("--attention <name>", meaning).choices(["dense", "sparf"]).default("sparf");
}

export function hostOption(): Option {
  return new Option(
    "--host <name>",
    "The GPU or CPU of all other layers, such as h100-80 or spr-amx.",
  ).default("h100-80");
}

/** A trained mixture of experts, its text, and the machine that its decode steps run on. */
export function addMixtureOptions(command: Command): Command {
  return command
    .option(
      "--model <file>",
      "A .safetensors file or the index of a sharded one (default: the model of the repository).",
      inputPath,
      inRepository("data", "tinymoe", "tinymoe.safetensors"),
    )
    .addOption(textOption())
    .addOption(methodOption("The attention method of decode steps."))
    .addOption(ratioOption())
    .addOption(
      fidelityOption("The fidelity of NDP DIMMs and storage devices.", ["rtl", "cycle"]).default(
        "cycle",
      ),
    )
    .addOption(hostOption());
}
