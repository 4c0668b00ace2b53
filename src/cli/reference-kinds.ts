// SPDX-License-Identifier: Apache-2.0
// The kinds of files that users write, for `neardata schema --markdown`.

import type { FileKind } from "../scenario/reference/page.ts";
import { scenarioJsonSchema } from "../scenario/schema.ts";
import { exploreJsonSchema } from "../explore/explore-spec.ts";
import { sweepJsonSchema } from "../explore/spec.ts";
import { deviceJsonSchema } from "../machine/host/device-file.ts";
import { nearDeviceJsonSchemas } from "../machine/host/near-device-file.ts";
import { planJsonSchema } from "../papers/plan/plan.ts";

export function fileKinds(): readonly FileKind[] {
  const near = nearDeviceJsonSchemas();
  return [
    {
      title: "Scenario files",
      text: `A scenario is a YAML file. Every key it may have, made from the schema (\`neardata schema\` prints
that, \`neardata schema --markdown\` prints this page): what it is where it is left out, what it means, an
example. Sizes are written with their unit (\`16 KiB\`, \`256 KiB\`), so are frequencies (\`1 GHz\`,
\`285 MHz\`), times and rates. Below are [sweeps](#sweep-files), [explorations](#exploration-files), and the
machines of others: [GPUs and CPUs](#device-files-of-gpus-and-cpus), [DIMMs](#device-files-of-dimms),
[storage devices](#device-files-of-storage-devices), [plans](#plan-files).`,
      prefix: "",
      schema: scenarioJsonSchema(),
    },
    {
      title: "Sweep files",
      text: "For \`neardata sweep\` ([exploration.md](../results/exploration.md)). One of \`grid\`, \`list\` and \`random\` is needed.",
      prefix: "sweep/",
      schema: sweepJsonSchema(),
    },
    {
      title: "Exploration files",
      text: "For \`neardata explore\` ([exploration.md](../results/exploration.md)).",
      prefix: "explore/",
      schema: exploreJsonSchema(),
    },
    {
      title: "Device files of GPUs and CPUs",
      text: "What \`neardata calibrate\` writes, \`reproduce --device\`, \`policy layer\` and plans read.",
      prefix: "processor/",
      schema: deviceJsonSchema(),
    },
    {
      title: "Device files of DIMMs",
      text: "For \`neardata reproduce --device\`. \`bandwidth\` or \`unit\` is needed.",
      prefix: "ndp-device/",
      schema: near.ndp,
    },
    {
      title: "Device files of storage devices",
      text: "For \`neardata reproduce --device\`. \`bandwidth\` or \`unit\` is needed.",
      prefix: "csd-device/",
      schema: near.csd,
    },
    {
      title: "Plan files",
      text: "For \`neardata policy plan\`: a model, a host and a load. Every policy reads the same file; [commands.md](commands.md#plans) has an example of each.",
      prefix: "plan/",
      schema: planJsonSchema(),
    },
  ];
}
