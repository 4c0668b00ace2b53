// SPDX-License-Identifier: Apache-2.0
// Replays a trace on the native model, piece by piece, so that a million requests need no more memory
// than a thousand. Input and output have the format of the golden traces; sim/dram/trace/replay.h has
// the rules.

import { inFile, inputError, NeardataError, type Issue } from "../../base/errors.ts";
import { present } from "../../base/present.ts";
import { controllerCommandsOf } from "../../machine/dram/standards/controller.ts";
import type { ChannelReport, DramBinding, TraceError } from "../../native/dram-binding.ts";
import type { Handle } from "../../native/layout.ts";
import type { DramReplayConfig } from "./replay-config.ts";

/** Writes pieces of an output in order; the next piece waits for the promise. */
export type Writer = (piece: Uint8Array) => Promise<void> | void;

export interface ReplayOutputs {
  readonly commands?: Writer | undefined;
  readonly completions?: Writer | undefined;
}

/** Counters of the controller of one channel; times in cycles, commands by their names. */
export interface ChannelCounts extends Omit<ChannelReport, "commands"> {
  readonly commands: Readonly<Record<string, number>>;
}

export interface ReplayResult {
  readonly requests: number;
  readonly totalCycles: number;
  readonly channels: readonly ChannelCounts[];
}

/** A trace and its name in messages. */
export interface TraceSource {
  readonly name: string;
  readonly pieces: AsyncIterable<Uint8Array> | Iterable<Uint8Array>;
  /** The line of the file that a line of the pieces is from; the same where this is absent. */
  readonly lineOf?: (line: number) => number;
}

/**
 * Replays a trace. Reports earlier `problems` of the config together with the problems that the
 * model finds.
 * @throws NeardataError `bad-input` for a config that makes no memory, and for a bad trace with the
 * number of its first bad line.
 */
export async function replayTrace(
  dram: DramBinding,
  config: DramReplayConfig<string>,
  trace: TraceSource,
  outputs: ReplayOutputs = {},
  problems: readonly Issue[] = [],
): Promise<ReplayResult> {
  const handle = open(dram, config, outputs, problems);
  const lineError = (error: TraceError, cause?: unknown): NeardataError =>
    inputError(`${trace.name}:${trace.lineOf?.(error.line) ?? error.line}`, error.message, cause);
  const take = async (error: TraceError | undefined): Promise<void> => {
    if (error !== undefined) throw lineError(error);
    await write(outputs.commands, dram.dramReplayCommands(handle));
    await write(outputs.completions, dram.dramReplayCompletions(handle));
  };
  const goOn = async (first: TraceError | undefined): Promise<void> => {
    await take(first);
    while (dram.dramReplayBusy(handle)) await take(dram.dramReplayGoOn(handle));
  };
  try {
    for await (const piece of trace.pieces) {
      await goOn(dram.dramReplayFeed(handle, piece));
    }
  } catch (cause) {
    if (cause instanceof NeardataError) throw cause;
    const line = dram.dramReplayLines(handle) + 1;
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw lineError({ line, message: `the trace cannot be read on: ${reason}` }, cause);
  }
  await goOn(dram.dramReplayFinish(handle));
  const { totalCycles, channels } = dram.dramReplayReport(handle);
  const names = controllerCommandsOf(config.standard, config).map(({ name }) => name);
  return {
    requests: dram.dramReplayLines(handle) - 1,
    totalCycles,
    channels: channels.map(({ commands, ...counts }) => ({
      ...counts,
      commands: Object.fromEntries(names.map((name, c) => [name, present(commands[c])])),
    })),
  };
}

function open(
  dram: DramBinding,
  config: DramReplayConfig<string>,
  outputs: ReplayOutputs,
  problems: readonly Issue[],
): Handle {
  let handle: Handle;
  try {
    handle = dram.dramReplayOpen({
      ...config,
      commands: outputs.commands !== undefined,
      completions: outputs.completions !== undefined,
    });
  } catch (cause) {
    const { code, message } = cause as Error & { readonly code?: string };
    if (code !== "bad-input") throw cause;
    const broken = message.split("\n").map((sentence) => ({ where: "", message: sentence }));
    throw inFile(config.source, [...broken, ...problems], { cause });
  }
  if (problems.length > 0) throw inFile(config.source, problems);
  return handle;
}

async function write(writer: Writer | undefined, piece: Uint8Array): Promise<void> {
  if (writer !== undefined && piece.length > 0) await writer(piece);
}
