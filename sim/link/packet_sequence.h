// SPDX-License-Identifier: Apache-2.0
//
// Packets of one transfer on a link, back to back, without their bytes: one or more packets of
// PCIe, or a line of CXL. The link transfers the sequence as one message, so the receiver gets all
// packets at the same time.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/port.h"
#include "link/link_config.h"

namespace neardata::link {

/// The operation that the receiver performs.
enum class PacketKind : std::uint8_t { kDoorbell, kRead, kData, kCompletion };

class PacketSequence {
 public:
  static constexpr core::MessageType kMessage{"packets"};

  PacketSequence() = default;
  /// `payload` bytes in packets of the format; a read requests `asked` bytes and has no payload.
  PacketSequence(const PacketFormat& format, PacketKind kind_in, std::uint32_t payload,
                 std::uint32_t asked_in = 0)
      : kind(kind_in),
        asked(asked_in),
        payload_(payload),
        packets_(format.packets(payload)),
        wire_(std::uint64_t{payload} + std::uint64_t{packets_} * format.header_bytes) {}

  PacketKind kind = PacketKind::kData;
  bool last = false;         ///< of its transfer
  std::uint32_t target = 0;  ///< behind a switch
  std::uint32_t asked = 0;
  std::uint64_t transfer = 0;  ///< that it is part of

  [[nodiscard]] std::size_t wire_bytes() const { return wire_; }
  [[nodiscard]] std::size_t payload_bytes() const { return payload_; }
  [[nodiscard]] std::uint32_t packets() const { return packets_; }
  [[nodiscard]] std::uint32_t target_of() const { return target; }
  [[nodiscard]] std::uint16_t sequence() const { return sequence_; }

  void seal(std::uint16_t sequence) {
    sequence_ = sequence;
    intact_ = true;
  }
  [[nodiscard]] bool intact() const { return intact_; }
  /// An error of the wires, which the CRC detects.
  void flip(std::size_t /*bit*/) { intact_ = false; }

 private:
  std::uint32_t payload_ = 0;
  std::uint32_t packets_ = 1;
  std::uint64_t wire_ = 0;
  std::uint16_t sequence_ = 0;
  bool intact_ = true;
};

}  // namespace neardata::link
