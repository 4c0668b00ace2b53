// SPDX-License-Identifier: Apache-2.0
#include "api/flash/flash_records.h"

#include <algorithm>
#include <cmath>
#include <string>

namespace neardata::api {

namespace {

/// The most ticks for which a request may occupy a device beside the transfer of its bytes; a read
/// may suspend a program.
double longest_operation(const flash::Timing& timing) {
  const flash::NandFeatures& features = timing.features;
  double most =
      static_cast<double>(std::max({timing.sense.value, timing.program.value, timing.erase.value}));
  for (const flash::Tick more : {features.cache_transfer, features.suspend_command,
                                 features.suspend, features.suspend_command}) {
    most += static_cast<double>(more.value);
  }
  for (std::size_t p = 0; p <= flash::kMaxPlanes; ++p) {
    most +=
        static_cast<double>(std::max({timing.read_command[p].value, timing.program_command[p].value,
                                      timing.erase_command[p].value}));
  }
  return most;
}

}  // namespace

core::Answer<void> set_times(FlashDevice& device, const std::vector<double>& times) {
  const std::uint32_t planes = device.shape.channel.planes;
  if (times.size() != 4 + 3 * std::size_t{planes}) {
    return core::misuse("has not the four and three a plane that a device has");
  }
  std::vector<flash::Tick> ticks;
  for (const double time : times) {
    const double most = ticks.empty() ? limits::kLongestTransfer : limits::kLongestOperation;
    if (!(time >= 0 && time <= most && time == std::floor(time))) {
      return core::bad_input("has a time that is not a whole number of ticks from 0 to " +
                             std::to_string(static_cast<std::int64_t>(most)));
    }
    ticks.push_back({static_cast<std::int64_t>(time)});
  }
  device.timing.bus_per_two_bytes = ticks[0];
  device.timing.sense = ticks[1];
  device.timing.program = ticks[2];
  device.timing.erase = ticks[3];
  for (std::uint32_t p = 1; p <= planes; ++p) {
    device.timing.read_command[p] = ticks[3 + p];
    device.timing.program_command[p] = ticks[3 + planes + p];
    device.timing.erase_command[p] = ticks[3 + 2 * planes + p];
  }
  return {};
}

core::Answer<void> finish_record(const FlashDevice& device) {
  if (std::uint64_t{device.shape.channels} * device.shape.channel.dies <= limits::kMostDies) {
    return {};
  }
  return core::bad_input("channels times dies are more than " + std::to_string(limits::kMostDies));
}

core::Answer<void> check_package(const std::optional<flash::PackageBudget>& package) {
  if (!package) return {};
  if (std::ranges::all_of(package->draws, [&](auto draws) { return draws <= package->most; })) {
    return {};
  }
  return core::bad_input("a package supplies less current than one of its dies draws");
}

core::Answer<void> check_blocks(const FlashDevice& device, const flash::BlockShape& blocks) {
  const flash::DeviceShape& shape = device.shape;
  if (std::uint64_t{shape.channels} * shape.channel.dies * shape.channel.planes * blocks.blocks <=
      limits::kMostBlocks) {
    return {};
  }
  return core::bad_input("blocks of all planes are more than " +
                         std::to_string(limits::kMostBlocks));
}

core::Answer<std::vector<flash::RoutedRequest>> requests_of(core::Rows<FlashPage> where,
                                                            const FlashDevice& device,
                                                            double attempts, double wait) {
  const flash::DeviceShape& shape = device.shape;
  std::vector<flash::RoutedRequest> requests(where.size());
  const double operation = longest_operation(device.timing) + wait;
  double last = 0;
  for (std::size_t i = 0; i < requests.size(); ++i) {
    const FlashPage given = where[i];
    const std::string name = "flash request " + std::to_string(i);
    if (given.channel >= shape.channels || given.die >= shape.channel.dies ||
        given.plane >= shape.channel.planes) {
      return core::misuse(name + " lies outside the device");
    }
    if (given.bytes % 2 != 0 || given.bytes > limits::kPageBytes.most) {
      return core::bad_input(name + ": bytes are odd, or more than a page of " +
                             std::to_string(limits::kPageBytes.most));
    }
    flash::RoutedRequest& request = requests[i];
    request.channel = given.channel;
    request.page.id = flash::RequestId{static_cast<std::uint32_t>(i)};
    request.page.address = {given.die, given.plane, given.block, given.page};
    request.page.bytes = given.bytes;
    last += attempts * (operation + static_cast<double>(device.timing.transfer(given.bytes).value));
  }
  if (last > limits::kLastTick) {
    return core::bad_input("flash requests that take so long may not end within 2^61 ticks");
  }
  return requests;
}

}  // namespace neardata::api
