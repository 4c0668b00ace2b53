// SPDX-License-Identifier: Apache-2.0
//
// Counts the engine's event strobes. Bit numbers are those of `sparf_pkg`: eight of the engine,
// then per channel an arrived beat, per channel a passed beat, per channel a beat that waited, then
// nine of each kernel (`sparf_kernel_pkg`). Cycles of one event may be added in any order.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <span>

namespace neardata::unit {

enum class SparfEvent : std::uint8_t {
  kPageRead = 0,
  kPageProgram = 1,
  kDramRead = 2,
  kDramWrite = 3,
  kHeadStart = 4,
  kHeadDone = 5,
  kAppendDone = 6,
  kBusy = 7,
};

enum class SparfKernelEvent : std::uint8_t {
  kColumn = 0,
  kRow = 1,
  kSelect = 2,
  kWeigh = 3,
  kAttend = 4,
  kFold = 5,
  kKeyWait = 6,
  kValueWait = 7,
  kBlocked = 8,
};

class SparfEvents {
 public:
  static constexpr std::uint32_t kEngine = 8;
  static constexpr std::uint32_t kKernel = 9;
  static constexpr std::uint32_t kMost = 128;

  SparfEvents(std::uint32_t channels, std::uint32_t kernels)
      : channels_(channels), count_(kEngine + 3 * channels + kKernel * kernels) {}

  [[nodiscard]] std::uint32_t count() const { return count_; }

  /// All strobes of a cycle, kMost at most, repeated for `cycles` cycles.
  void strobes(std::span<const std::uint32_t> words, std::int64_t cycles = 1) {
    constexpr std::size_t kWord = 32;
    for (std::size_t at = 0; at < words.size(); ++at) {
      for (std::uint32_t rest = words[at]; rest != 0; rest &= rest - 1) {
        totals_[at * kWord + static_cast<std::size_t>(std::countr_zero(rest))] +=
            static_cast<std::uint64_t>(cycles);
      }
    }
  }

  void add(SparfEvent event, std::uint64_t count = 1) {
    totals_[static_cast<std::size_t>(event)] += count;
  }
  void beats_in(std::uint32_t channel, std::uint64_t count) { totals_[kEngine + channel] += count; }
  void beats_kept(std::uint32_t channel, std::uint64_t count) {
    totals_[kEngine + channels_ + channel] += count;
  }
  void beats_waited(std::uint32_t channel, std::uint64_t cycles) {
    totals_[kEngine + 2 * channels_ + channel] += cycles;
  }
  void add(std::uint32_t kernel, SparfKernelEvent event, std::uint64_t count) {
    totals_[kEngine + 3 * channels_ + kKernel * kernel + static_cast<std::size_t>(event)] += count;
  }

  [[nodiscard]] const std::array<std::uint64_t, kMost>& totals() const { return totals_; }
  [[nodiscard]] std::uint64_t total(SparfEvent event) const {
    return totals_[static_cast<std::size_t>(event)];
  }

 private:
  std::uint32_t channels_;
  std::uint32_t count_;
  std::array<std::uint64_t, kMost> totals_{};
};

}  // namespace neardata::unit
