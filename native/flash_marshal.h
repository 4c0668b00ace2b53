// SPDX-License-Identifier: Apache-2.0
//
// What the flash calls have in common: a device and page places from JavaScript, times back to it.
// Times are integer ticks in Float64Arrays; what never happens is NaN.
#pragma once

#include <napi.h>

#include <cstdint>
#include <expected>
#include <limits>
#include <string>
#include <vector>

#include "entry.h"
#include "flash/backend.h"

namespace neardata::native {

/// From {channels, dies, planes, commandFirst, times}; `times` = [bus per two bytes, sense,
/// program, erase, then read, program and erase commands for 1 .. planes planes].
struct FlashDevice {
  flash::Timing timing;
  flash::DeviceShape shape;
  flash::Arbitration arbitration = flash::Arbitration::kDataFirst;
};

template <typename T>
std::expected<Napi::TypedArrayOf<T>, Refusal> typed_array_of(const Napi::Object& spec,
                                                             const char* name,
                                                             napi_typedarray_type type) {
  const Napi::Value value = spec.Get(name);
  if (value.IsTypedArray() && value.As<Napi::TypedArray>().TypedArrayType() == type) {
    return value.As<Napi::TypedArrayOf<T>>();
  }
  return misuse(std::string(name) + " is not the typed array that the flash calls take");
}

std::expected<FlashDevice, Refusal> flash_device_of(const Napi::Object& spec);

/// Reads of `where`, six numbers a page: channel, die, plane, block, page, bytes. The id of a
/// request is its place in the list.
std::expected<std::vector<flash::RoutedRequest>, Refusal> flash_requests_of(
    const Napi::Object& spec, const flash::DeviceShape& shape);

Napi::Float64Array ticks_to_js(Napi::Env env, const auto& items, auto&& get) {
  Napi::Float64Array out = Napi::Float64Array::New(env, items.size());
  for (std::size_t i = 0; i < items.size(); ++i) {
    const flash::Tick value = get(items[i]);
    out[i] = value == flash::kNever ? std::numeric_limits<double>::quiet_NaN()
                                    : static_cast<double>(value.value);
  }
  return out;
}

/// Adds `busCommand` and `busData`, ticks by channel.
void set_bus_use(Napi::Object& out, const std::vector<flash::BusUse>& bus);

}  // namespace neardata::native
