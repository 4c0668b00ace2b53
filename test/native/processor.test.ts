// SPDX-License-Identifier: Apache-2.0
// The compiler is asked for its processor once, and again after a call that failed or for another compiler.

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test, vi } from "vitest";
import { processorOf } from "../../src/native/compile/processor.ts";
import { inTemporary } from "../helpers/cli.ts";
import { rejection } from "../helpers/rejection.ts";

afterEach(() => {
  vi.unstubAllEnvs();
});

test("a compiler that failed is asked again, one that answered is not", () =>
  inTemporary(async (directory) => {
    const [path, log] = [join(directory, "compiler"), join(directory, "log")];
    const compiler = (ending: string): void => {
      writeFileSync(path, `#!/bin/sh\necho run >>"${log}"\n${ending}\n`, { mode: 0o755 });
    };
    vi.stubEnv("CXX", path);
    compiler("exit 1");
    await expect(processorOf("-march=native")).rejects.toThrow(rejection("build-failed"));
    compiler("echo first");
    expect(await processorOf("-march=native")).toBe("first\n");
    expect(await processorOf("-mtune=native")).toBe("first\n");
    expect(readFileSync(log, "utf8").trim().split("\n")).toHaveLength(2);

    const other = join(directory, "other");
    writeFileSync(other, "#!/bin/sh\necho other\n", { mode: 0o755 });
    vi.stubEnv("CXX", other);
    expect(await processorOf("-march=native")).toBe("other\n");
  }));
