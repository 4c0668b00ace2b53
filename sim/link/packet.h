// SPDX-License-Identifier: Apache-2.0
//
// The format of a packet on the wires: 12 bytes of header, up to 256 bytes of payload, a CRC of 4
// bytes over both. Header fields are little-endian; `sequence` counts the packets of one link;
// every hop sets it and the CRC.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "core/port.h"
#include "link/crc32c.h"

namespace neardata::link {

inline constexpr std::size_t kHeaderBytes = 12;
inline constexpr std::size_t kCrcBytes = 4;
inline constexpr std::size_t kMostPayloadBytes = 256;

/// The target of the payload and its flow.
struct PacketHeader {
  std::uint8_t target = 0;  ///< DIMM
  std::uint8_t stream = 0;  ///< rank-sub-channel of the target
  std::uint16_t flow = 0;
  std::uint16_t payload_bytes = 0;
  std::uint16_t sequence = 0;
  std::uint32_t burst = 0;  ///< first burst in the target's stream

  friend bool operator==(const PacketHeader&, const PacketHeader&) = default;
};
static_assert(sizeof(PacketHeader) == kHeaderBytes);

class Packet {
 public:
  static constexpr core::MessageType kMessage{"packet"};

  Packet() = default;
  explicit Packet(const PacketHeader& header)
      : size_(kHeaderBytes + header.payload_bytes + kCrcBytes) {
    std::memcpy(bytes_.data(), &header, kHeaderBytes);
  }

  [[nodiscard]] PacketHeader header() const {
    PacketHeader header;
    std::memcpy(&header, bytes_.data(), kHeaderBytes);
    return header;
  }
  [[nodiscard]] std::span<std::byte> payload() {
    return std::span(bytes_).subspan(kHeaderBytes, size_ - kHeaderBytes - kCrcBytes);
  }
  [[nodiscard]] std::span<const std::byte> payload() const {
    return std::span(bytes_).subspan(kHeaderBytes, size_ - kHeaderBytes - kCrcBytes);
  }
  [[nodiscard]] std::size_t wire_bytes() const { return size_; }
  [[nodiscard]] std::size_t payload_bytes() const { return payload().size(); }
  [[nodiscard]] std::uint32_t packets() const { return 1; }
  [[nodiscard]] std::uint32_t target_of() const { return header().target; }
  [[nodiscard]] std::uint16_t sequence() const { return header().sequence; }

  /// Numbers the packet and writes its CRC.
  void seal(std::uint16_t sequence) {
    std::memcpy(bytes_.data() + offsetof(PacketHeader, sequence), &sequence, sizeof sequence);
    const std::uint32_t crc = crc32c(covered());
    std::memcpy(bytes_.data() + size_ - kCrcBytes, &crc, kCrcBytes);
  }
  /// Whether the CRC matches header and payload.
  [[nodiscard]] bool intact() const {
    std::uint32_t crc = 0;
    std::memcpy(&crc, bytes_.data() + size_ - kCrcBytes, kCrcBytes);
    return crc == crc32c(covered());
  }
  /// An error of the wires: bit 0 is the lowest of the first byte.
  void flip(std::size_t bit) { bytes_[bit / 8] ^= std::byte{1} << bit % 8; }

 private:
  [[nodiscard]] std::span<const std::byte> covered() const {
    return std::span(bytes_).first(size_ - kCrcBytes);
  }

  std::size_t size_ = kHeaderBytes + kCrcBytes;
  std::array<std::byte, kHeaderBytes + kMostPayloadBytes + kCrcBytes> bytes_{};
};

}  // namespace neardata::link
