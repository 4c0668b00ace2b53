// SPDX-License-Identifier: Apache-2.0
// `neardata init`: writes a scenario to begin with, its keys explained where they stand.

import { existsSync } from "node:fs";
import { basename } from "node:path";
import type { Command } from "commander";
import { inputError } from "../../errors.ts";
import { checkOutput } from "../../files/output.ts";
import { printJson, printText } from "../terminal/output.ts";

/** Adds `init`. */
export function register(program: Command): void {
  program
    .command("init")
    .description("Write a scenario to begin with, its keys explained.")
    .argument("[file]", "scenario file to write; must not exist", "scenario.yaml")
    .option("--json", "print one JSON document")
    .action((file: string, options: { readonly json?: boolean }) => {
      if (existsSync(file)) throw inputError(file, "it exists; name a file that does not.");
      checkOutput("the file", file).write(scenarioText(nameOf(file)));
      if (options.json === true) printJson({ outcome: "completed", out: file });
      else printText(`${file}: run it with: neardata run ${file}`);
    });
}

/** A name that a scenario may have. */
function nameOf(file: string): string {
  const name = basename(file).replace(/\.ya?ml$/, "");
  return /^[A-Za-z0-9][\w.-]*$/.test(name) ? name : "scenario";
}

/** The text of the scenario; what is commented out shows what else may be said. */
export function scenarioText(name: string): string {
  return `# A scenario of neardata. docs/scenarios.md has every key; \`neardata list\` the names.
name: ${name}
title: A cold expert behind DDR5, attention behind flash
seed: 1               # of everything that is drawn
# Verilated SystemVerilog (rtl), a model with the same cycles (cycle), or closed forms (analytic).
fidelity: cycle
system: trimoe        # the machine: eight rank-sub-channels of DDR5-4800 and a 2048-lane array

# An expert of a mixture of experts on one NDP DIMM. Weights are drawn from the seed, or read:
#   checkpoint: model.safetensors
expert:
  model: deepseek-v2
  format: fp16        # or bf16
  activation: silu    # or gelu, relu, identity
tokens: [1, 8]        # one case for each
layouts: [interleaved, row-major]
# A unit of your own: a folder with SystemVerilog and a unit.yaml (docs/extending.md).
# unit: { rtl: ./my-unit }
# Your changes of neardata's RTL: files here take the place of those of the same names.
# rtl: ./my-rtl

# Decode attention of one layer on storage devices.
attention:
  model: opt-13b
  source: { generator: hta1, firstSeed: 500 }
  length: 1024        # tokens in the cache
  ratio: 1/8          # share of K and V that SparF moves; dense attention runs beside it
  flash: [znand4k]    # or tlc4k, tlc16k, daisyplus
  inFlight: [16]      # heads at work at a time

# What must hold for the run to pass, beside what always must.
# expect:
#   boundShare: { interleaved: 0.95 }
`;
}
