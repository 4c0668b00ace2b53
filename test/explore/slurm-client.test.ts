// SPDX-License-Identifier: Apache-2.0
// What the commands of Slurm say, with and without accounts, from commands that a test puts into
// the path: a cluster with accounts is asked for what has ended, and the queue has the last word.

import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { describe, expect, it, vi } from "vitest";
import { reportError } from "../../src/cli/main.ts";
import { slurmClient } from "../../src/explore/slurm/client.ts";
import { inTemporary } from "../helpers/cli.ts";
import { rejection } from "../helpers/rejection.ts";

/** Runs `work` where these commands of Slurm answer so; those left out fail. */
function withCommands<T>(answers: Record<string, string>, work: () => Promise<T>): Promise<T> {
  return inTemporary(async (directory) => {
    for (const name of ["scontrol", "sbatch", "squeue", "sacct", "scancel"]) {
      const answer = answers[name];
      const says = answer === undefined ? "echo no such thing >&2; exit 1" : `echo '${answer}'`;
      const file = join(directory, name);
      writeFileSync(file, `#!/bin/sh\n${says}\n`);
      chmodSync(file, 0o755);
    }
    const before = process.env["PATH"];
    process.env["PATH"] = `${directory}:${before ?? ""}`;
    try {
      return await work();
    } finally {
      process.env["PATH"] = before;
    }
  });
}

const config = (accounts: string): string =>
  `AccountingStorageType   = ${accounts}\nMaxArraySize            = 1001\n`;
const queue = "nd-1|3|RUNNING|None\nnd-1|4|COMPLETED|None\nnd-1|5-9|PENDING|Resources";
const history = [
  ...["nd-1|12_0|COMPLETED|0:0", "nd-1|12_1|CANCELLED by 0|0:15", "nd-1|12_3|PENDING|0:0"],
  "nd-1|12_[5-9]|PENDING|0:0",
].join("\n");

const states = async (): Promise<Record<string, string>> => {
  const known = await (await slurmClient()).states(["nd-1"]);
  return Object.fromEntries([...known].map(([task, { state }]) => [task, state]));
};

describe("the commands of Slurm", () => {
  it("on a cluster with accounts know what the queue has forgotten", async () => {
    const answers = {
      scontrol: config("accounting_storage/slurmdbd"),
      sacct: history,
      squeue: queue,
    };
    expect(await withCommands(answers, states)).toEqual({
      "nd-1 0": "COMPLETED",
      "nd-1 1": "CANCELLED",
      "nd-1 3": "RUNNING",
      "nd-1 4": "COMPLETED",
    });
  });

  it("on one without are not asked for accounts", async () => {
    for (const none of ["accounting_storage/none", "(null)"]) {
      const answers = { scontrol: config(none), squeue: queue };
      expect(await withCommands(answers, states)).toEqual({
        "nd-1 3": "RUNNING",
        "nd-1 4": "COMPLETED",
      });
    }
  });

  it("go on with the queue alone while slurmdbd does not answer", async () => {
    const answers = { scontrol: config("accounting_storage/slurmdbd"), squeue: queue };
    expect(Object.keys(await withCommands(answers, states))).toEqual(["nd-1 3", "nd-1 4"]);
  });

  it("say what is missing", async () => {
    const array = {
      name: "nd-1",
      tasks: 3,
      limit: null,
      script: "",
      directory: "/tmp",
      options: [],
    };
    const answers = { scontrol: config("accounting_storage/none") };
    const refused = withCommands(answers, async () => (await slurmClient()).submit(array));
    expect(await refused).toEqual({ refused: "no such thing" });
    // The error has the message of the command.
    await expect(withCommands(answers, states)).rejects.toThrow("no such thing");
    await expect(withCommands({}, slurmClient)).rejects.toThrow(rejection("tool-missing"));
    // The log of scontrol is not part of the sentence.
    const error: unknown = await withCommands({}, slurmClient).catch((thrown: unknown) => thrown);
    const write = vi.spyOn(process.stderr, "write").mockReturnValue(true);
    reportError(error, false);
    const lines = write.mock.calls.map(([line]) => String(line));
    write.mockRestore();
    expect(lines).toEqual([
      expect.stringMatching(/^neardata: the slurm executor needs .* failed:\n$/),
      "no such thing\n",
    ]);
    const few = { scontrol: "MaxArraySize = 0" };
    await expect(withCommands(few, slurmClient)).rejects.toThrow(
      rejection("tool-missing", /job arrays/),
    );
  });
});
