// SPDX-License-Identifier: Apache-2.0
#include "testbench/ndp_case.h"

#include <algorithm>
#include <fstream>
#include <random>
#include <stdexcept>

#include "testbench/block_dot.h"
#include "unit/act_values.h"

namespace neardata::bench {
namespace {

// Words of a descriptor, as in dimm_ndp_pkg.
enum Word : std::size_t {
  kMode,
  kTokens,
  kPassTokens,
  kInBlocks,
  kMidRows,
  kMidBlocks,
  kOutRows,
  kXBase,
  kXStride,
  kGateBase,
  kUpBase,
  kGuStride,
  kDownBase,
  kDownStride,
  kYBase,
  kYStride,
  kHWord,
  kCWord,
};

constexpr std::uint32_t kLinear = 0;
constexpr std::uint32_t kGated = 1;

std::uint32_t ceil_div(std::uint32_t a, std::uint32_t b) { return (a + b - 1) / b; }

std::uint32_t block_values(const unit::NdpParameters& unit) {
  return unit.mult_per_stream * unit.lanes;
}

std::uint16_t random_value(Contents contents, bool bf16, std::mt19937_64& random) {
  const auto bits = static_cast<std::uint16_t>(random());
  const std::uint16_t exponent = bf16 ? 0x7F80 : 0x7C00;
  if (contents == Contents::kTame) {
    // Exponents from 2^-6 to 2^1 keep sums of some thousand products in range.
    const std::uint16_t field = bf16 ? static_cast<std::uint16_t>((121 + (bits >> 7 & 7)) << 7)
                                     : static_cast<std::uint16_t>((9 + (bits >> 10 & 7)) << 10);
    return static_cast<std::uint16_t>((bits & 0x8000) | field | (bits & (bf16 ? 0x007F : 0x03FF)));
  }
  if (contents == Contents::kWild && (bits & exponent) == exponent) return bits & ~exponent;
  return bits;
}

std::uint16_t hidden(std::uint32_t func, bool bf16, std::uint16_t gate, std::uint16_t up,
                     bool gated) {
  const auto format = bf16 ? Format::Bf16 : Format::Fp16;
  const std::uint16_t activated = unit::act(gate, static_cast<ActFunc>(func), format);
  return gated ? unit::mul(activated, up, format) : activated;
}

}  // namespace

Case::Case(const unit::NdpParameters& unit, const Shape& shape, Contents contents,
           std::uint64_t seed)
    : unit_(unit), memory_(unit.streams) {
  const std::uint32_t burst_block = block_values(unit) / kValues;
  const std::uint32_t mid_blocks =
      shape.op == kLinear ? 0 : ceil_div(shape.mid_rows, block_values(unit));
  const std::uint32_t in_words = shape.in_blocks * burst_block;
  const std::uint32_t mid_words = mid_blocks * burst_block;
  const std::uint32_t down_words = shape.op == kLinear ? in_words : mid_words;
  const std::uint32_t mid_groups = ceil_div(shape.mid_rows, unit.streams);
  const std::uint32_t out_groups = ceil_div(shape.out_rows, unit.streams);
  const std::uint32_t y_words = ceil_div(ceil_div(shape.out_rows, kValues), unit.streams);
  const std::uint32_t gap = 1;  // strides are not just the sizes

  auto& d = descriptor_;
  d[kMode] = shape.op | shape.func << 4 | shape.bf16 << 8;
  d[kTokens] = shape.tokens;
  d[kPassTokens] = shape.pass_tokens;
  d[kInBlocks] = shape.in_blocks;
  d[kMidRows] = shape.mid_rows;
  d[kMidBlocks] = mid_blocks;
  d[kOutRows] = shape.out_rows;
  std::uint32_t end = 3;
  const auto place = [&end](std::uint32_t bursts) { return std::exchange(end, end + bursts); };
  d[kXStride] = ceil_div(in_words, unit.streams) + gap;
  d[kXBase] = place(shape.tokens * d[kXStride]);
  d[kGuStride] = in_words + gap;
  d[kGateBase] = place(mid_groups * d[kGuStride]);
  d[kUpBase] = place(mid_groups * d[kGuStride]);
  d[kDownStride] = down_words + gap;
  d[kDownBase] = place(out_groups * d[kDownStride]);
  const std::uint32_t read_end = end;
  d[kYStride] = y_words + gap;
  d[kYBase] = place(shape.tokens * d[kYStride]);
  d[kHWord] = shape.pass_tokens * in_words;
  d[kCWord] = d[kHWord] + shape.pass_tokens * mid_words;

  std::mt19937_64 random(seed);
  for (auto& stream : memory_) {
    stream.resize(read_end);
    for (Burst& burst : stream) {
      for (auto& value : burst) value = random_value(contents, shape.bf16 != 0, random);
    }
  }
}

Case::Case(const unit::NdpParameters& unit, const std::string& image)
    : unit_(unit), memory_(unit.streams) {
  std::ifstream file(image, std::ios::binary);
  const auto read = [&file](void* to, std::size_t bytes) {
    file.read(static_cast<char*>(to), static_cast<std::streamsize>(bytes));
  };
  read(descriptor_.data(), sizeof descriptor_);
  for (auto& stream : memory_) {
    std::uint32_t bursts = 0;
    read(&bursts, sizeof bursts);
    if (file) stream.resize(bursts);
    read(stream.data(), stream.size() * sizeof(Burst));
  }
  if (!file) throw std::runtime_error("image " + image + " is shorter than it says");
}

const Burst& Case::burst(std::uint32_t stream, std::uint32_t address) const {
  return memory_.at(stream).at(address);
}

std::uint64_t Case::bursts_to_read() const {
  const auto& d = descriptor_;
  const std::uint32_t op = d[kMode] & 0xF;
  const std::uint64_t words = block_values(unit_) / kValues;
  const std::uint64_t passes = ceil_div(d[kTokens], d[kPassTokens]);
  const std::uint64_t gate_up = op == kLinear ? 0
                                              : ceil_div(d[kMidRows], unit_.streams) * words *
                                                    d[kInBlocks] * (op == kGated ? 2U : 1U);
  const std::uint64_t down =
      ceil_div(d[kOutRows], unit_.streams) * words * (op == kLinear ? d[kInBlocks] : d[kMidBlocks]);
  return passes * (gate_up + down) * unit_.streams + words * d[kInBlocks] * d[kTokens];
}

std::vector<std::uint16_t> Case::input_row(std::uint32_t token) const {
  const auto& d = descriptor_;
  const std::uint32_t words = d[kInBlocks] * (block_values(unit_) / kValues);
  std::vector<std::uint16_t> row;
  for (std::uint32_t q = 0; q < words; ++q) {
    const Burst& b = burst(q % unit_.streams, d[kXBase] + token * d[kXStride] + q / unit_.streams);
    row.insert(row.end(), b.begin(), b.end());
  }
  return row;
}

std::vector<std::uint16_t> Case::matrix_times(std::uint32_t base, std::uint32_t stride,
                                              std::uint32_t rows,
                                              const std::vector<std::uint16_t>& x) const {
  std::vector<std::uint16_t> y;
  std::vector<std::uint16_t> w(x.size());
  const bool bf16 = (descriptor_[kMode] >> 8 & 1U) != 0;
  for (std::uint32_t n = 0; n < rows; ++n) {
    const std::uint32_t first = base + n / unit_.streams * stride;
    for (std::uint32_t i = 0; i < x.size() / kValues; ++i) {
      const Burst& b = burst(n % unit_.streams, first + i);
      std::copy(b.begin(), b.end(), w.begin() + i * kValues);
    }
    y.push_back(row_dot(w, x, block_values(unit_), bf16 ? kBf16 : kFp16));
  }
  return y;
}

Writes Case::expected() const {
  const auto& d = descriptor_;
  const std::uint32_t op = d[kMode] & 0xF;
  const std::uint32_t func = d[kMode] >> 4 & 0xF;
  const bool bf16 = (d[kMode] >> 8 & 1U) != 0;
  Writes writes;
  for (std::uint32_t t = 0; t < d[kTokens]; ++t) {
    std::vector<std::uint16_t> x = input_row(t);
    if (op != kLinear) {
      const auto up = matrix_times(d[kUpBase], d[kGuStride], d[kMidRows], x);
      const auto gate =
          op == kGated ? matrix_times(d[kGateBase], d[kGuStride], d[kMidRows], x) : up;
      x.assign(std::size_t{d[kMidBlocks]} * block_values(unit_), 0);
      for (std::uint32_t n = 0; n < d[kMidRows]; ++n) {
        x[n] = hidden(func, bf16, gate[n], up[n], op == kGated);
      }
    }
    const auto y = matrix_times(d[kDownBase], d[kDownStride], d[kOutRows], x);
    for (std::uint32_t n = 0; n < y.size(); ++n) {
      const auto q = static_cast<std::uint32_t>(n / kValues);
      const std::uint32_t at = d[kYBase] + t * d[kYStride] + q / unit_.streams;
      writes[{q % unit_.streams, at}][n % kValues] = y[n];
    }
  }
  return writes;
}

}  // namespace neardata::bench
