// SPDX-License-Identifier: Apache-2.0
// The door `neardata/rtl`: opens any RTL unit and drives its ports in batches, from tests or programs.

export { NeardataError, type ErrorCode, type Issue } from "../base/errors.ts";
export { typeName, unitTypes } from "./declare.ts";
export { openUnit } from "./unit.ts";
export { rtlTypes, writeTypes, type TypedUnit, type TypesPlugin } from "./vite.ts";
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
