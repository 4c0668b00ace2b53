// SPDX-License-Identifier: Apache-2.0
// The kinds of files that users write, for `neardata schema --markdown`.

import type { FileKind } from "../scenario/reference/page.ts";
import { scenarioSchema } from "../scenario/schema.ts";
import { exploreSchema } from "../explore/explore-spec.ts";
import { sweepSchema } from "../explore/spec.ts";
import { deviceSchema } from "../machine/host/device-file.ts";
import { csdDeviceSchema, ndpDeviceSchema } from "../machine/host/near-device-file.ts";
import { planSchema } from "../papers/plan/plan.ts";
import { exploreServingSchema } from "../papers/serving/explore-spec.ts";
import { servingSchema } from "../papers/serving/spec.ts";

export function fileKinds(): readonly FileKind[] {
  return [
    {
      title: "Scenario files",
      text: `A scenario is a YAML file. This page lists every key of a scenario with its default, its meaning and an example. The schema
generates the page: \`neardata schema --markdown\` prints it, and \`neardata schema\` prints the JSON Schema for editors. Quantities have
units: \`256 KiB\`, \`285 MHz\`, \`50 ns\`, \`7 GB/s\`. [Your own scenario](../guides/own-scenario.md) is the guide.

A case is one run of the machine. The value of some keys is a list with one case per entry. If several keys have such a list, the scenario has one
case for each combination of entries. Some groups have alternative sets of keys. In
the column "default", "with \`text\`" means that the key is used together with \`text\`. If a default is not a value, it states the behaviour without the key.

Other files: [sweeps](#sweep-files), [explorations](#exploration-files), [GPUs and CPUs](#device-files-of-gpus-and-cpus), [DIMMs](#device-files-of-dimms),
[storage devices](#device-files-of-storage-devices), [plans](#plan-files), [serving files](#serving-files), [explorations of pools](#exploration-files-of-pools).`,
      schema: scenarioSchema,
    },
    {
      title: "Sweep files",
      text: "Input of \`neardata sweep\` ([guide](../guides/sweeps.md)). A sweep has \`grid\`, \`list\`, both, or only \`random\`.",
      schema: sweepSchema,
    },
    {
      title: "Exploration files",
      text: "Input of \`neardata explore\` ([guide](../guides/sweeps.md)).",
      schema: exploreSchema,
    },
    {
      title: "Device files of GPUs and CPUs",
      text: "Output of \`neardata calibrate\`; input of \`reproduce --device\`, \`policy layer\`, plans and serving files ([guide](../guides/own-machine.md)).",
      schema: deviceSchema,
    },
    {
      title: "Device files of DIMMs",
      text: "Input of \`neardata reproduce --device\` ([guide](../guides/own-machine.md)). \`bandwidth\` or \`unit\` is required.",
      schema: ndpDeviceSchema,
    },
    {
      title: "Device files of storage devices",
      text: "Input of \`neardata reproduce --device\` ([guide](../guides/own-machine.md)). \`bandwidth\` or \`unit\` is required.",
      schema: csdDeviceSchema,
    },
    {
      title: "Plan files",
      text: "Input of \`neardata policy plan\`: a model, a host and a batch of prompts. The policies of all papers read the same file; [plans](commands.md#plans) has an example of each policy.",
      schema: planSchema,
    },
    {
      title: "Serving files",
      text: "Input of \`neardata serve\`: a model, pools, requests and objectives ([guide](../guides/serving.md)).",
      schema: servingSchema,
    },
    {
      title: "Exploration files of pools",
      text: "Input of \`neardata explore\` on the pools of a serving file ([guide](../guides/serving.md)).",
      schema: exploreServingSchema,
    },
  ];
}
