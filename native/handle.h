// SPDX-License-Identifier: Apache-2.0
//
// Handles: opaque objects of C++ that JavaScript stores. Each handle has a type tag, which rejects
// external objects of another kind.
#pragma once

#include <napi.h>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "input_value.h"

namespace neardata::native {

constexpr napi_type_tag tag_of(std::string_view name) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const char letter : name) {
    hash = (hash ^ static_cast<unsigned char>(letter)) * 0x100000001b3;
  }
  return {0x6e65617264617461, hash};
}

/// A handle that owns `value`, and is of the kind `name`.
template <typename T>
[[nodiscard]] Napi::Value make_handle(Napi::Env env, T value, std::string_view name) {
  auto owned = std::make_unique<T>(std::move(value));
  const napi_type_tag tag = tag_of(name);
  auto handle = Napi::External<T>::New(
      env, owned.release(), [](Napi::Env, T* held) { std::unique_ptr<T>{held}.reset(); });
  handle.TypeTag(&tag);
  return handle;
}

/// The object that a handle of this kind owns; null for other values.
template <typename T>
[[nodiscard]] T* held_by(const Napi::Value& value, std::string_view name) {
  const napi_type_tag tag = tag_of(name);
  if (!value.IsExternal() || !value.As<Napi::External<T>>().CheckTypeTag(&tag)) return nullptr;
  return value.As<Napi::External<T>>().Data();
}

template <typename T>
inline constexpr const char* kHandleName = handle_name(static_cast<const T*>(nullptr));

template <typename T>
void read_handle(const InputValue& from, core::Handle<T>& out) {
  const auto* held =
      from.value() ? held_by<core::Handle<T>>(*from.value(), kHandleName<T>) : nullptr;
  if (held == nullptr) {
    from.complain("is not a handle of a session");
  } else {
    out = *held;
  }
}

}  // namespace neardata::native
