// SPDX-License-Identifier: Apache-2.0
// Types of records and calls between this program and the addon. Each record is described once, in C++
// (sim/api); `make build` writes its types from the addon's layout to build/native/layout.d.ts. Numbers of
// results have the unit that their layout names.

import type { Calls, Records } from "#layout";

import type { FilledDevices, HeadPages } from "../machine/csd/csd-types.ts";
import type { LayoutUnits, StreamContents } from "../machine/types.ts";

export type { Handle, Rows, Words } from "#layout";

interface Own extends LayoutUnits {
  readonly StreamContents: StreamContents;
  readonly HeadPages: HeadPages;
  readonly FilledDevices: FilledDevices;
}

export type RecordName = keyof Records<Own>;

/** A record by its name. */
export type Native<Name extends RecordName> = Records<Own>[Name];

/** The functions of the addon. */
export type Binding = Calls<Own>;
