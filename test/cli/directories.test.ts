// SPDX-License-Identifier: Apache-2.0
// Directories that cannot be made, such as below /proc, are an error of the system at once.

import { cpSync, existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { describe, expect, it, vi } from "vitest";

import { cached } from "../../src/base/files/cache.ts";
import { makeDirectories } from "../../src/base/files/directories.ts";
import { inRepository, rtlCacheDirectory } from "../../src/base/paths.ts";
import { inTemporary } from "../helpers/cli.ts";
import { makeReadOnly, onSmallDisk } from "../helpers/mount.ts";
import { needs } from "../helpers/needs.ts";
import { rejection } from "../helpers/rejection.ts";

describe("directories", () => {
  it("are made one by one, and the first that was made is told", async () => {
    await inTemporary((directory) => {
      const deep = join(directory, "a", "b", "c");
      expect(makeDirectories(deep)).toBe(join(directory, "a"));
      expect(statSync(deep).isDirectory()).toBe(true);
      expect(makeDirectories(deep)).toBeUndefined();
    });
  });

  it("below a file are refused", async () => {
    await inTemporary((directory) => {
      writeFileSync(join(directory, "file"), "");
      for (const path of [join(directory, "file"), join(directory, "file", "a", "b")]) {
        expect(() => makeDirectories(path)).toThrow(
          expect.objectContaining({ code: "ENOTDIR" }) as Error,
        );
      }
    });
  });
});

describe("a cache", () => {
  it
    .runIf(existsSync("/proc/self"))
    .each(["/proc/nope", "/proc/self/a/b", "/sys/nope", "/dev/null/x"])(
    "in %s is refused at once",
    async (place) => {
      vi.stubEnv("NEARDATA_CACHE", place);
      const made = cached(rtlCacheDirectory(), "thing", async (work) => Promise.resolve(work));
      await expect(made).rejects.toThrow(rejection("place-missing", /NEARDATA_CACHE/));
      vi.unstubAllEnvs();
    },
  );

  it("is not blamed for a file that what is made lacks", async () => {
    await inTemporary(async (directory) => {
      const missing = Object.assign(new Error("absent"), { code: "ENOENT" });
      const made = cached(directory, "thing", async () => Promise.reject(missing));
      await expect(made).rejects.toBe(missing);
    });
  });

  it("of a checkout that cannot be written is the user's", needs("mount", "make build"), () =>
    onSmallDisk(100, async (disk) => {
      cpSync(inRepository("package.json"), join(disk, "package.json"));
      const compiled = readFileSync(inRepository("build", "js", "base", "paths.js"), "utf8");
      writeFileSync(join(disk, "paths.js"), compiled.replace(/^\/\/# sourceMappingURL.*$/m, ""));
      const { rtlCacheDirectory: found } = (await import(join(disk, "paths.js"))) as {
        readonly rtlCacheDirectory: () => string;
      };
      vi.stubEnv("NEARDATA_CACHE", "");
      vi.stubEnv("XDG_CACHE_HOME", "/home/of-xdg");
      expect(found()).toBe(join(disk, "build", "cache", "rtl"));
      makeReadOnly(disk);
      expect(found()).toBe(join("/home/of-xdg", "neardata", "rtl"));
      vi.unstubAllEnvs();
    }),
  );

  it("by a relative path is seen from the current directory", () => {
    vi.stubEnv("NEARDATA_CACHE", join("build", "elsewhere"));
    expect(rtlCacheDirectory()).toBe(join(process.cwd(), "build", "elsewhere", "rtl"));
    vi.unstubAllEnvs();
  });
});
