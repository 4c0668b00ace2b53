// SPDX-License-Identifier: Apache-2.0
//
// Converts typed arrays of JavaScript to spans, and spans to typed arrays. Arguments need their own
// memory: arrays that other threads may write are refused. Those made never end the process for
// want of memory, which the functions of Node do: std::bad_alloc is thrown.
#pragma once

#include <napi.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <type_traits>
#include <vector>

namespace neardata::native {

namespace typed_array {

template <typename T>
inline constexpr napi_typedarray_type kType = std::is_same_v<T, std::uint8_t>    ? napi_uint8_array
                                              : std::is_same_v<T, std::uint16_t> ? napi_uint16_array
                                              : std::is_same_v<T, std::uint32_t> ? napi_uint32_array
                                              : std::is_same_v<T, float> ? napi_float32_array
                                                                         : napi_float64_array;
template <typename T>
inline constexpr const char* kName = std::is_same_v<T, std::uint8_t>    ? "Uint8Array"
                                     : std::is_same_v<T, std::uint16_t> ? "Uint16Array"
                                     : std::is_same_v<T, std::uint32_t> ? "Uint32Array"
                                     : std::is_same_v<T, float>         ? "Float32Array"
                                                                        : "Float64Array";

/// The state of a typed array; nothing if `value` is not one with its own memory.
struct Info {
  napi_typedarray_type type = napi_uint8_array;
  std::size_t length = 0;
  void* data = nullptr;
};
[[nodiscard]] std::optional<Info> info_of(const Napi::Value& value);

/// The memory of an array of that length. Throws std::bad_alloc if it is none.
[[nodiscard]] void* data_of(const Napi::Value& value, std::size_t length);

/// A new array of zeros. Throws std::bad_alloc.
[[nodiscard]] Napi::Value make(Napi::Env env, napi_typedarray_type type, std::size_t length,
                               std::size_t item_bytes);

}  // namespace typed_array

/// A typed array that was given. Its memory is looked up anew each time, for it may have been
/// transferred or cut meanwhile: no code of JavaScript may run while the span is in use.
template <typename T>
class TypedArray {
 public:
  static constexpr const char* kName = typed_array::kName<T>;

  TypedArray() = default;
  [[nodiscard]] static std::optional<TypedArray> of(const Napi::Value& value) {
    const auto info = typed_array::info_of(value);
    if (!info || info->type != typed_array::kType<T>) return std::nullopt;
    return TypedArray(value);
  }

  [[nodiscard]] std::span<const T> data() const {
    if (value_.IsEmpty()) return {};
    const auto info = typed_array::info_of(value_);
    if (!info || info->data == nullptr) return {};
    return {static_cast<const T*>(info->data), info->length};
  }

 private:
  explicit TypedArray(const Napi::Value& value) : value_(value) {}

  Napi::Value value_;
};

/// A new typed array of `length` zeros, and its memory. Throws std::bad_alloc.
template <typename T>
struct NewArray {
  NewArray(Napi::Env env, std::size_t length)
      : value(typed_array::make(env, typed_array::kType<T>, length, sizeof(T))) {
    data = {static_cast<T*>(typed_array::data_of(value, length)), length};
  }

  Napi::Value value;
  std::span<T> data;
};

}  // namespace neardata::native
