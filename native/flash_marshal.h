// SPDX-License-Identifier: Apache-2.0
//
// What the flash calls have in common: a device and page places from JavaScript, times back to it.
// Times are integer ticks in Float64Arrays; what never happens is NaN.
#pragma once

#include <napi.h>

#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "entry.h"
#include "flash/backend.h"
#include "flash/bit_errors.h"
#include "flash/block_pool.h"
#include "reader.h"

namespace neardata::native {

/// From {channels, dies, planes, commandFirst, times}; `times` = [bus per two bytes, sense,
/// program, erase, then read, program and erase commands for 1 .. planes planes].
struct FlashDevice {
  flash::Timing timing;
  flash::DeviceShape shape;
  flash::Arbitration arbitration = flash::Arbitration::kDataFirst;
};

[[nodiscard]] FlashDevice read_flash_device(const Reader& from);
/// {channels, dies, planes}.
[[nodiscard]] flash::DeviceShape read_flash_shape(const Reader& from);
/// {blocks, pagesPerBlock} of each plane of the device.
[[nodiscard]] flash::BlockShape read_flash_blocks(const Reader& from,
                                                  const flash::DeviceShape& shape);
/// {retryGain, codewordBytes, correctableBits, mostRetries, seed} and the rate by the name it has.
[[nodiscard]] flash::BitErrorModel read_bit_errors(const Reader& from, const char* raw_rate);

/// Requests of `where`, six numbers a page: channel, die, plane, block, page, bytes. The id of a
/// request is its place in the list. Refused are places outside the device, and requests that, each
/// done `attempts` times and `wait` ticks apart, might not end within the ticks there are.
[[nodiscard]] std::expected<std::vector<flash::RoutedRequest>, Refusal> flash_requests_of(
    std::span<const std::uint32_t> where, const FlashDevice& device, double attempts = 1,
    double wait = 0);

[[nodiscard]] Napi::Value ticks_to_js(Napi::Env env, const auto& items, auto&& get) {
  const NewArray<double> out(env, items.size());
  for (std::size_t i = 0; i < items.size(); ++i) {
    const flash::Tick value = get(items[i]);
    out.data[i] = value == flash::kNever ? std::numeric_limits<double>::quiet_NaN()
                                         : static_cast<double>(value.value);
  }
  return out.value;
}

/// Adds `busCommand` and `busData`, ticks by channel.
void set_bus_use(Napi::Object& out, const std::vector<flash::BusUse>& bus);

}  // namespace neardata::native
