// SPDX-License-Identifier: Apache-2.0
//
// The cost of an error-correcting code: its parity crosses the bus with the data, every codeword is
// decoded after its last byte, and a page is valid if all its codewords are valid. No byte of a
// page is used before: the page waits in a buffer and leaves it without gaps, at the rate of the
// bus.
#pragma once

#include <algorithm>
#include <cstdint>

#include "flash/types.h"

namespace neardata::flash {

struct EccConfig {
  bool on = false;  ///< without: no parity, and bytes are used as they cross the bus
  std::uint32_t codeword_bytes = 1024;  ///< of data
  std::uint32_t parity_bytes = 0;       ///< of a codeword
  Tick latency;                         ///< from the last byte of a codeword to its decoding result
  Tick failed;                          ///< likewise, where it cannot be corrected
  Tick interval;                        ///< from a codeword to the next in a channel's decoder

  [[nodiscard]] constexpr std::uint32_t codewords(std::uint32_t page_bytes) const {
    return (page_bytes + codeword_bytes - 1) / codeword_bytes;
  }
  /// Of a page; a codeword that is shorter has as large a share of it. Even.
  [[nodiscard]] constexpr std::uint32_t parity(std::uint32_t page_bytes) const {
    if (!on) return 0;
    const std::uint64_t words =
        (std::uint64_t{page_bytes} * parity_bytes + codeword_bytes - 1) / codeword_bytes;
    return static_cast<std::uint32_t>((words + 1) / 2 * 2);
  }
};

/// The decoder of a channel.
class EccDecoder {
 public:
  explicit EccDecoder(const EccConfig& config) : config_(config) {}

  /// A page of so many bytes, with its parity, is on the bus from `start` to `end`: when it is
  /// known whether it is good.
  [[nodiscard]] Tick decoded(Tick start, Tick end, std::uint32_t page_bytes, bool good) {
    if (!config_.on) return end;
    const auto words = static_cast<std::int64_t>(config_.codewords(page_bytes));
    Tick begin = free_;
    for (std::int64_t word = 1; word <= words; ++word) {
      const Tick whole{start.value + (end - start).value * word / words};
      begin = std::max(free_, whole);
      free_ = begin + config_.interval;
    }
    return begin + (good ? config_.latency : config_.failed);
  }

  /// A page decoded at `decoded` leaves the buffer, in beats of `beat`. Returns the arrival of the
  /// first beat.
  [[nodiscard]] Tick leave(Tick decoded, Tick beat, std::int64_t beats) {
    const Tick first = std::max(decoded, left_) + beat;
    left_ = first + (beats - 1) * beat;
    return first;
  }

 private:
  EccConfig config_;
  Tick free_;  ///< the decoder can accept another codeword
  Tick left_;  ///< the last beat of the pages before
};

}  // namespace neardata::flash
