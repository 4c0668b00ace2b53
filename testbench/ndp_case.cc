// SPDX-License-Identifier: Apache-2.0
#include "testbench/ndp_case.h"

#include <algorithm>
#include <array>
#include <bit>
#include <random>
#include <stdexcept>
#include <string>

#include "testbench/block_dot.h"
#include "testbench/file_bytes.h"
#include "testbench/low_bit_dot.h"
#include "unit/ndp/values/act_values.h"

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
  kInWeights,
  kMidWeights,
  kGateFactor,
  kUpFactor,
  kDownFactor,
};

constexpr std::uint32_t kLinear = 0;
constexpr std::uint32_t kGated = 1;
constexpr std::uint32_t kOps = 3;
constexpr std::uint32_t kFunctions = 7;
constexpr std::uint32_t kMostLimit = 0x7FFF;
/// Of tokens, blocks and rows; their products fit 64 bits.
constexpr std::uint32_t kMostOfAShape = 1U << 20U;
/// Of a stream of random contents: a gibibyte.
constexpr std::uint64_t kMostBursts = 1U << 24U;

void require(bool holds, const std::string& rule) {
  if (!holds) throw std::runtime_error(rule);
}

void require_count(const char* name, std::uint32_t count) {
  require(count >= 1 && count <= kMostOfAShape,
          std::string(name) + " is not from 1 to " + std::to_string(kMostOfAShape));
}

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

/// An FP32 number of 2^-8 to 2^-1, any sign.
std::uint32_t random_factor(std::mt19937_64& random) {
  const auto bits = static_cast<std::uint32_t>(random());
  return (bits & 0x807F'FFFF) | (119 + (bits >> 23 & 7)) << 23;
}

std::uint16_t hidden(const ActMode& mode, bool bf16, std::uint16_t gate, std::uint16_t up,
                     bool gated) {
  const auto format = bf16 ? Format::Bf16 : Format::Fp16;
  const std::uint16_t activated =
      unit::act(unit::operand(gate, false, mode, format), mode.func, format);
  return gated ? unit::mul(activated, unit::operand(up, true, mode, format), format) : activated;
}

}  // namespace

Case::Case(const unit::NdpParameters& unit, const Shape& shape, Contents contents,
           std::uint64_t seed)
    : unit_(unit), memory_(unit.streams) {
  require(shape.op < kOps && shape.func < kFunctions && shape.bf16 <= 1 && shape.up_plus_one <= 1 &&
              shape.limit <= kMostLimit,
          "the operation is none");
  require(shape.weights == 0 || (unit.low_bit_weights == 1 && shape.weights <= kNvfp4),
          "the unit has no weights of this format");
  require(shape.repeats >= 1 && shape.repeats <= 256 && (shape.weights != 0 || shape.repeats == 1),
          "repeats are from 1 to 256, and of low-bit weights");
  require_count("tokens", shape.tokens);
  require_count("pass", shape.pass_tokens);
  require_count("in", shape.in_blocks);
  require_count("mid", shape.mid_rows);
  require_count("rows", shape.out_rows);
  const std::uint32_t burst_block = block_values(unit) / kValues;
  const std::uint32_t mid_blocks =
      shape.op == kLinear ? 0 : ceil_div(shape.mid_rows, block_values(unit));
  const std::uint32_t in_words = shape.in_blocks * burst_block;
  const std::uint32_t mid_words = mid_blocks * burst_block;
  descriptor_[kMode] =
      shape.op | shape.func << 4 | shape.up_plus_one << 7 | shape.bf16 << 8 | shape.weights << 12;
  const std::uint32_t down_blocks = shape.op == kLinear ? shape.in_blocks : mid_blocks;
  if (shape.weights != 0) {
    descriptor_[kMode] |= (shape.repeats - 1) << 16 | (shape.repeats - 1) << 24;
    descriptor_[kInWeights] = shape.in_blocks * shape.repeats;
    descriptor_[kMidWeights] = down_blocks * shape.repeats;
  }
  const std::uint32_t gu_bursts = row_bursts(shape.in_blocks, shape.repeats);
  const std::uint32_t down_bursts = row_bursts(down_blocks, shape.repeats);
  const std::uint32_t mid_groups = ceil_div(shape.mid_rows, unit.streams);
  const std::uint32_t out_groups = ceil_div(shape.out_rows, unit.streams);
  const std::uint32_t y_words = ceil_div(ceil_div(shape.out_rows, kValues), unit.streams);
  const std::uint32_t gap = 1;  // strides are not just the sizes
  const auto bursts = [gap](std::uint32_t rows, std::uint32_t words) {
    return std::uint64_t{rows} * (words + gap);
  };
  require(bursts(shape.tokens, ceil_div(in_words, unit.streams) + y_words) +
                  bursts(2 * mid_groups, gu_bursts) + bursts(out_groups, down_bursts) <
              kMostBursts,
          "the operands do not fit a gibibyte a stream");

  auto& d = descriptor_;
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
  d[kGuStride] = gu_bursts + gap;
  d[kGateBase] = place(mid_groups * d[kGuStride]);
  d[kUpBase] = place(mid_groups * d[kGuStride]);
  d[kDownStride] = down_bursts + gap;
  d[kDownBase] = place(out_groups * d[kDownStride]);
  const std::uint32_t read_end = end;
  d[kYStride] = y_words + gap;
  d[kYBase] = place(shape.tokens * d[kYStride]);
  const std::uint32_t hidden_word = shape.pass_tokens * in_words;
  d[kHWord] = hidden_word | shape.limit << 16;
  d[kCWord] = hidden_word + shape.pass_tokens * mid_words;

  std::mt19937_64 random(seed);
  for (auto& stream : memory_) {
    stream.resize(read_end);
    for (Burst& burst : stream) {
      for (auto& value : burst) value = random_value(contents, shape.bf16 != 0, random);
    }
  }
  if (shape.weights == kNvfp4) {
    for (const Word word : {kGateFactor, kUpFactor, kDownFactor}) d[word] = random_factor(random);
  }
  if (shape.weights == 0 || contents != Contents::kTame) return;
  if (shape.op != kLinear) {
    place_scales(d[kGateBase], d[kGuStride], mid_groups, d[kInWeights], random);
    place_scales(d[kUpBase], d[kGuStride], mid_groups, d[kInWeights], random);
  }
  place_scales(d[kDownBase], d[kDownStride], out_groups, d[kMidWeights], random);
}

/// Of a row of so many blocks of the input, or of the rows between the matrices.
std::uint32_t Case::row_bursts(std::uint32_t blocks, std::uint32_t repeats) const {
  const std::uint32_t format = descriptor_[kMode] >> 12 & 7;
  const auto bursts = static_cast<std::uint32_t>(block_values(unit_) / kValues);
  if (format == 0) return blocks * bursts;
  const std::uint32_t all = blocks * repeats;
  return all * (bursts / burst_lanes(format)) + ceil_div(all, scaled_blocks(format));
}

/// Scales of the size that real ones have in place of any bits.
void Case::place_scales(std::uint32_t base, std::uint32_t stride, std::uint32_t groups,
                        std::uint32_t blocks, std::mt19937_64& random) {
  const std::uint32_t format = descriptor_[kMode] >> 12 & 7;
  const std::uint32_t scaled = scaled_blocks(format);
  const std::uint32_t superblock = row_bursts(scaled, 1);
  for (auto& stream : memory_) {
    for (std::uint32_t g = 0; g < groups; ++g) {
      for (std::uint32_t b = 0; b < blocks; b += scaled) {
        Burst& burst = stream[base + g * stride + b / scaled * superblock];
        for (std::size_t i = 0; i < kValues; ++i) {
          const auto bits = static_cast<std::uint16_t>(random());
          if (format == kNvfp4) {  // 2^-3 to 2^0, any fraction and sign
            burst[i] = static_cast<std::uint16_t>((bits & 0x9F9F) | 0x2020);
          } else if (has_exponent_scales(format)) {
            burst[i] =
                static_cast<std::uint16_t>((120 + (bits & 7)) | (120 + (bits >> 8 & 7)) << 8);
          } else if (i % 2 == 1) {  // the upper half of a float of 2^-8 to 2^-1, any sign
            burst[i] = static_cast<std::uint16_t>((bits & 0x807F) | (119 + (bits >> 7 & 7)) << 7);
          }
        }
      }
    }
  }
}

Case::Case(const unit::NdpParameters& unit, std::span<const char> image)
    : unit_(unit), memory_(unit.streams) {
  FileBytes bytes(image);
  descriptor_ = bytes.value<unit::Descriptor>();
  for (auto& stream : memory_) stream = bytes.values<Burst>(bytes.word());
  check_descriptor();
}

/// Conditions for the value model to end and to stay within the contents.
void Case::check_descriptor() const {
  const auto& d = descriptor_;
  const std::uint32_t op = d[kMode] & 0xF;
  require(op < kOps && (d[kMode] >> 4 & 7) < kFunctions, "the descriptor's operation is none");
  require_count("the descriptor's tokens", d[kTokens]);
  require_count("the descriptor's tokens of a pass", d[kPassTokens]);
  require_count("the descriptor's input blocks", d[kInBlocks]);
  require_count("the descriptor's output rows", d[kOutRows]);
  const std::uint32_t burst_block = block_values(unit_) / kValues;
  const std::uint64_t in_words = std::uint64_t{d[kInBlocks]} * burst_block;
  const auto require_rows = [this](const char* name, std::uint32_t rows, std::uint32_t base,
                                   std::uint32_t stride, auto words_of_stream) {
    for (std::size_t s = 0; s < memory_.size(); ++s) {
      const std::uint64_t words = words_of_stream(s);
      require(words == 0 || base + std::uint64_t{rows - 1} * stride + words <= memory_[s].size(),
              std::string("the descriptor's ") + name + " lie outside of it");
    }
  };
  const std::uint32_t format = d[kMode] >> 12 & 7;
  require(format == 0 || (unit_.low_bit_weights == 1 && format <= kNvfp4),
          "the unit has no weights of the descriptor's format");
  const std::uint32_t gu_repeats = format == 0 ? 1 : (d[kMode] >> 16 & 0xFF) + 1;
  const std::uint32_t down_repeats = format == 0 ? 1 : (d[kMode] >> 24) + 1;
  const std::uint32_t gu_bursts = row_bursts(d[kInBlocks], gu_repeats);
  const auto groups = [this](std::uint32_t rows) { return ceil_div(rows, unit_.streams); };
  const auto all_of = [](std::uint64_t words) { return [words](std::size_t) { return words; }; };
  // An input row is spread over the streams, word after word.
  const auto share_of = [in_words, streams = unit_.streams](std::size_t s) {
    return (in_words + streams - 1 - s) / streams;
  };
  require_rows("inputs", d[kTokens], d[kXBase], d[kXStride], share_of);
  if (op == kLinear) {
    require_rows("weights", groups(d[kOutRows]), d[kDownBase], d[kDownStride],
                 all_of(row_bursts(d[kInBlocks], down_repeats)));
    return;
  }
  require_count("the descriptor's hidden rows", d[kMidRows]);
  require(d[kMidBlocks] == ceil_div(d[kMidRows], block_values(unit_)),
          "the descriptor's hidden blocks do not hold its hidden rows");
  require_rows("weights up", groups(d[kMidRows]), d[kUpBase], d[kGuStride], all_of(gu_bursts));
  if (op == kGated) {
    require_rows("weights of the gate", groups(d[kMidRows]), d[kGateBase], d[kGuStride],
                 all_of(in_words));
  }
  require_rows("weights down", groups(d[kOutRows]), d[kDownBase], d[kDownStride],
               all_of(row_bursts(d[kMidBlocks], down_repeats)));
}

const Burst& Case::burst(std::uint32_t stream, std::uint32_t address) const {
  return memory_.at(stream).at(address - base_);
}

void Case::move(std::uint32_t bursts) {
  base_ += bursts;
  for (const std::size_t word : {kXBase, kGateBase, kUpBase, kDownBase, kYBase}) {
    descriptor_[word] += bursts;
  }
}

/// A gated expert of one block and one row between the matrices, so that every field is read.
void Case::become_gated() {
  auto& d = descriptor_;
  const std::uint32_t block = block_values(unit_) / kValues;
  d[kMode] = (d[kMode] & ~0xFU) | kGated;
  for (const Word word : {kPassTokens, kInBlocks, kMidRows, kMidBlocks}) d[word] = 1;
  d[kHWord] = block;
  d[kCWord] = 2 * block;
  d[kInWeights] = (d[kMode] >> 16 & 0xFF) + 1;
  d[kMidWeights] = (d[kMode] >> 24) + 1;
}

void Case::break_field(std::uint32_t field) {
  /// A word of the descriptor, and its new value.
  struct Change {
    Word word;
    std::uint32_t value;
  };
  constexpr std::uint32_t kFar = 1U << 31U;
  constexpr std::uint32_t kFirstOfExperts = 7;
  constexpr std::uint32_t kFirstOfLowBit = 21;
  constexpr std::uint32_t kLimit = 23;
  auto& d = descriptor_;
  end_ = end();
  broken_ = field;
  if (field >= kFirstOfExperts) become_gated();
  if (field >= kFirstOfLowBit && field != kLimit && (d[kMode] >> 12 & 0xF) == 0)
    d[kMode] |= kMxfp4 << 12;
  // By the number of the field, less one.
  const std::array changes{
      Change{kMode, d[kMode] | kOps},
      Change{kMode, d[kMode] | 0xFU << 12U},
      Change{kTokens, 0},
      Change{kPassTokens, 0},
      Change{kInBlocks, 0},
      Change{kOutRows, 0},
      Change{kMidRows, 0},
      Change{kMode, d[kMode] | 1U << 9U},
      Change{kMidBlocks, 1U << 16U},
      Change{kXBase, kFar},
      Change{kXStride, kFar},
      Change{kGateBase, kFar},
      Change{kUpBase, kFar},
      Change{kGuStride, kFar},
      Change{kDownBase, kFar},
      Change{kDownStride, kFar},
      Change{kYBase, kFar},
      Change{kYStride, kFar},
      Change{kHWord, 0},
      Change{kCWord, 1U << 16U},
      Change{kInWeights, d[kInWeights] + 1},
      Change{kMidWeights, d[kMidWeights] + 1},
      Change{kHWord, d[kHWord] | kFar},
  };
  if (field == 0 || field > changes.size()) {
    throw std::runtime_error("no rule is of field " + std::to_string(field));
  }
  const Change& change = changes.at(field - 1);
  d[change.word] = change.value;
}

std::uint32_t Case::end() const {
  if (broken_ != 0) return end_;
  std::size_t end = descriptor_[kYBase] - base_ + descriptor_[kTokens] * descriptor_[kYStride];
  for (const auto& stream : memory_) end = std::max(end, stream.size());
  return base_ + static_cast<std::uint32_t>(end);
}

std::uint64_t Case::bursts_to_write() const {
  if (broken_ != 0) return 0;
  return std::uint64_t{descriptor_[kTokens]} * ceil_div(descriptor_[kOutRows], kValues);
}

std::uint64_t Case::bursts_to_read() const {
  if (broken_ != 0) return 0;
  const auto& d = descriptor_;
  const std::uint32_t op = d[kMode] & 0xF;
  const std::uint64_t words = block_values(unit_) / kValues;
  const std::uint64_t passes = ceil_div(d[kTokens], d[kPassTokens]);
  const std::uint64_t gu_row = row_bursts(d[kInBlocks], (d[kMode] >> 16 & 0xFF) + 1);
  const std::uint64_t gate_up =
      op == kLinear ? 0 : ceil_div(d[kMidRows], unit_.streams) * gu_row * (op == kGated ? 2U : 1U);
  const std::uint64_t down =
      std::uint64_t{ceil_div(d[kOutRows], unit_.streams)} *
      row_bursts(op == kLinear ? d[kInBlocks] : d[kMidBlocks], (d[kMode] >> 24) + 1);
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

/// `factor`: the word of the descriptor that has the factor of the matrix.
std::vector<std::uint16_t> Case::matrix_times(std::uint32_t base, std::uint32_t stride,
                                              std::uint32_t rows, std::size_t factor,
                                              const std::vector<std::uint16_t>& x) const {
  std::vector<std::uint16_t> y;
  const auto aligned = static_cast<int>(unit_.aligned_bits);
  if (const std::uint32_t format = descriptor_[kMode] >> 12 & 7; format != 0) {
    const std::uint32_t repeats =
        (descriptor_[kMode] >> (factor == kDownFactor ? 24 : 16) & 0xFF) + 1;
    const LowBitMatrix matrix{.format = format,
                              .x_format = (descriptor_[kMode] >> 8 & 1U) != 0 ? kBf16 : kFp16,
                              .aligned = aligned,
                              .repeats = repeats,
                              .factor = std::bit_cast<float>(descriptor_.at(factor))};
    const auto blocks = static_cast<std::uint32_t>(x.size() / block_values(unit_));
    for (std::uint32_t n = 0; n < rows; ++n) {
      const auto bytes =
          row_bytes(n, base + n / unit_.streams * stride, row_bursts(blocks, repeats));
      y.push_back(low_bit_row(matrix, bytes, std::size_t{blocks} * repeats, x));
    }
    return y;
  }
  std::vector<std::uint16_t> w(x.size());
  const bool bf16 = (descriptor_[kMode] >> 8 & 1U) != 0;
  for (std::uint32_t n = 0; n < rows; ++n) {
    const std::uint32_t first = base + n / unit_.streams * stride;
    for (std::uint32_t i = 0; i < x.size() / kValues; ++i) {
      const Burst& b = burst(n % unit_.streams, first + i);
      std::copy(b.begin(), b.end(), w.begin() + i * kValues);
    }
    y.push_back(row_dot(w, x, block_values(unit_), bf16 ? kBf16 : kFp16, aligned));
  }
  return y;
}

/// The bursts of a row, as bytes.
std::vector<std::uint8_t> Case::row_bytes(std::uint32_t row, std::uint32_t first,
                                          std::uint32_t bursts) const {
  std::vector<std::uint8_t> bytes;
  for (std::uint32_t i = 0; i < bursts; ++i) {
    for (const std::uint16_t value : burst(row % unit_.streams, first + i)) {
      bytes.push_back(static_cast<std::uint8_t>(value & 0xFF));
      bytes.push_back(static_cast<std::uint8_t>(value >> 8));
    }
  }
  return bytes;
}

Writes Case::expected() const {
  const auto& d = descriptor_;
  const std::uint32_t op = d[kMode] & 0xF;
  const ActMode mode{.func = static_cast<ActFunc>(d[kMode] >> 4 & 7),
                     .up_plus_one = (d[kMode] >> 7 & 1U) != 0,
                     .limit = static_cast<std::uint16_t>(d[kHWord] >> 16)};
  const bool bf16 = (d[kMode] >> 8 & 1U) != 0;
  Writes writes;
  if (broken_ != 0) return writes;
  for (std::uint32_t t = 0; t < d[kTokens]; ++t) {
    std::vector<std::uint16_t> x = input_row(t);
    if (op != kLinear) {
      const auto up = matrix_times(d[kUpBase], d[kGuStride], d[kMidRows], kUpFactor, x);
      const auto gate =
          op == kGated ? matrix_times(d[kGateBase], d[kGuStride], d[kMidRows], kGateFactor, x) : up;
      x.assign(std::size_t{d[kMidBlocks]} * block_values(unit_), 0);
      for (std::uint32_t n = 0; n < d[kMidRows]; ++n) {
        x[n] = hidden(mode, bf16, gate[n], up[n], op == kGated);
      }
    }
    const auto y = matrix_times(d[kDownBase], d[kDownStride], d[kOutRows], kDownFactor, x);
    for (std::uint32_t n = 0; n < y.size(); ++n) {
      const auto q = static_cast<std::uint32_t>(n / kValues);
      const std::uint32_t at = d[kYBase] + t * d[kYStride] + q / unit_.streams;
      writes[{q % unit_.streams, at}][n % kValues] = y[n];
    }
  }
  return writes;
}

}  // namespace neardata::bench
