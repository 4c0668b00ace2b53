// SPDX-License-Identifier: Apache-2.0
//
// The guards of a flash: its buses are not faster than their wires, its parts not faster than their
// data sheet.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "core/guard.h"
#include "system/flash/flash_types.h"

namespace neardata::system {

class FlashGuards {
 public:
  /// `name` of the flash port, in messages.
  FlashGuards(const std::string& name, const FlashConfig& config)
      : read_(name, config.floors.read),
        program_(name + ", programs", config.floors.program),
        erase_(name + ", erases", config.floors.erase) {
    for (std::uint32_t c = 0; c < config.shape.channels; ++c) {
      buses_.emplace_back(name + " channel " + std::to_string(c), config.wires);
    }
  }

  /// The first byte of a page that was requested at `asked` is on the bus at `start`.
  [[nodiscard]] core::Expected<void> read(core::Fs asked, core::Fs start) const {
    return outcome(read_.answer(asked, start));
  }
  /// From the last byte of a page in the die.
  [[nodiscard]] core::Expected<void> program(core::Fs loaded, core::Fs end) const {
    return outcome(program_.answer(loaded, end));
  }
  [[nodiscard]] core::Expected<void> erase(core::Fs asked, core::Fs end) const {
    return outcome(erase_.answer(asked, end));
  }
  /// These bytes have crossed the bus of the channel.
  [[nodiscard]] core::Expected<void> transfer(std::uint32_t channel, core::ByteCount bytes,
                                              core::Fs end) {
    return outcome(buses_[channel].transfer(bytes, end));
  }

 private:
  [[nodiscard]] static core::Expected<void> outcome(std::optional<core::SimError> fault) {
    if (fault) return std::unexpected(*std::move(fault));
    return {};
  }

  std::vector<core::BusGuard> buses_;  ///< by channel
  core::LatencyGuard read_;
  core::LatencyGuard program_;
  core::LatencyGuard erase_;
};

}  // namespace neardata::system
