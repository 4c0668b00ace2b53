// SPDX-License-Identifier: Apache-2.0
// `neardata flash reads`: pages read at random from a flash device whose bits fail, with the retries of a
// controller: how each read ends, and how many bytes per second arrive.

import { Option, type Command } from "commander";
import { exitOnSignal } from "../../terminal/interrupt.ts";
import { numberBetween, wholeNumber } from "../../options/options.ts";
import { printJson, printText } from "../../terminal/output.ts";
import { example } from "../../options/help.ts";
import { inputError } from "../../../base/errors.ts";
import { largestSeed } from "../../../base/limits.ts";
import {
  randomPages,
  readPages,
  readStatuses,
  type ReadAnswer,
  type ReadStatus,
} from "../../../kernels/flash/reads.ts";
import { flashPresets, type FlashPreset } from "../../../machine/flash/presets.ts";
import { defaultReadPolicy } from "../../../machine/flash/read-policy.ts";
import { loadFlash } from "../../../native/flash-binding.ts";
import { spreadOf } from "../../../results/percentiles.ts";

interface ReadsOptions {
  readonly flash: FlashPreset;
  readonly pages: number;
  readonly bitErrorRate: number;
  readonly retryGain: number;
  readonly retries: number;
  readonly parity: number;
  readonly correctable: number;
  readonly deadChannel: readonly number[];
  readonly seed: number;
  readonly json?: boolean;
}

const mostPages = 1_000_000;
/** Ranges of the entry point (sim/api/limits.h). */
const [mostRetries, mostParity, mostCorrectable] = [1000, 65536, 65536];

export function registerReads(flash: Command): void {
  const policy = defaultReadPolicy;
  flash
    .command("reads")
    .description(
      "Read random pages of a flash device under bit errors, and print how the reads end, their rate and their times.",
    )
    .addOption(
      new Option("--flash <name>", "The device, a preset of neardata list presets.")
        .choices(Object.keys(flashPresets))
        .default("tlc4k"),
    )
    .option("--pages <n>", "Pages to read.", wholeNumber("--pages", 1, mostPages), 4096)
    .option(
      "--bit-error-rate <share>",
      "Raw bit errors per bit with default read thresholds.",
      numberBetween("--bit-error-rate", 0, 1),
      policy.rawBitErrorRate,
    )
    .option(
      "--retry-gain <factor>",
      "Each retry divides the rate of bit errors by this.",
      numberBetween("--retry-gain", 1, 1e6),
      policy.retryGain,
    )
    .option(
      "--retries <n>",
      "Retries of a page at most.",
      wholeNumber("--retries", 0, mostRetries),
      policy.mostRetries,
    )
    .option(
      "--parity <bytes>",
      "Parity of a codeword of 1024 bytes; its bits fail, too.",
      wholeNumber("--parity", 0, mostParity),
      0,
    )
    .option(
      "--correctable <bits>",
      "Bits that the code corrects in a codeword.",
      wholeNumber("--correctable", 0, mostCorrectable),
      policy.correctableBits,
    )
    .option(
      "--dead-channel <n>",
      "A channel that does not answer; repeatable.",
      (text: string, before: readonly number[]) => [
        ...before,
        wholeNumber("--dead-channel", 0, 255)(text),
      ],
      [],
    )
    .option(
      "--seed <n>",
      "The seed of places and errors.",
      wholeNumber("--seed", 0, largestSeed),
      1,
    )
    .option("--json", "Print the numbers as JSON.")
    .addHelpText(
      "after",
      example("neardata flash reads --flash tlc4k --bit-error-rate 0.004 --parity 70"),
    )
    .action(reads);
}

async function reads(options: ReadsOptions): Promise<void> {
  const { deadChannel, pages: count, seed } = options;
  const device = flashPresets[options.flash];
  const absent = deadChannel.find((channel) => channel >= device.channels);
  if (absent !== undefined) {
    const message = `${options.flash} has channels 0 to ${device.channels - 1}, not ${absent}.`;
    throw inputError("--dead-channel", message);
  }
  const policy = {
    ...defaultReadPolicy,
    rawBitErrorRate: options.bitErrorRate,
    retryGain: options.retryGain,
    mostRetries: options.retries,
    parityBytes: options.parity,
    correctableBits: options.correctable,
    deadChannels: [...new Set(deadChannel)],
    seed,
  };
  const answers = await exitOnSignal(() =>
    readPages(loadFlash(), device, policy, randomPages(device, seed, count)),
  );
  const sum = (of: (answer: ReadAnswer) => number): number =>
    answers.reduce((total, answer) => total + of(answer), 0);
  const totalNs = answers.reduce((most, { doneNs }) => Math.max(most, doneNs), 0);
  const endingIn = (wanted: ReadStatus): number =>
    answers.filter(({ status }) => status === wanted).length;
  const ends = Object.fromEntries(readStatuses.map((status) => [status, endingIn(status)]));
  const correct = endingIn("clean") + endingIn("retried");
  const gigabytes = (correct * device.page_bytes) / totalNs;
  const attempts = sum((one) => one.attempts);
  const times = spreadOf(answers.map(({ doneNs }) => doneNs * 1e-9));
  if (options.json === true) {
    printJson({
      flash: options.flash,
      pages: count,
      pageBytes: device.page_bytes,
      ends,
      attempts,
      correctedBits: sum((one) => one.correctedBits),
      seconds: totalNs * 1e-9,
      bytesPerSecond: gigabytes * 1e9,
      doneSeconds: { p50: times.p50, p99: times.p99, most: times.most },
    });
    return;
  }
  const microseconds = (time: number): string => (time * 1e6).toFixed(1);
  const list = Object.entries(ends).map(([status, pages]) => `${pages} ${status}`);
  printText(
    `${count} random pages of ${device.page_bytes} bytes from ${options.flash}, submitted together: ${list.join(", ")}`,
  );
  printText(
    `${attempts} reads in ${microseconds(totalNs * 1e-9)} us, ${gigabytes.toFixed(3)} GB/s of correct pages; ` +
      `half of the pages after ${microseconds(times.p50)} us, 99 % after ${microseconds(times.p99)} us`,
  );
}
