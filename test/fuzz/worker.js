// SPDX-License-Identifier: Apache-2.0
// A process that runs one command line after the other in its memory, as long as its parent sends
// them: `node worker.js MAIN`, where MAIN is the module that exports `runMain`. What the program
// prints through `process` is sent back; what it prints past that reaches the parent's pipes.

import { setTimeout } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import process from "node:process";

const { runMain } = await import(pathToFileURL(process.argv[2] ?? "").href);
const home = process.cwd();

// Each command line adds a listener and ends its process in life; here they would be many.
process.stdout.setMaxListeners(0);

/** What is going on that would keep a process from ending. */
function resources() {
  const idle = ["PipeWrap", "TTYWrap", "Timeout", "Immediate", "ConnectWrap"];
  return process.getActiveResourcesInfo().filter((name) => !idle.includes(name));
}

function caught(streams) {
  const texts = { stdout: "", stderr: "" };
  const restore = streams.map((name) => {
    const stream = process[name];
    const { write } = stream;
    stream.write = (chunk, encoding, callback) => {
      texts[name] += typeof chunk === "string" ? chunk : Buffer.from(chunk).toString();
      const done = typeof encoding === "function" ? encoding : callback;
      if (typeof done === "function") process.nextTick(done);
      return true;
    };
    return () => (stream.write = write);
  });
  return { texts, restore: () => restore.forEach((undo) => undo()) };
}

async function run({ directory, argv }) {
  const thrown = [];
  const note = (error) => thrown.push(String(error?.stack ?? error));
  process.on("uncaughtException", note);
  process.on("unhandledRejection", note);
  const before = resources().length;
  const { texts, restore } = caught(["stdout", "stderr"]);
  process.exitCode = 0;
  try {
    process.chdir(directory);
    await runMain(["node", "neardata", ...argv]);
    const code = Number(process.exitCode ?? 0);
    for (let turn = 0; turn < 100 && resources().length > before; turn += 1) await setTimeout(10);
    const held = resources().length > before ? resources() : [];
    return { code, ...texts, thrown, held };
  } catch (error) {
    note(error);
    return { code: 70, ...texts, thrown, held: [] };
  } finally {
    restore();
    process.chdir(home);
    process.exitCode = 0;
    process.off("uncaughtException", note);
    process.off("unhandledRejection", note);
  }
}

process.on("message", async (message) => {
  process.send(await run(message));
});
process.on("disconnect", () => process.exit());
process.send("ready");
