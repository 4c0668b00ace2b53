// SPDX-License-Identifier: Apache-2.0
// The scenario that `neardata init` writes, its keys explained where they stand.

/** The text of the scenario; what is commented out shows what else may be said. */
export function firstScenario(name: string): string {
  return `# A scenario of neardata. docs/reference/scenarios.md has every key; \`neardata list\` the names.
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
# A unit of your own: a folder with SystemVerilog and a unit.yaml (docs/guides/extending.md).
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
