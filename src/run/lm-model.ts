// SPDX-License-Identifier: Apache-2.0
// Models of `neardata lm eval` from files: the dense one of the repository, or a checkpoint with
// Hugging Face names and its known parameters.

import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { inputError } from "../base/errors.ts";
import { hostNames, type HostName } from "../machine/host/devices.ts";
import { hasHuggingFaceNames } from "../lm/moe/architecture.ts";
import { tinyLanguageModel, type LanguageModel } from "../lm/language-model.ts";
import { readTinyModel } from "../lm/model.ts";
import { quantisedWeights } from "../lm/quantised.ts";
import { readMoeModel, type MoeModel } from "../lm/moe/model.ts";
import {
  readNotes,
  readSetting,
  type KnownSettings,
  type SettingValues,
} from "../lm/moe/settings.ts";
import { memorySource } from "../base/bytes.ts";
import { checkpointFile } from "./checkpoint.ts";
import { readText, readWholeFile } from "./files.ts";

/** A model that was read, and the files that it was read from. */
export type LoadedModel = { readonly files: readonly string[] } & (
  | { readonly kind: "tiny"; readonly model: LanguageModel }
  | { readonly kind: "moe"; readonly model: MoeModel }
);

/**
 * `bits` are those of stored matrices.
 * @throws NeardataError `bad-input` with every problem of the checkpoint.
 */
export function loadLanguageModel(
  path: string,
  options: Partial<SettingValues>,
  bits?: number,
): LoadedModel {
  const files = [path];
  const checkpoint = checkpointFile(path, (shard) => files.push(shard));
  if (!hasHuggingFaceNames(checkpoint)) {
    if (Object.keys(options).length > 0) {
      throw inputError("--assume", "the model has no tensors with names of Hugging Face.");
    }
    if (path.endsWith(".json")) {
      throw inputError(path, "the index has no tensor of a model, such as model.norm.weight.");
    }
    const whole = readTinyModel(memorySource(path, readWholeFile(path)));
    const model = tinyLanguageModel(bits === undefined ? whole : quantisedWeights(whole, bits));
    return { kind: "tiny", model, files };
  }
  if (bits !== undefined) {
    throw inputError("--quantise", "only the dense model of the repository is quantised.");
  }
  const known = { options, notes: notesOf(path, checkpoint.metadata, files) };
  return { kind: "moe", model: readMoeModel(checkpoint, known), files };
}

/**
 * A mixture of experts with the settings of `assume`, NAME=VALUE each.
 * @throws NeardataError `bad-input` where the model has no routed experts
 */
export function loadExperts(
  path: string,
  assume: readonly string[],
): Extract<LoadedModel, { readonly kind: "moe" }> {
  const settings = assume.reduce((all, one) => ({ ...all, ...readSetting("--assume", one) }), {});
  const loaded = loadLanguageModel(path, settings);
  if (loaded.kind !== "moe") throw inputError("--model", "the model has no routed experts.");
  return loaded;
}

/** The GPU or CPU of a name. @throws NeardataError `bad-input` */
export function hostNamed(name: string): HostName {
  const host = hostNames.find((one) => one === name);
  if (host !== undefined) return host;
  throw inputError("--host", `there is no "${name}", only ${hostNames.join(", ")}.`);
}

/** Notes of the file's metadata, then those of its config.json. */
function notesOf(
  path: string,
  metadata: Readonly<Record<string, string>>,
  files: string[],
): KnownSettings["notes"] {
  const notes: KnownSettings["notes"][number][] = [];
  const inside = metadata["architecture"];
  if (inside !== undefined) {
    const where = `${path}: __metadata__.architecture`;
    notes.push({ source: "metadata", where, values: readNotes(where, inside) });
  }
  const beside = join(dirname(path), "config.json");
  if (existsSync(beside)) {
    files.push(beside);
    const values = readNotes(beside, readText(beside));
    notes.push({ source: "config.json", where: beside, values });
  }
  return notes;
}
