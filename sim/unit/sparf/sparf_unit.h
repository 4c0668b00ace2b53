// SPDX-License-Identifier: Apache-2.0
//
// The interface of the attention engine of a computational storage device in the simulation: a
// component between channels. The Verilated RTL and the cycle model implement it.
//
// In the engine's cycle n, at edge n of its clock, at most one message moves on each port, except
// that pages move as one message each and not as beats. A model may run ahead: a push has the time
// of its cycle, times on one channel never decrease, and no push is older than the present time of
// its receiver.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "core/part.h"
#include "flash/translation/page_kind.h"
#include "unit/sparf/sparf_events.h"

namespace neardata::unit {

inline constexpr std::size_t kLineBytes = 64;  ///< of controller DRAM
inline constexpr std::int64_t kSumsPerLine = kLineBytes / sizeof(std::int64_t);  ///< of values
inline constexpr std::size_t kBeatBytes = 8;  ///< of a flash channel
inline constexpr std::size_t kSparfDescriptorWords = 16;

/// Parameters of `sparf_engine`, by the names they have there.
struct SparfParameters {
  std::uint32_t channels = 8;
  std::uint32_t kernels = 2;
  std::uint32_t lanes = 16;
  std::uint32_t width = 128;
  std::uint32_t max_keys = 32768;
  std::uint32_t max_group = 8;
  std::uint32_t slots = 8;
  std::uint32_t ring_lines = 2048;
  std::uint32_t max_page_rows = 64;
  std::uint32_t tags = 256;
  std::uint32_t query_sets = 1;

  /// Queries of a group go through a kernel in so many rounds, a set of them at once.
  [[nodiscard]] constexpr std::uint32_t rounds(std::uint32_t group) const {
    return (group + query_sets - 1) / query_sets;
  }
  /// Logits of a head of `tokens` that a kernel has room for: those of whole sets.
  [[nodiscard]] constexpr std::uint64_t keys(std::uint64_t tokens, std::uint32_t group) const {
    return tokens * rounds(group) * query_sets;
  }
  /// Tokens of a head, at most.
  [[nodiscard]] constexpr std::uint32_t max_tokens() const { return max_keys / query_sets; }
  /// Capacity, in tokens, of the selections in flight.
  [[nodiscard]] constexpr std::uint32_t selection_tokens() const {
    return query_sets > 1 ? 2 * max_tokens() : max_tokens();
  }
  /// Capacity of a kernel's separate memory for logits of step 2; a head with more of them uses the
  /// memory of step 1.
  [[nodiscard]] constexpr std::uint32_t own_keys() const {
    if (query_sets == 1) return max_keys;
    return std::max(max_keys / 8, std::min(max_keys / 2, 32768U));
  }
  /// The maximum of pages in flight: each kernel has a ring of keys and a ring of values, with
  /// separate tags.
  [[nodiscard]] constexpr std::uint32_t page_tags() const { return 2 * kernels * tags; }
};

/// Lines of controller DRAM of a row of `width` binary16 values.
constexpr std::uint32_t row_lines(std::uint32_t width) {
  return static_cast<std::uint32_t>((width * 2 + kLineBytes - 1) / kLineBytes);
}

using flash::PageKind;

/// `index` as in flash::KvPage; `head` is the handle of the descriptor.
struct SparfPageRequest {
  static constexpr core::MessageType kMessage{"page request"};
  std::uint16_t tag = 0;
  std::uint32_t head = 0;
  PageKind kind = PageKind::kTokenKeys;
  std::uint32_t index = 0;
  bool write = false;  ///< program the page from the rows in DRAM; no answer follows
};

/// When the beats of a page have crossed the flash bus: beat i at (first + i * step) / ticks_per_ns
/// nanoseconds, rounded up to femtoseconds; kNever from the end of time on.
struct BeatTimes {
  std::int64_t first = 0;
  std::int64_t step = 0;
  std::int64_t ticks_per_ns = 1;

  [[nodiscard]] core::Fs at(std::int64_t beat) const {
    constexpr std::int64_t kFsPerNs = 1'000'000;
    const std::int64_t tick = first + beat * step;
    if (tick < (core::kNever.value - ticks_per_ns) / kFsPerNs) [[likely]] {
      return {(tick * kFsPerNs + ticks_per_ns - 1) / ticks_per_ns};
    }
    const __int128 time = (__int128{tick} * kFsPerNs + ticks_per_ns - 1) / ticks_per_ns;
    if (time >= core::kNever.value) return core::kNever;
    return {static_cast<std::int64_t>(time)};
  }
};

/// A page on a channel. An unreadable page is a single beat without data.
struct SparfPage {
  static constexpr core::MessageType kMessage{"page"};
  std::uint16_t tag = 0;
  bool error = false;
  const std::byte* data = nullptr;  ///< good until the run ends
  std::uint32_t bytes = 0;
  BeatTimes beats;

  [[nodiscard]] std::int64_t beat_count() const {
    return error ? 1 : static_cast<std::int64_t>(bytes / kBeatBytes);
  }
};

struct DramRead {
  static constexpr core::MessageType kMessage{"line request"};
  std::uint32_t line = 0;
};

using DramLine = std::array<std::byte, kLineBytes>;

/// Bit i of `strobe` is set if byte i is written.
struct DramWrite {
  static constexpr core::MessageType kMessage{"line write", kLineBytes};
  std::uint32_t line = 0;
  std::uint64_t strobe = ~std::uint64_t{0};
  DramLine data{};
};

using SparfDescriptor = std::array<std::uint32_t, kSparfDescriptorWords>;

}  // namespace neardata::unit

template <>
inline constexpr neardata::core::MessageType
    neardata::core::kMessageType<neardata::unit::SparfDescriptor>{"attention descriptor"};
template <>
inline constexpr neardata::core::MessageType neardata::core::kMessageType<neardata::unit::DramLine>{
    "line", neardata::unit::kLineBytes};

namespace neardata::unit {

/// Fields of a descriptor, by the numbers of sparf_pkg.
enum class SparfField : std::uint8_t {
  kNone,
  kOperation,
  kGroup,
  kDimsPerPage,
  kMode,
  kTokens,
  kTake,
  kWindow,
  kDims,
  kDimFlash,
  kTokenFlash,
  kQLine,
  kSumLine,
  kKLine,
  kVLine,
  kOutLine,
  kScale,
  kReciprocal,
  kPageBytes,
};
/// The field with a number; kNone if no field has it.
constexpr SparfField field_of(std::uint32_t number) {
  constexpr auto kLast = static_cast<std::uint32_t>(SparfField::kPageBytes);
  return number <= kLast ? static_cast<SparfField>(number) : SparfField::kNone;
}

struct SparfDone {
  static constexpr core::MessageType kMessage{"end of an attention job"};
  std::uint16_t tag = 0;
  bool unreadable = false;               ///< a page was; the output is not to be used
  bool refused = false;                  ///< the descriptor breaks a rule; nothing was done
  bool non_finite = false;               ///< a query, key or value was infinite or not a number
  SparfField field = SparfField::kNone;  ///< of a refused descriptor: the first that breaks one
};

/// The engine's ports.
struct SparfPorts {
  core::In<SparfDescriptor> descriptors;
  core::Out<SparfDone> done;
  core::Out<SparfPageRequest> page_requests;
  std::vector<core::In<SparfPage>> pages;  ///< by channel
  core::Out<DramRead> dram_reads;
  core::In<DramLine> dram_lines;  ///< in the order of the reads
  core::Out<DramWrite> dram_writes;

  void declare(core::PortList& ports) {
    ports.in("descriptors", descriptors);
    ports.out("done", done);
    ports.out("page_requests", page_requests);
    for (std::size_t c = 0; c < pages.size(); ++c) ports.in(core::port_of("pages", c), pages[c]);
    ports.out("dram_reads", dram_reads);
    ports.in("dram_lines", dram_lines);
    ports.out("dram_writes", dram_writes);
  }
};

/// Receives the choices of the engine, which do not affect the simulation.
class SparfObserver {
 public:
  virtual ~SparfObserver() = default;
  virtual void dim_chosen(std::uint16_t tag, std::uint32_t dim) = 0;
  virtual void token_chosen(std::uint16_t tag, std::uint32_t token) = 0;
  virtual void alpha(std::uint16_t tag, std::uint32_t query, float value) = 0;
};

class SparfUnit : public core::Part {
 public:
  SparfUnit(core::Placement place, std::uint32_t channels, std::uint32_t kernels)
      : Part(std::move(place)), events_(channels, kernels) {
    ports_.pages.resize(channels);
  }

  [[nodiscard]] std::string_view kind() const override { return "attention engine"; }
  void declare(core::PortList& ports) override { ports_.declare(ports); }
  [[nodiscard]] core::Fs begins() const override { return core::Fs{0}; }
  [[nodiscard]] const SparfEvents& events() const { return events_; }

  /// Counts the events of the cycles before `end` that are not counted yet. The run is over.
  virtual void finish(core::Cycle end) = 0;
  /// Cycles that were skipped because nothing could change in them.
  [[nodiscard]] virtual std::int64_t skipped() const = 0;

 protected:
  SparfPorts ports_;
  SparfEvents events_;
};

}  // namespace neardata::unit
