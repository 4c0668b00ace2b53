// SPDX-License-Identifier: Apache-2.0
// Directories that cannot be made, such as below /proc, are an error of the system at once.

import { existsSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { describe, expect, it, vi } from "vitest";

import { cached } from "../../src/files/cache.ts";
import { makeDirectories } from "../../src/files/directories.ts";
import { rtlCacheDirectory } from "../../src/native/paths.ts";
import { inTemporary } from "../helpers/cli.ts";
import { refusal } from "../helpers/refusal.ts";

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
      await expect(made).rejects.toThrow(refusal("place-missing", /NEARDATA_CACHE/));
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

  it("by a relative path is seen from the current directory", () => {
    vi.stubEnv("NEARDATA_CACHE", join("build", "elsewhere"));
    expect(rtlCacheDirectory()).toBe(join(process.cwd(), "build", "elsewhere", "rtl"));
    vi.unstubAllEnvs();
  });
});
