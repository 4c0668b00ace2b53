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

/// The transposition of rows of K in DRAM into pages of embedding-order K: through a buffer in
/// SRAM, or, without one, with separate reads for every page.
struct TranspositionConfig {
  std::uint64_t buffer_bytes = 0;
};

/// The logical-to-physical lookup, one page after another, in the order of requests: each needs
/// `latency`, and the next may begin `interval` after it. With a table in DRAM, each lookup first
/// reads one line of it, and each program of a page writes one.
struct TranslationConfig {
  core::Fs latency;
  core::Fs interval;
  bool in_dram = false;
};

/// Lower bounds by the data sheet: from a request to the first byte on the bus, from the last byte
/// of a page to its program's end, from the request of an erase to its end.
struct FlashFloors {
  core::Fs read;
  core::Fs program;
  core::Fs erase;
};

/// Flash with its channels. `wires` is the capacity of a channel, independent of the timing.
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

/// Controller DRAM: a line arrives `latency` after its request, and after the bus has transferred
/// the earlier lines, which needs `line_time` for each. `wires` is the peak capacity of the bus.
struct ControllerDramConfig {
  core::Fs latency;
  core::Fs line_time;
  core::BusRate wires;
};

/// The head of a handle in a run.
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
  // Pages moved by garbage collection: repeated reads, pages that could not be read.
  std::uint64_t moves_retried = 0;
  std::uint64_t moves_lost = 0;
};

}  // namespace neardata::system
