// SPDX-License-Identifier: Apache-2.0
//
// Writes structs as JavaScript objects, by their layouts (core/record.h). Lists of numbers and of
// rows are typed arrays owned by JavaScript. The time kNever becomes the number of its type for it.
// No run returns a count outside of +-2^53.
#pragma once

#include <napi.h>

#include <algorithm>
#include <ranges>
#include <string_view>
#include <type_traits>

#include "core/record.h"
#include "handle.h"
#include "reader.h"
#include "typed_array.h"

namespace neardata::native {

/// A number as JavaScript has it.
template <typename T>
[[nodiscard]] double number(const T& value) {
  if constexpr (requires { record_number(value); }) {
    return record_number(value);
  } else if constexpr (Quantity<T>) {
    return number(value.value);
  } else if constexpr (core::Named<T>) {
    using core::number_of;
    return static_cast<double>(number_of(value));
  } else {
    return static_cast<double>(value);
  }
}

/// The element type of a typed array for a list of such items: the same type if JavaScript has such
/// an array, else double.
template <typename T>
using ItemOf = std::conditional_t<
    std::is_same_v<T, std::byte>, std::uint8_t,
    std::conditional_t<std::is_same_v<T, std::uint8_t> || std::is_same_v<T, std::uint16_t> ||
                           std::is_same_v<T, std::uint32_t>,
                       T, double>>;
template <typename T>
concept Flat = Item<T> || std::is_same_v<T, std::byte> || Quantity<T>;

template <typename T>
[[nodiscard]] Napi::Value to_js(Napi::Env env, const T& value);

template <core::Row T>
[[nodiscard]] Napi::Value rows_to_js(Napi::Env env, const auto& rows) {
  const NewArray<double> out(env, core::kFields<T> * std::ranges::size(rows));
  auto at = out.data.begin();
  for (const T& row : rows) {
    core::for_fields<T>([&](const auto& field) { *at++ = number(std::invoke(field.access, row)); });
  }
  return out.value;
}

template <typename T>
[[nodiscard]] Napi::Value list_to_js(Napi::Env env, const auto& list) {
  if constexpr (core::Row<T>) {
    return rows_to_js<T>(env, list);
  } else if constexpr (std::is_same_v<T, std::byte>) {
    const NewArray<std::uint8_t> out(env, std::ranges::size(list));
    std::ranges::copy(list, std::as_writable_bytes(out.data).begin());
    return out.value;
  } else if constexpr (Flat<T>) {
    const NewArray<ItemOf<T>> out(env, std::ranges::size(list));
    if constexpr (std::is_same_v<ItemOf<T>, T>) {
      std::ranges::copy(list, out.data.begin());
    } else {
      std::ranges::transform(list, out.data.begin(), [](const T& item) { return number(item); });
    }
    return out.value;
  } else {
    const auto out = Napi::Array::New(env, std::ranges::size(list));
    std::uint32_t i = 0;
    for (const T& item : list) out.Set(i++, to_js(env, item));
    return out;
  }
}

template <core::Described T>
[[nodiscard]] Napi::Value record_to_js(Napi::Env env, const T& value) {
  const Napi::Object out = Napi::Object::New(env);
  core::for_fields<T>([&](const auto& field) {
    const Napi::Value item = to_js(env, std::invoke(field.access, value));
    if (!item.IsUndefined()) napi_set_named_property(env, out, field.name, item);
  });
  return out;
}

template <typename T>
Napi::Value to_js(Napi::Env env, const T& value) {
  if constexpr (kIsOptional<T>) {
    return value ? to_js(env, *value) : env.Undefined();
  } else if constexpr (kIsHandle<T>) {
    using Item = std::remove_const_t<typename T::element_type>;
    return make_handle(env, value, kHandleName<Item>);
  } else if constexpr (core::Described<T>) {
    return record_to_js(env, value);
  } else if constexpr (core::Named<T>) {
    return Napi::String::New(env, core::name_of(value).data());
  } else if constexpr (std::is_same_v<T, bool>) {
    return Napi::Boolean::New(env, value);
  } else if constexpr (std::is_convertible_v<T, std::string_view>) {
    const std::string_view text = value;
    return Napi::String::New(env, text.data(), text.size());
  } else if constexpr (std::ranges::sized_range<T>) {
    return list_to_js<std::ranges::range_value_t<T>>(env, value);
  } else {
    return Napi::Number::New(env, number(value));
  }
}

}  // namespace neardata::native
