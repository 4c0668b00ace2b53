// SPDX-License-Identifier: Apache-2.0
//
// The records of a driven unit's lanes (driven_lanes.h): the words of messages, their positions
// among the words of the plug-in, the cycles of the transfers, and counts of set output bits.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

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
  WordBuffer() = default;
  WordBuffer(WordBuffer&& other) noexcept { *this = std::move(other); }
  WordBuffer& operator=(WordBuffer&& other) noexcept {
    words_ = std::move(other.words_);
    size_ = std::exchange(other.size_, 0);
    capacity_ = std::exchange(other.capacity_, 0);
    return *this;
  }

  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] const std::uint32_t* data() const { return words_.get(); }
  [[nodiscard]] std::size_t capacity() const { return capacity_; }
  [[nodiscard]] std::span<const std::uint32_t> view() const { return {words_.get(), size_}; }

  void clear() { size_ = 0; }
  void assign(std::span<const std::uint32_t> words) {
    clear();
    std::ranges::copy(words, extend(words.size()));
  }
  /// Room for so many more words, which the caller writes.
  [[nodiscard]] std::uint32_t* extend(std::size_t count) {
    if (capacity_ - size_ < count) grow(count);
    std::uint32_t* const at = words_.get() + size_;
    size_ += count;
    return at;
  }
  void push(std::uint32_t word) { *extend(1) = word; }
  void drop(std::size_t count) { size_ -= count; }
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

/// The positions of the words of messages in an array of the plug-in, for adjacent lanes: the
/// distance of a word in two adjacent lanes is the size of the field's element.
class WordPlaces {
 public:
  WordPlaces() = default;
  /// Positions of the lane with bit `bit`; `behind` is the next lane, if there is one.
  WordPlaces(unsigned bit, std::span<const std::uint32_t> words,
             std::span<const std::uint32_t> behind) {
    for (std::size_t i = 0; i < words.size(); ++i) {
      const std::uint32_t stride = behind.empty() ? 0 : behind[i] - words[i];
      const std::uint32_t first = words[i] - bit * stride;
      const bool goes_on = !runs_.empty() && runs_.back().stride == stride &&
                           runs_.back().first + runs_.back().count == first;
      if (goes_on) {
        ++runs_.back().count;
      } else {
        runs_.push_back({first, stride, 1});
      }
    }
  }
  /// Position of the first word of a message.
  [[nodiscard]] std::uint32_t first(unsigned bit) const { return runs_.front().of(bit); }

  void scatter(unsigned bit, const std::uint32_t* message, std::uint32_t* array) const {
    for (const WordRange& run : runs_) {
      copy(message, run.count, array + run.of(bit));
      message += run.count;
    }
  }
  void gather(unsigned bit, const std::uint32_t* array, std::uint32_t* message) const {
    for (const WordRange& run : runs_) {
      copy(array + run.of(bit), run.count, message);
      message += run.count;
    }
  }

 private:
  /// Words one behind another.
  struct WordRange {
    std::uint32_t first;  ///< of bit 0, modulo 2^32 where that bit has no lane
    std::uint32_t stride;
    std::uint32_t count;
    [[nodiscard]] std::uint32_t of(unsigned bit) const { return first + bit * stride; }
  };
  static void copy(const std::uint32_t* from, std::size_t count, std::uint32_t* to) {
    // Most fields are a word or two: a call for each would cost more than they do.
    constexpr std::size_t kFew = 2;
    if (count > kFew) {
      std::copy_n(from, count, to);
      return;
    }
    to[0] = from[0];
    if (count == kFew) to[1] = from[1];
  }

  std::vector<WordRange> runs_;
};

/// Cycles in which messages of a lane moved. The upper bits of each word are the number of cycles
/// since the last one of the previous word (since cycle 0 at first). The lower `kLengthBits` are
/// the number of consecutive cycles that follow, none if a gap needs more than one word.
class CycleRuns {
 public:
  static constexpr unsigned kLengthBits = 8;

  void add(std::uint64_t cycle) {
    std::uint64_t gap = cycle - next_;
    next_ = cycle + 1;
    for (; gap > kMostGap; gap -= kMostGap) words_.push(kMostGap << kLengthBits);
    // Whether a message moved in the previous cycle is unpredictable, so the code has no branch on
    // it: the new word is always written, over the last one if that one continues.
    std::uint32_t* const word = words_.extend(1);
    const std::uint32_t last = words_.size() > 1 ? word[-1] : kLength;
    const bool goes_on = gap == 0 && (last & kLength) != kLength;
    word[goes_on ? -1 : 0] =
        goes_on ? last + 1 : (static_cast<std::uint32_t>(gap) << kLengthBits) | 1U;
    words_.drop(goes_on ? 1 : 0);
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

/// In how many cycles each bit of some words was set. Words are collected until there are many:
/// counting all bits of a word in parallel is faster than finding those that are set.
class BitCounts {
 public:
  static constexpr std::size_t kBits = 32;

  /// `places`: of the words in an array.
  explicit BitCounts(std::span<const std::uint32_t> places)
      : places_(places.begin(), places.end()),
        words_(places.size() * kMost),
        totals_(places.size() * kBits) {}

  /// Another cycle.
  void add(const std::uint32_t* array) {
    for (const std::uint32_t place : places_) words_[waiting_++] = array[place];
    if (waiting_ == words_.size()) [[unlikely]]
      add_up();
  }
  /// Totals of all bits of all words since the last call.
  [[nodiscard]] std::vector<double> take() {
    add_up();
    std::vector<double> totals(totals_.size());
    std::swap(totals, totals_);
    return totals;
  }

 private:
  static constexpr std::size_t kMost = 256;  ///< cycles

  [[gnu::noinline]] void add_up() {
    for (std::size_t place = 0; place < places_.size(); ++place) {
      std::array<std::uint32_t, kBits> counts{};
      for (std::size_t i = place; i < waiting_; i += places_.size()) {
        for (unsigned bit = 0; bit < kBits; ++bit) counts[bit] += words_[i] >> bit & 1U;
      }
      for (std::size_t bit = 0; bit < kBits; ++bit) totals_[place * kBits + bit] += counts[bit];
    }
    waiting_ = 0;
  }

  std::vector<std::uint32_t> places_;
  std::vector<std::uint32_t> words_;
  std::size_t waiting_ = 0;
  std::vector<double> totals_;
};

}  // namespace neardata::rtl
