// SPDX-License-Identifier: Apache-2.0
//
// The configuration of flash and controller DRAM in a storage device, and the counters of flash
// reads, as plain structs.
#pragma once

#include <cstdint>

#include "core/guard.h"
#include "core/time.h"
#include "flash/ecc.h"
#include "flash/reader.h"
#include "system/pages/kv_cache.h"
#include "unit/sparf/sparf_unit.h"

namespace neardata::system {

/// How pages of embedding-order K come out of rows of K in DRAM: through a buffer in SRAM, or, with
/// none, every page by lines of its own.
struct TranspositionConfig {
  std::uint64_t buffer_bytes = 0;
};

/// Where a page lies is looked up one page after another, in the order of requests: each takes
/// `latency`, and the next may begin `interval` after it. A table in DRAM is read for each, a line
/// of it, before that, and written when a page is programmed.
struct TranslationConfig {
  core::Fs latency;
  core::Fs interval;
  bool in_dram = false;
};

/// What no part is faster than, by its data sheet: from a request to the first byte on the bus,
/// from the last byte of a page to its program's end, from the request of an erase to its end.
struct FlashFloors {
  core::Fs read;
  core::Fs program;
  core::Fs erase;
};

/// Flash behind its channels. `wires` is what a channel can carry whatever the timing says.
struct FlashConfig {
  flash::Timing timing;
  flash::DeviceShape shape;
  flash::Arbitration arbitration = flash::Arbitration::kDataFirst;
  flash::ReadPolicy reads;
  flash::EccConfig ecc;
  std::int64_t ticks_per_ns = 1;
  core::BusRate wires;
  FlashFloors floors;
  TranspositionConfig transposition;
  TranslationConfig translation;
};

/// Controller DRAM: a line comes `latency` after its request and no sooner than the bus, which
/// needs `line_time` for each, has carried those before it. `wires` is what the bus can carry at
/// all.
struct ControllerDramConfig {
  core::Fs latency;
  core::Fs line_time;
  core::BusRate wires;
};

/// What a handle of a head names to the flash in a run.
struct FlashHead {
  KvHeadId head = 0;
  bool grows = false;  ///< tokens are appended, so pages of it may be written
};

struct PageRecord {
  std::uint32_t job = 0;
  unit::PageKind kind = unit::PageKind::kTokenKeys;
  std::uint32_t index = 0;
  std::uint32_t channel = 0;
  core::Fs asked;
  core::Fs arrived;
};

struct ReadCounters {
  std::uint64_t clean = 0;
  std::uint64_t retried = 0;
  std::uint64_t uncorrectable = 0;
  std::uint64_t channel_dead = 0;
  std::uint64_t checksum = 0;
  std::uint64_t corrected_bits = 0;
  std::uint64_t hot = 0;  ///< from their copies in DRAM, not from flash
  // Of pages that garbage collection moved: reads that were repeated, pages that could not be read.
  std::uint64_t moves_retried = 0;
  std::uint64_t moves_lost = 0;
};

}  // namespace neardata::system
