// SPDX-License-Identifier: Apache-2.0
//
// One job for `dimm_ndp` with everything in memory: shape, layout, descriptor, contents, and the
// outputs that the value model expects. The unit's parameters are those that the bench was built
// for. Contents are generated from a seed or read from an image file.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <random>
#include <span>
#include <utility>
#include <vector>

#include "unit/ndp/ndp_unit.h"

namespace neardata::bench {

inline constexpr std::size_t kValues = unit::kBurstBytes / 2;  ///< of a burst
using Burst = std::array<std::uint16_t, kValues>;

enum class Contents : std::uint8_t {
  kTame,  ///< of the size that real weights and activations have
  kWild,  ///< every finite bit pattern: subnormals, signed zeros, large magnitudes
  kAny,   ///< every bit pattern
};

struct Shape {
  std::uint32_t op = 1;
  std::uint32_t func = 2;
  std::uint32_t bf16 = 0;
  std::uint32_t up_plus_one = 0;
  std::uint32_t limit = 0;  ///< of operands: bits of a positive value, or none
  std::uint32_t tokens = 1;
  std::uint32_t pass_tokens = 1;
  std::uint32_t in_blocks = 1;
  std::uint32_t mid_rows = 1;
  std::uint32_t out_rows = 1;
  std::uint32_t weights = 0;  ///< format, as ndp_pkg numbers them
  std::uint32_t repeats = 1;  ///< blocks of low-bit weights for one of the input
};

/// (stream, burst) -> the expected write of the unit.
using Writes = std::map<std::pair<std::uint32_t, std::uint32_t>, Burst>;

class Case {
 public:
  /// Random contents. @throws std::runtime_error if the shape is invalid or too large for memory
  Case(const unit::NdpParameters& unit, const Shape& shape, Contents contents, std::uint64_t seed);
  /// Descriptor and contents from an image: 23 words, then for each stream a count of bursts and so
  /// many bursts from address 0; all little-endian 32-bit words. @throws std::runtime_error when
  /// the image ends early, or its descriptor is none or reads outside of it
  Case(const unit::NdpParameters& unit, std::span<const char> image);

  /// Everything is this many bursts further up.
  void move(std::uint32_t bursts);
  /// Breaks the rule of a field in the descriptor, and of no earlier field.
  /// @throws std::runtime_error if the field does not exist
  void break_field(std::uint32_t field);

  [[nodiscard]] const unit::Descriptor& descriptor() const { return descriptor_; }
  [[nodiscard]] std::uint32_t broken() const { return broken_; }
  /// The first burst behind all that is read and written.
  [[nodiscard]] std::uint32_t end() const;
  [[nodiscard]] bool holds(std::uint32_t burst) const { return burst >= base_ && burst < end(); }
  /// Bursts that it makes the unit write.
  [[nodiscard]] std::uint64_t bursts_to_write() const;
  [[nodiscard]] const Burst& burst(std::uint32_t stream, std::uint32_t address) const;
  /// Bursts that the descriptor makes the unit read, all streams together.
  [[nodiscard]] std::uint64_t bursts_to_read() const;
  /// The value model's results for the memory of the descriptor.
  [[nodiscard]] Writes expected() const;

 private:
  void check_descriptor() const;
  void become_gated();
  [[nodiscard]] std::uint32_t row_bursts(std::uint32_t blocks, std::uint32_t repeats) const;
  void place_scales(std::uint32_t base, std::uint32_t stride, std::uint32_t groups,
                    std::uint32_t blocks, std::mt19937_64& random);
  [[nodiscard]] std::vector<std::uint8_t> row_bytes(std::uint32_t row, std::uint32_t first,
                                                    std::uint32_t bursts) const;
  [[nodiscard]] std::vector<std::uint16_t> input_row(std::uint32_t token) const;
  [[nodiscard]] std::vector<std::uint16_t> matrix_times(std::uint32_t base, std::uint32_t stride,
                                                        std::uint32_t rows, std::size_t factor,
                                                        const std::vector<std::uint16_t>& x) const;

  unit::NdpParameters unit_;
  unit::Descriptor descriptor_{};
  std::vector<std::vector<Burst>> memory_;
  std::uint32_t base_ = 0;
  std::uint32_t broken_ = 0;
  std::uint32_t end_ = 0;  ///< end of a broken image
};

}  // namespace neardata::bench
