// SPDX-License-Identifier: Apache-2.0
// Every sound input, of every command.

import type { SoundInput } from "../input.ts";
import { dramInputs } from "./dram.ts";
import { planInputs } from "./plan.ts";
import { runInputs } from "./run.ts";

export const soundInputs: readonly SoundInput[] = [...runInputs, ...dramInputs, ...planInputs];
