// SPDX-License-Identifier: Apache-2.0
//
// The records of a driven unit's lanes (driven_lanes.h): the words of messages, the cycles of the
// transfers, and counts of set output bits.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>

namespace neardata::rtl {

/// Prefetches memory. A unit runs for microseconds between two messages of a lane, after which the
/// hardware prefetcher has lost the sequential pattern.
inline void need_soon(const std::uint32_t* words, std::size_t count) {
  constexpr std::size_t kLineWords = 64 / sizeof *words;
  for (std::size_t at = 0; at < count; at += kLineWords) __builtin_prefetch(words + at);
}

/// Consecutive words. It retains its memory when it is emptied, because the next content often has
/// the same size.
class WordBuffer {
 public:
  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] std::size_t capacity() const { return capacity_; }
  [[nodiscard]] const std::uint32_t* data() const { return words_.get(); }
  [[nodiscard]] std::span<const std::uint32_t> view() const { return {words_.get(), size_}; }

  void clear() { size_ = 0; }
  /// Room for so many more words, which the caller writes.
  [[nodiscard]] std::uint32_t* extend(std::size_t count) {
    if (capacity_ - size_ < count) grow(count);
    std::uint32_t* const at = words_.get() + size_;
    size_ += count;
    return at;
  }
  void push(std::uint32_t word) { *extend(1) = word; }
  [[nodiscard]] std::uint32_t& back() { return words_[size_ - 1]; }
  /// Same as `extend`, for one of many messages of equal size: prefetches the memory of the next
  /// one.
  [[nodiscard]] std::uint32_t* next(std::size_t count) {
    std::uint32_t* const at = extend(count);
    // Also for an address beyond the end: a prefetch does not access it.
    need_soon(at + count, count);
    return at;
  }

 private:
  void grow(std::size_t count) {
    constexpr std::size_t kLeast = 64;
    capacity_ = std::max({kLeast, 2 * capacity_, size_ + count});
    auto larger = std::make_unique_for_overwrite<std::uint32_t[]>(capacity_);
    std::ranges::copy(view(), larger.get());
    words_ = std::move(larger);
  }

  std::unique_ptr<std::uint32_t[]> words_;
  std::size_t size_ = 0;
  std::size_t capacity_ = 0;
};

/// Cycles in which messages of a lane moved. The upper bits of each word are the number of cycles
/// since the last one of the previous word (since cycle 0 at first). The lower `kLengthBits` are
/// the number of consecutive cycles that follow, none if a gap needs more than one word.
class CycleRuns {
 public:
  static constexpr unsigned kLengthBits = 8;
  static constexpr int kBitCycles = 64;  ///< of `add_bits`

  /// Consecutive cycles.
  void add(std::uint64_t cycle, std::uint32_t length) {
    std::uint64_t gap = cycle - next_;
    next_ = cycle + length;
    if (gap == 0 && words_.size() != 0) {
      const std::uint32_t more = std::min(length, kLength - (words_.back() & kLength));
      words_.back() += more;
      length -= more;
    }
    for (; gap > kMostGap; gap -= kMostGap) words_.push(kMostGap << kLengthBits);
    for (; length != 0; gap = 0) {
      const std::uint32_t next = std::min(length, kLength);
      words_.push((static_cast<std::uint32_t>(gap) << kLengthBits) | next);
      length -= next;
    }
  }
  /// The cycles of the bits that are set, of which bit 0 is `first`.
  void add_bits(std::uint64_t first, std::uint64_t bits) {
    while (bits != 0) {
      const int gap = std::countr_zero(bits);
      const int length = std::countr_one(bits >> gap);
      add(first + static_cast<unsigned>(gap), static_cast<std::uint32_t>(length));
      if (gap + length == kBitCycles) return;
      bits &= ~std::uint64_t{0} << (gap + length);
    }
  }
  [[nodiscard]] std::span<const std::uint32_t> words() const { return words_.view(); }
  /// Another run begins.
  void begin() { words_.clear(); }
  /// Cycle 0 is the next one.
  void reset() {
    begin();
    next_ = 0;
  }

 private:
  static constexpr std::uint32_t kLength = (1U << kLengthBits) - 1;
  static constexpr std::uint32_t kMostGap = 0xFFFFFFFF >> kLengthBits;

  WordBuffer words_;
  std::uint64_t next_ = 0;
};

/// In how many cycles each bit of the words of an output was set. Words are collected until there
/// are many: counting a bit of all of them in parallel is faster than finding those that are set.
template <std::size_t Bits>
class BitCounts {
 public:
  /// Another cycle.
  void add(const std::uint32_t* words) {
    for (std::size_t i = 0; i < kWords; ++i) words_[i][waiting_] = words[i];
    if (++waiting_ == kMost) [[unlikely]]
      add_up();
  }
  /// Another run begins.
  void begin() {
    waiting_ = 0;
    totals_.fill(0);
  }
  /// Totals of all bits in this run.
  [[nodiscard]] std::span<const double> totals() {
    add_up();
    return totals_;
  }

 private:
  static constexpr std::size_t kBitsOfWord = 32;
  static constexpr std::size_t kWords = (Bits + kBitsOfWord - 1) / kBitsOfWord;
  static constexpr std::size_t kMost = 256;  ///< cycles

  [[gnu::noinline]] void add_up() {
    for (std::size_t bit = 0; bit < Bits; ++bit) {
      std::uint32_t count = 0;
      const auto& words = words_[bit / kBitsOfWord];
      for (std::size_t i = 0; i < waiting_; ++i) count += words[i] >> bit % kBitsOfWord & 1U;
      totals_[bit] += count;
    }
    waiting_ = 0;
  }

  std::array<std::array<std::uint32_t, kMost>, kWords> words_;
  std::size_t waiting_ = 0;
  std::array<double, Bits> totals_{};
};

}  // namespace neardata::rtl
