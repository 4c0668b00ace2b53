// SPDX-License-Identifier: Apache-2.0
//
// A head for the testbench of `sparf_kernel`: its parameters, its data, and its results. In a
// file it is 12 little-endian 32-bit words, HeadFields, and then 16-bit values: the queries, rows
// of keys, rows of values.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <span>
#include <stdexcept>
#include <vector>

#include "testbench/file_bytes.h"

namespace neardata::bench {

constexpr std::uint32_t kWidth = RTL_PARAMETER_Width;
constexpr std::uint32_t kHalvesPerLine = 32;
using Line = std::array<std::uint16_t, kHalvesPerLine>;

struct HeadFields {
  std::uint32_t dense, group, tokens, dims, take, window, mean, scale, reciprocal;
  std::uint32_t dim_tokens;  // in dimension order, the others in token order
  std::uint32_t block;       // tokens of a column job
  std::uint32_t page_rows;   // rows of a row job or value job, at most
};

class Head {
 public:
  /// The next head of a file. @throws std::runtime_error when it is none
  explicit Head(FileBytes& file) : fields(file.value<HeadFields>()) {
    if (fields.block == 0 || fields.page_rows == 0) throw std::runtime_error("jobs have no tokens");
    if (fields.dim_tokens > fields.tokens) throw std::runtime_error("tokens are no part of all");
    data_ = file.values<std::uint16_t>((fields.group + std::size_t{2} * fields.tokens) * kWidth);
  }

  /// A head of one query and random numbers around 1.
  static Head synthetic(std::uint32_t tokens, std::uint32_t dims, std::uint32_t take,
                        std::uint32_t window) {
    constexpr std::uint32_t kOneEighth = 0x3e000000;
    Head head;
    head.fields = {.dense = 0,
                   .group = 1,
                   .tokens = tokens,
                   .dims = dims,
                   .take = take,
                   .window = window,
                   .mean = 1,
                   .scale = kOneEighth,
                   .reciprocal = kOneEighth,
                   .dim_tokens = tokens,
                   .block = 1024,
                   .page_rows = 2};
    head.data_.resize((1 + std::size_t{2} * tokens) * kWidth);
    std::uint32_t state = 1;
    for (std::uint16_t& value : head.data_) {
      state = state * 1664525U + 1013904223U;
      value = static_cast<std::uint16_t>((state >> 16U & 0x83ffU) | 0x3400U);
    }
    return head;
  }

  [[nodiscard]] std::span<const std::uint16_t> query(std::uint32_t g) const { return row(g); }
  [[nodiscard]] std::span<const std::uint16_t> key(std::uint32_t t) const {
    return row(fields.group + t);
  }
  [[nodiscard]] std::span<const std::uint16_t> value(std::uint32_t t) const {
    return row(fields.group + fields.tokens + t);
  }

  /// Lines that enter with the head: queries, then the sums of the value columns.
  [[nodiscard]] std::vector<Line> lines() const {
    std::vector<Line> lines;
    for (std::uint32_t g = 0; g < fields.group; ++g) pack(query(g), lines);
    if (fields.dense != 0 || fields.mean == 0) return lines;
    std::vector<std::int64_t> sums(kWidth, 0);
    for (std::uint32_t t = 0; t < fields.tokens; ++t) {
      for (std::uint32_t c = 0; c < kWidth; ++c) sums[c] += fixed(value(t)[c]);
    }
    std::vector<std::uint16_t> words(std::size_t{kWidth} * 4);
    std::memcpy(words.data(), sums.data(), words.size() * 2);
    pack(words, lines);
    return lines;
  }

  [[nodiscard]] std::vector<std::uint32_t> results() const {
    std::vector<std::uint32_t> words = mask;
    words.push_back(static_cast<std::uint32_t>(chosen.size()));
    words.insert(words.end(), chosen.begin(), chosen.end());
    words.insert(words.end(), out.begin(), out.end());
    return words;
  }

  /// Appends whole lines, the last one filled up with zeros.
  static void pack(std::span<const std::uint16_t> halves, std::vector<Line>& lines) {
    for (std::size_t i = 0; i < halves.size(); ++i) {
      if (i % kHalvesPerLine == 0) lines.emplace_back();
      lines.back()[i % kHalvesPerLine] = halves[i];
    }
  }

  HeadFields fields{};
  std::vector<std::uint32_t> mask;
  std::vector<std::uint32_t> chosen;
  std::vector<std::uint32_t> out;

 private:
  Head() = default;

  [[nodiscard]] std::span<const std::uint16_t> row(std::uint32_t i) const {
    return std::span(data_).subspan(std::size_t{i} * kWidth, kWidth);
  }

  /// A finite FP16 in units of 2^-24.
  static std::int64_t fixed(std::uint16_t half) {
    const int field = half >> 10 & 31;
    const std::int64_t magnitude =
        field == 0 ? half & 1023 : std::int64_t{(half & 1023) | 1024} << (field - 1);
    return half >> 15 != 0 ? -magnitude : magnitude;
  }

  std::vector<std::uint16_t> data_;
};

}  // namespace neardata::bench
