// SPDX-License-Identifier: Apache-2.0
// Builds of C++ under sanitizers: NEARDATA_SANITIZE has their names in the format of the compiler,
// such as "address,undefined". Artifacts of such builds never mix with the others.

import process from "node:process";

/** Flags for the compiler and the linker; none unless NEARDATA_SANITIZE is set. */
export function sanitizerFlags(): readonly string[] {
  const names = process.env["NEARDATA_SANITIZE"] ?? "";
  if (names === "") return [];
  return [`-fsanitize=${names}`, "-fno-sanitize-recover=all", "-fno-omit-frame-pointer", "-g1"];
}
