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
      text: `A scenario is a YAML file. Every key it may have, made from the schema (\`neardata schema\` prints
that, \`neardata schema --markdown\` prints this page): what it is where it is left out, what it means, an
example. Sizes are written with their unit (\`16 KiB\`, \`256 KiB\`), so are frequencies (\`1 GHz\`,
\`285 MHz\`), times and rates. Below are [sweeps](#sweep-files), [explorations](#exploration-files), and the
machines of others: [GPUs and CPUs](#device-files-of-gpus-and-cpus), [DIMMs](#device-files-of-dimms),
[storage devices](#device-files-of-storage-devices), [plans](#plan-files), [serving files](#serving-files),
[explorations of pools](#exploration-files-of-pools).`,
      schema: scenarioSchema,
    },
    {
      title: "Sweep files",
      text: "For \`neardata sweep\` ([exploration.md](../results/exploration.md)). One of \`grid\`, \`list\` and \`random\` is needed.",
      schema: sweepSchema,
    },
    {
      title: "Exploration files",
      text: "For \`neardata explore\` ([exploration.md](../results/exploration.md)).",
      schema: exploreSchema,
    },
    {
      title: "Device files of GPUs and CPUs",
      text: "What \`neardata calibrate\` writes, \`reproduce --device\`, \`policy layer\` and plans read.",
      schema: deviceSchema,
    },
    {
      title: "Device files of DIMMs",
      text: "For \`neardata reproduce --device\`. \`bandwidth\` or \`unit\` is needed.",
      schema: ndpDeviceSchema,
    },
    {
      title: "Device files of storage devices",
      text: "For \`neardata reproduce --device\`. \`bandwidth\` or \`unit\` is needed.",
      schema: csdDeviceSchema,
    },
    {
      title: "Plan files",
      text: "For \`neardata policy plan\`: a model, a host and a load. Every policy reads the same file; [commands.md](commands.md#plans) has an example of each.",
      schema: planSchema,
    },
    {
      title: "Serving files",
      text: "For \`neardata serve\`: a model, pools, requests and objectives ([guide](../guides/serving.md)).",
      schema: servingSchema,
    },
    {
      title: "Exploration files of pools",
      text: "For \`neardata explore\` on the pools of a serving file ([guide](../guides/serving.md#search-for-pools)).",
      schema: exploreServingSchema,
    },
  ];
}
