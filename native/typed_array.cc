// SPDX-License-Identifier: Apache-2.0
#include "typed_array.h"

#include <limits>
#include <new>

namespace neardata::native::typed_array {

std::optional<Info> info_of(const Napi::Value& value) {
  if (!value.IsTypedArray()) return std::nullopt;
  Info info;
  napi_value buffer = nullptr;
  if (napi_get_typedarray_info(value.Env(), value, &info.type, &info.length, &info.data, &buffer,
                               nullptr) != napi_ok) {
    return std::nullopt;
  }
  // Shared memory is not an ArrayBuffer.
  bool own = false;
  if (napi_is_arraybuffer(value.Env(), buffer, &own) != napi_ok || !own) return std::nullopt;
  return info;
}

void* data_of(const Napi::Value& value, std::size_t length) {
  const auto info = info_of(value);
  if (!info || info->length != length) throw std::bad_alloc();
  return info->data;
}

/// Through the constructor of JavaScript, which throws where napi_create_arraybuffer aborts.
Napi::Value make(Napi::Env env, napi_typedarray_type type, std::size_t length,
                 std::size_t item_bytes) {
  if (length > std::numeric_limits<std::uint32_t>::max()) throw std::bad_alloc();
  const Napi::Value constructor = env.Global().Get("ArrayBuffer");
  const napi_value bytes = Napi::Number::New(env, static_cast<double>(length * item_bytes));
  napi_value buffer = nullptr;
  napi_value array = nullptr;
  if (napi_new_instance(env, constructor, 1, &bytes, &buffer) != napi_ok ||
      napi_create_typedarray(env, type, length, buffer, 0, &array) != napi_ok) {
    if (env.IsExceptionPending()) env.GetAndClearPendingException();
    throw std::bad_alloc();
  }
  return {env, array};
}

}  // namespace neardata::native::typed_array
