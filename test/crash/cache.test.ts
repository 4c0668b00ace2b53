// SPDX-License-Identifier: Apache-2.0
// The cache of built things if builders are killed, run concurrently, belong to other users, have no
// disk space, or have a clock that is set back: a name has a whole artifact or none, and the next
// builder succeeds. A seed selects the piece after which a builder is killed; `make crash` tries more.

import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync } from "node:fs";
import { utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { describe, expect, it } from "vitest";
import { cached } from "../../src/base/files/cache.ts";
import { currentOwner } from "../../src/base/files/owner.ts";
import { inRepository } from "../../src/base/paths.ts";
import { randomStream } from "../../src/base/random.ts";
import { inTemporary } from "../helpers/cli.ts";
import { makeReadOnly, onSmallDisk } from "../helpers/mount.ts";
import { crashes, crashSeed } from "../helpers/crash.ts";
import { rejection } from "../helpers/rejection.ts";
import { needs } from "../helpers/needs.ts";
import { runs } from "../helpers/tier.ts";

const built = inRepository("build", "js", "base", "files", "cache.js");
const pieces = 40;
const piece = "x".repeat(1000);

interface BuilderOptions {
  readonly user?: number;
  /** Pieces after which it kills itself. */
  readonly most?: number;
}

/** Starts a process that builds an artifact and writes one piece per millisecond. */
function builder(
  cache: string,
  { user, most = Number.POSITIVE_INFINITY }: BuilderOptions = {},
): ChildProcess {
  const script = `
    const { cached } = await import(${JSON.stringify(built)});
    const { appendFileSync } = await import("node:fs");
    console.log("begun");
    try {
      await cached(process.argv[1], "thing", async (work) => {
        for (let i = 0; i < ${String(pieces)}; i += 1) {
          if (i === ${String(most)}) process.kill(process.pid, "SIGKILL");
          appendFileSync(work + "/artifact", "${piece}");
          await new Promise((resolve) => setTimeout(resolve, 1));
        }
        console.log("all");
        return work + "/artifact";
      });
    } catch (error) {
      console.log(error.code + ": " + error.message);
      process.exitCode = 3;
    }`;
  const ids = user === undefined ? {} : { uid: user, gid: user };
  return spawn(process.execPath, ["--input-type=module", "-e", script, cache], {
    stdio: ["ignore", "pipe", "inherit"],
    cwd: "/",
    ...ids,
  });
}

/** Kills a builder when it has written all pieces, where it does not end itself before. */
async function killed(child: ChildProcess): Promise<void> {
  const closed = once(child, "close");
  child.stdout?.setEncoding("utf8").on("data", (text: string) => {
    if (text.includes("all")) child.kill("SIGKILL");
  });
  await closed;
}

async function endOf(child: ChildProcess): Promise<{ code: number | null; said: string }> {
  let said = "";
  child.stdout?.on("data", (text: Buffer) => (said += text.toString()));
  await once(child, "close");
  return { code: child.exitCode, said };
}

const whole = (cache: string): boolean =>
  readFileSync(join(cache, "thing"), "utf8") === piece.repeat(pieces);

const neverMade = (): Promise<string> => Promise.reject(new Error("it was made again"));

describe("a cache", needs("make build"), () => {
  it(`whose builders are killed ${crashes(runs(5, 12), 200)} times (seed ${crashSeed}) has all or nothing`, () =>
    inTemporary(async (cache) => {
      const draw = randomStream(crashSeed, "moments of builders");
      for (let turn = 0; turn < crashes(runs(5, 12), 200); turn += 1) {
        // A third of the builders are killed after the last piece: while they move the artifact, or
        // later.
        await killed(builder(cache, { most: draw.bits(turn) % (1.5 * pieces) }));
        if (existsSync(join(cache, "thing")))
          expect({ turn, whole: whole(cache) }).toEqual({ turn, whole: true });
      }
      expect((await endOf(builder(cache))).code).toBe(0);
      expect(whole(cache)).toBe(true);
      // The next builder removes the remains of all of them.
      await cached(cache, "other", (work) => {
        writeFileSync(join(work, "artifact"), "");
        return Promise.resolve(join(work, "artifact"));
      });
      expect(readdirSync(cache).sort()).toEqual(["other", "thing"]);
    }));

  it("with builders at once has one thing and nothing beside it", () =>
    inTemporary(async (cache) => {
      const ends = await Promise.all([1, 2, 3].map(() => endOf(builder(cache))));
      expect(ends.map((end) => end.code)).toEqual([0, 0, 0]);
      expect(whole(cache)).toBe(true);
      expect(readdirSync(cache)).toEqual(["thing"]);
    }));

  it("does not ask the clock: what is from the future or long past is used", () =>
    inTemporary(async (cache) => {
      expect((await endOf(builder(cache))).code).toBe(0);
      for (const year of ["1980", "2100"]) {
        const time = new Date(`${year}-01-01`);
        utimesSync(join(cache, "thing"), time, time);
        expect(await cached(cache, "thing", neverMade)).toBe(join(cache, "thing"));
      }
      // A partial directory of a killed process is removed although its time is in the future.
      const left = join(cache, ".neardata-99999999-1-00000000-0123456789ab.partial");
      const gone = left.replace("00000000-0", `${currentOwner().slice(-8)}-0`);
      for (const path of [left, gone]) {
        mkdirSync(path);
        utimesSync(path, new Date("2100-01-01"), new Date("2100-01-01"));
      }
      await cached(cache, "new", (work) => Promise.resolve(work));
      expect([existsSync(left), existsSync(gone)]).toEqual([true, false]);
    }));

  it(
    "of another user is read where it cannot be written, and a sentence says what is missing",
    needs("root"),
    () =>
      inTemporary(async (directory) => {
        const nobody = 65534;
        chmodSync(directory, 0o755);
        const cache = join(directory, "cache");
        mkdirSync(cache);
        const refused = await endOf(builder(cache, { user: nobody }));
        if (!refused.said.startsWith("begun")) return; // the sources are this user's alone
        expect(refused.code).toBe(3);
        expect(refused.said).toMatch(
          /^begun\nplace-missing: .*cache cannot be written: permission .*NEARDATA_CACHE/,
        );
        expect((await endOf(builder(cache))).code).toBe(0);
        expect((await endOf(builder(cache, { user: nobody }))).code).toBe(0);
        chmodSync(join(cache, "thing"), 0o600);
        const unread = await endOf(builder(cache, { user: nobody }));
        expect(unread.said).toMatch(/thing cannot be read: permission/);
      }),
  );

  it("on a full or read-only disk says so, with exit code 3, and stays clean", needs("mount"), () =>
    onSmallDisk(16, async (disk) => {
      const fill = (work: string): Promise<string> => {
        writeFileSync(join(work, "artifact"), new Uint8Array(100_000));
        return Promise.resolve(join(work, "artifact"));
      };
      const full: unknown = await cached(disk, "thing", fill).catch((error: unknown) => error);
      expect(full).toEqual(rejection("place-missing", /written: no space .*NEARDATA_CACHE/));
      expect(readdirSync(disk)).toEqual([]);
      await cached(disk, "small", (work) => Promise.resolve(work));
      makeReadOnly(disk);
      expect(await cached(disk, "small", neverMade)).toBe(join(disk, "small"));
      await expect(cached(disk, "thing", fill)).rejects.toThrow(
        rejection("place-missing", /read-only/),
      );
    }),
  );

  it("keeps what other users may read", () =>
    inTemporary(async (cache) => {
      const place = await cached(cache, "directory", (work) => Promise.resolve(work));
      mkdirSync(join(cache, "usual"));
      expect(statSync(place).mode).toBe(statSync(join(cache, "usual")).mode);
    }));
});
