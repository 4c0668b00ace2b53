// SPDX-License-Identifier: Apache-2.0
// `neardata list`: the names that scenarios, plans and commands know; and the experts of a model's directory.

import { existsSync, readdirSync } from "node:fs";
import { basename } from "node:path";
import { Argument, type Command } from "commander";
import { inputError } from "../../base/errors.ts";
import { counted } from "../../base/format-value.ts";
import { inRepository } from "../../base/paths.ts";
import { printJson, printText } from "../terminal/output.ts";
import { example } from "../options/help.ts";
import { readText } from "../../run/files.ts";
import { parseYaml } from "../../base/yaml.ts";
import { units } from "../../tools/synth/units.ts";
import { cpus, gpus, links, memories } from "../../machine/host/devices.ts";
import { systemNames } from "../../machine/resolve/systems.ts";
import { flashPresets } from "../../machine/flash/presets.ts";
import { dramPresetNames } from "../../machine/dram/presets.ts";
import { modelNames, modelShape, modelsOfExpertsOnly } from "../../workload/shapes.ts";
import { checkpointFile } from "../../run/checkpoint.ts";
import { listedLayers, describeExpert, weightsIn } from "../../run/checkpoint-directory.ts";

const kinds = ["models", "presets", "devices", "experiments", "units", "scenarios"] as const;
type Kind = (typeof kinds)[number];

/** A name and its meaning. */
interface Listed {
  readonly name: string;
  readonly what: string;
}

export function register(command: Command): void {
  command
    .addArgument(new Argument("[kind]", "The kind of names to list (default: all).").choices(kinds))
    .option(
      "--checkpoint <dir>",
      "List layers and experts of a downloaded model, and the reasons for refusals.",
    )
    .option("--json", "Print one JSON document.")
    .addHelpText("after", example("neardata list presets"))
    .action(list);
}

async function list(
  kind: Kind | undefined,
  options: { readonly checkpoint?: string; readonly json?: boolean },
): Promise<void> {
  if (options.checkpoint !== undefined) {
    if (kind !== undefined) throw inputError("--checkpoint", `it lists a model, not ${kind}.`);
    listCheckpoint(options.checkpoint, options.json === true);
    return;
  }
  const asked = kind === undefined ? kinds : [kind];
  const listings = await Promise.all(asked.map(async (one) => [one, await known[one]()] as const));
  if (options.json === true) printJson(Object.fromEntries(listings));
  else printText(listings.map(([one, names]) => sectionOf(one, names)).join("\n\n"));
}

/** Layers of a model, one line each, and the reasons why some are rejected. */
function listCheckpoint(directory: string, json: boolean): void {
  const file = weightsIn(directory);
  const layers = listedLayers(checkpointFile(file));
  if (json) {
    printJson({ checkpoint: file, layers });
    return;
  }
  const lines = layers.flatMap(
    ({ layer, name, experts, found: expert, refused, refusedByUnit }) => {
      const what = expert === null ? "refused" : describeExpert(expert);
      const engines =
        expert === null ? "" : refusedByUnit.length > 0 ? "; golden" : "; golden, cycle, rtl";
      const issues = refused.length > 0 ? refused : refusedByUnit;
      const why = refused.length > 0 ? "" : "cycle and rtl: ";
      return [
        `  layer ${layer}: ${counted(experts, "expert")} from ${name}: ${what}${engines}`,
        ...issues.map((issue) => `    ${why}${issue}`),
      ];
    },
  );
  const head =
    layers.length === 0
      ? "no layer has experts"
      : `${counted(layers.length, "layer")} with experts`;
  printText([`${file}: ${head}`, ...lines].join("\n"));
}

function sectionOf(kind: Kind, names: readonly Listed[]): string {
  const width = Math.max(...names.map(({ name }) => name.length));
  return [
    kind,
    ...names.map(({ name, what }) => `  ${name.padEnd(width)}  ${what}`.trimEnd()),
  ].join("\n");
}

const known: Readonly<Record<Kind, () => readonly Listed[] | Promise<readonly Listed[]>>> = {
  models: () => {
    return [
      ...modelNames.map((name) => ({ name, what: modelShape(name, "").title })),
      ...modelsOfExpertsOnly.map(({ name, title }) => {
        return { name, what: `${title}, experts only (expert.model)` };
      }),
    ];
  },
  presets: () => {
    return [
      ...systemNames.map((name) => ({ name, what: "a system (system of a scenario)" })),
      ...dramPresetNames.map((name) => ({ name, what: "DDR5 (dram replay, memory)" })),
      {
        name: "DDR5-4800B 24Gb x8",
        what: "a bin with its device: 8Gb to 32Gb, x4 to x16; 16Gb x4 without",
      },
      ...Object.keys(flashPresets).map((name) => ({ name, what: "flash (attention.flash)" })),
    ];
  },
  devices: () => {
    const of = (table: Readonly<Record<string, { readonly title: string }>>): readonly Listed[] =>
      Object.entries(table).map(([name, { title }]) => ({ name, what: title }));
    return [...of(cpus), ...of(gpus), ...of(links), ...of(memories)];
  },
  experiments: async () => {
    const { experiments } = await import("../../papers/reproduction/registry.ts");
    return experiments.map(({ id, title }) => ({ name: id, what: title }));
  },
  units: () => {
    const examples = readdirSync(inRepository("examples"))
      .filter((name) => existsSync(inRepository("examples", name, "unit.yaml")))
      .map((name) => ({ name: `examples/${name}`, what: "a unit of a folder (unit.rtl)" }));
    return [
      ...units.map(({ name, top, title }) => ({ name, what: `${title} (module ${top})` })),
      ...examples,
    ];
  },
  scenarios: () => {
    return readdirSync(inRepository("scenarios"))
      .filter((name) => name.endsWith(".yaml"))
      .sort()
      .map((name) => {
        const path = inRepository("scenarios", name);
        const document = parseYaml(path, readText(path)) as { readonly title?: string } | null;
        return { name: basename(name, ".yaml"), what: document?.title ?? "" };
      });
  },
};
