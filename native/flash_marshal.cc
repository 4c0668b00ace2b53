// SPDX-License-Identifier: Apache-2.0
#include "flash_marshal.h"

#include <algorithm>
#include <cmath>

namespace neardata::native {

namespace {

constexpr std::size_t kPlaceFields = 6;

/// Ticks of an operation as a device has them.
flash::Tick tick(double value, double most, const Reader& from) {
  if (value >= 0 && value <= most && value == std::floor(value)) {
    return {static_cast<std::int64_t>(value)};
  }
  from.refuse("times has a time that is not a whole number of ticks from 0 to " +
              std::to_string(static_cast<std::int64_t>(most)));
  return {};
}

/// Ticks that a request may keep a device busy beside the transfer of its bytes.
double longest_operation(const flash::Timing& timing) {
  double most =
      static_cast<double>(std::max({timing.sense.value, timing.program.value, timing.erase.value}));
  for (std::size_t p = 0; p <= flash::kMaxPlanes; ++p) {
    most +=
        static_cast<double>(std::max({timing.read_command[p].value, timing.program_command[p].value,
                                      timing.erase_command[p].value}));
  }
  return most;
}

std::string name_of(std::size_t request) { return "flash request " + std::to_string(request); }

}  // namespace

flash::DeviceShape read_flash_shape(const Reader& from) {
  const flash::DeviceShape shape{.channels = from.whole32("channels", limits::kChannels),
                                 .channel = {.dies = from.whole32("dies", limits::kDies),
                                             .planes = from.whole32("planes", limits::kPlanes)}};
  if (std::uint64_t{shape.channels} * shape.channel.dies > limits::kMostDies) {
    from.refuse("channels times dies are more than " + std::to_string(limits::kMostDies));
  }
  return shape;
}

flash::BlockShape read_flash_blocks(const Reader& from, const flash::DeviceShape& shape) {
  const flash::BlockShape blocks{.blocks = from.whole32("blocks", limits::kBlocks),
                                 .pages = from.whole32("pagesPerBlock", limits::kBlockPages)};
  if (std::uint64_t{shape.channels} * shape.channel.dies * shape.channel.planes * blocks.blocks >
      limits::kMostBlocks) {
    from.refuse("blocks of all planes are more than " + std::to_string(limits::kMostBlocks));
  }
  return blocks;
}

flash::BitErrorModel read_bit_errors(const Reader& from, const char* raw_rate) {
  return {.raw_rate = from.real(raw_rate, limits::kBitErrors),
          .retry_gain = from.real("retryGain", limits::kRetryGain),
          .codeword_bytes = from.whole32("codewordBytes", limits::kCodewordBytes),
          .correctable_bits = from.whole32("correctableBits"),
          .most_retries = from.whole32("mostRetries", limits::kRetries),
          .seed = static_cast<std::uint64_t>(from.whole("seed", limits::kExact))};
}

FlashDevice read_flash_device(const Reader& from) {
  FlashDevice device;
  device.shape = read_flash_shape(from);
  if (from.flag("commandFirst")) device.arbitration = flash::Arbitration::kCommandFirst;
  const auto given = from.array<double>("times");
  const auto times = given.data();
  const std::uint32_t planes = device.shape.channel.planes;
  if (times.size() != 4 + 3 * std::size_t{planes}) {
    from.complain("times has not the four and three a plane that a device has");
    return device;
  }
  const auto operation = [&](std::size_t at) {
    return tick(times[at], limits::kLongestOperation, from);
  };
  device.timing.bus_per_two_bytes = tick(times[0], limits::kLongestTransfer, from);
  device.timing.sense = operation(1);
  device.timing.program = operation(2);
  device.timing.erase = operation(3);
  for (std::uint32_t p = 1; p <= planes; ++p) {
    device.timing.read_command[p] = operation(3 + p);
    device.timing.program_command[p] = operation(3 + planes + p);
    device.timing.erase_command[p] = operation(3 + 2 * planes + p);
  }
  return device;
}

std::expected<std::vector<flash::RoutedRequest>, Refusal> flash_requests_of(
    std::span<const std::uint32_t> where, const FlashDevice& device, double attempts, double wait) {
  if (where.size() % kPlaceFields != 0) return misuse("where has six numbers a request");
  const flash::DeviceShape& shape = device.shape;
  std::vector<flash::RoutedRequest> requests(where.size() / kPlaceFields);
  const double operation = longest_operation(device.timing) + wait;
  double last = 0;
  for (std::size_t i = 0; i < requests.size(); ++i) {
    const auto field = where.subspan(i * kPlaceFields, kPlaceFields);
    flash::RoutedRequest& request = requests[i];
    request.channel = field[0];
    request.page.id = flash::RequestId{static_cast<std::uint32_t>(i)};
    request.page.address = {
        .die = field[1], .plane = field[2], .block = field[3], .page = field[4]};
    request.page.bytes = field[5];
    if (field[0] >= shape.channels || field[1] >= shape.channel.dies ||
        field[2] >= shape.channel.planes) {
      return misuse(name_of(i) + " lies outside the device");
    }
    if (field[5] % 2 != 0 || field[5] > limits::kPageBytes.most) {
      return bad_input(name_of(i) + ": bytes are odd, or more than a page of " +
                       std::to_string(limits::kPageBytes.most));
    }
    last += attempts * (operation + static_cast<double>(device.timing.transfer(field[5]).value));
  }
  if (last > limits::kLastTick) {
    return bad_input("flash requests that take so long may not end within 2^61 ticks");
  }
  return requests;
}

void set_bus_use(Napi::Object& out, const std::vector<flash::BusUse>& bus) {
  const Napi::Env env = out.Env();
  out.Set("busCommand", ticks_to_js(env, bus, [](const flash::BusUse& b) { return b.commands; }));
  out.Set("busData", ticks_to_js(env, bus, [](const flash::BusUse& b) { return b.data; }));
}

}  // namespace neardata::native
