// SPDX-License-Identifier: Apache-2.0
// The entry point `neardata/rtl`: opens any RTL unit and drives its ports in batches, from tests or programs.

import { asyncEntry } from "../base/entry.ts";
import { unitOptions } from "./options.ts";
import * as unit from "./unit.ts";

export { NeardataError, type ErrorCode, type Issue } from "../base/errors.ts";
export type {
  AnyMessage,
  AnyUnit,
  InputStream,
  OfLane,
  OutputStream,
  Pauses,
  PortValue,
  Shape,
  StreamType,
  Unit,
  UnitMessage,
  UnitOptions,
  UnitRunOptions,
  UnitSource,
  UnitType,
  Until,
  WaveformOptions,
} from "./types.ts";

/**
 * Builds the unit, if the cache lacks it, and opens it after its reset. With the type that `neardata
 * types` writes, names of streams, ports, fields and parameters are checked by the compiler.
 * @throws NeardataError `bad-input` with every problem of the options, sources and ports, `build-failed`,
 * `tool-missing`
 */
export const openUnit = asyncEntry(unit.openUnit, { options: unitOptions });
