// SPDX-License-Identifier: Apache-2.0
//
// Counters over time in a bounded number of bins. A run of unknown length starts with narrow bins;
// when it outgrows them, neighbours are merged and the width doubles. Sums are exact.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace neardata::core {

template <std::size_t Counters>
class BinnedSeries {
 public:
  using Bin = std::array<std::uint64_t, Counters>;

  /// `bins` is even and at least 2; widths have the unit of time of `add`.
  explicit BinnedSeries(std::size_t bins, std::int64_t first_width = 64)
      : bins_(bins), width_(first_width) {}

  /// The bin that contains time `at` (>= 0, any order), and the units left in it from there.
  struct Place {
    Bin& bin;
    std::int64_t left;
  };
  [[nodiscard]] Place place(std::int64_t at) {
    if (at < start_ || at >= start_ + width_) find(at);
    return {bins_[current_], start_ + width_ - at};
  }

  void add(std::size_t counter, std::int64_t at, std::uint64_t amount) {
    place(at).bin[counter] += amount;
  }

  /// Adds one for each unit of time in [at, at + count).
  void add_span(std::size_t counter, std::int64_t at, std::int64_t count) {
    while (count > 0) {
      const Place here = place(at);
      const std::int64_t part = count < here.left ? count : here.left;
      here.bin[counter] += static_cast<std::uint64_t>(part);
      at += part;
      count -= part;
    }
  }

  [[nodiscard]] std::int64_t width() const { return width_; }
  [[nodiscard]] const std::vector<Bin>& bins() const { return bins_; }
  /// Bins up to the last one with a value.
  [[nodiscard]] std::size_t used() const { return used_; }

 private:
  void find(std::int64_t at) {
    while (at >= width_ * static_cast<std::int64_t>(bins_.size())) merge();
    current_ = static_cast<std::size_t>(at / width_);
    start_ = static_cast<std::int64_t>(current_) * width_;
    if (current_ >= used_) used_ = current_ + 1;
  }

  void merge() {
    for (std::size_t i = 0; i < bins_.size(); ++i) {
      const Bin low = i * 2 < bins_.size() ? bins_[2 * i] : Bin{};
      const Bin high = i * 2 < bins_.size() ? bins_[2 * i + 1] : Bin{};
      for (std::size_t c = 0; c < Counters; ++c) bins_[i][c] = low[c] + high[c];
    }
    width_ *= 2;
    used_ = (used_ + 1) / 2;
  }

  std::vector<Bin> bins_;
  std::int64_t width_;
  std::size_t current_ = 0;
  std::int64_t start_ = 0;
  std::size_t used_ = 1;
};

}  // namespace neardata::core
