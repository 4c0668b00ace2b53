// SPDX-License-Identifier: Apache-2.0
//
// A first-in first-out queue in one array, which doubles when it is full. Elements are values
// without resources: a removed element keeps its value until another one overwrites it.
#pragma once

#include <cassert>
#include <cstddef>
#include <utility>
#include <vector>

namespace neardata::dram {

template <typename Value>
class Fifo {
 public:
  [[nodiscard]] bool empty() const { return size_ == 0; }
  [[nodiscard]] std::size_t size() const { return size_; }
  /// Counted from the first element.
  [[nodiscard]] Value& operator[](std::size_t i) { return values_[(first_ + i) & mask()]; }
  [[nodiscard]] const Value& operator[](std::size_t i) const {
    return values_[(first_ + i) & mask()];
  }
  [[nodiscard]] Value& front() { return (*this)[0]; }
  [[nodiscard]] const Value& front() const { return (*this)[0]; }

  /// Adds an element with the value of a removed one; the caller assigns it.
  [[nodiscard]] Value& append() {
    if (size_ == values_.size()) [[unlikely]]
      grow();
    ++size_;
    return (*this)[size_ - 1];
  }
  void push_back(const Value& value) { append() = value; }
  void pop_front() {
    assert(size_ > 0);
    first_ = (first_ + 1) & mask();
    --size_;
  }

 private:
  static constexpr std::size_t kLeast = 16;  ///< a power of two, as all sizes of the array

  [[nodiscard]] std::size_t mask() const { return values_.size() - 1; }
  void grow() {
    std::vector<Value> wider(values_.empty() ? kLeast : 2 * values_.size());
    for (std::size_t i = 0; i < size_; ++i) wider[i] = (*this)[i];
    values_ = std::move(wider);
    first_ = 0;
  }

  std::vector<Value> values_;
  std::size_t first_ = 0;
  std::size_t size_ = 0;
};

}  // namespace neardata::dram
