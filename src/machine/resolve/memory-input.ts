// SPDX-License-Identifier: Apache-2.0
// A scenario's memory as a file has it.

import { type MemoryBackend } from "../dram/backends.ts";
import { type SemanticsName } from "../dram/semantics.ts";
import { type TimingName } from "../dram/timing.ts";
import type { RefreshKind } from "../dram/refresh-kind.ts";

export interface MemoryInput {
  readonly preset?: string | undefined;
  readonly refresh?: RefreshKind | undefined;
  readonly refreshPhase?: "together" | "staggered" | undefined;
  readonly commandBus?: "private" | "shared" | undefined;
  readonly refreshStart?: number | undefined;
  readonly refreshStarts?: number | undefined;
  readonly backend?: MemoryBackend | undefined;
  readonly semantics?: SemanticsName | undefined;
  readonly queueEntries?: number | undefined;
  readonly eccDevices?: boolean | undefined;
  readonly powerDown?: boolean | undefined;
  readonly timing?: Readonly<Partial<Record<TimingName, number | undefined>>> | undefined;
}
