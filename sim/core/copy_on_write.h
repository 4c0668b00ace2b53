// SPDX-License-Identifier: Apache-2.0
//
// A value that copies share until one of them writes: the writer then gets its own value. A shared
// value never changes, so copies may be used on different threads. Only the thread that uses the
// original may copy it. This is the only data that two sessions share: images of memories, tens of
// megabytes each, which would otherwise be generated for every point of a sweep.
#pragma once

#include <memory>
#include <utility>

namespace neardata::core {

template <typename T>
class CopyOnWrite {
 public:
  CopyOnWrite() = default;
  /// No other copy has `value`.
  explicit CopyOnWrite(std::shared_ptr<T> value) : value_(std::move(value)), own_(true) {}
  ~CopyOnWrite() = default;
  CopyOnWrite(const CopyOnWrite& other) : value_(other.share()) {}
  CopyOnWrite& operator=(const CopyOnWrite& other) {
    if (this == &other) return *this;
    value_ = other.share();
    own_ = false;
    return *this;
  }
  CopyOnWrite(CopyOnWrite&&) noexcept = default;
  CopyOnWrite& operator=(CopyOnWrite&&) noexcept = default;

  explicit operator bool() const { return value_ != nullptr; }
  const T& operator*() const { return *value_; }
  const T* operator->() const { return value_.get(); }
  [[nodiscard]] const T* get() const { return value_.get(); }

  /// The value to write to; null when it is shared, or none.
  [[nodiscard]] T* own() { return own_ ? value_.get() : nullptr; }
  /// The value to write to, copied when it is shared.
  [[nodiscard]] T& writable() {
    if (!own_) *this = CopyOnWrite(std::make_shared<T>(*value_));
    return *value_;
  }

 private:
  [[nodiscard]] std::shared_ptr<T> share() const {
    // Copies of a shared value may be made on any thread, so this function must not write then.
    if (own_) own_ = false;
    return value_;
  }

  std::shared_ptr<T> value_;
  mutable bool own_ = false;
};

}  // namespace neardata::core
