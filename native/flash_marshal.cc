// SPDX-License-Identifier: Apache-2.0
#include "flash_marshal.h"

#include <optional>

#include "reader.h"

namespace neardata::native {

namespace {

constexpr std::size_t kPlaceFields = 6;

flash::Tick tick(double value) { return {static_cast<std::int64_t>(value)}; }

}  // namespace

std::expected<FlashDevice, Refusal> flash_device_of(const Napi::Object& spec) {
  std::optional<std::string> problem;
  const Reader reader(spec, "flash", problem);
  FlashDevice device;
  device.shape.channels = reader.whole32("channels");
  const std::uint32_t planes = reader.whole32("planes");
  device.shape.channel = {.dies = reader.whole32("dies"), .planes = planes};
  if (reader.flag("commandFirst")) device.arbitration = flash::Arbitration::kCommandFirst;
  if (problem) return misuse(*problem);
  const auto times = typed_array_of<double>(spec, "times", napi_float64_array);
  if (!times) return std::unexpected(times.error());
  if (device.shape.channels == 0 || device.shape.channel.dies == 0 || planes == 0 ||
      planes > flash::kMaxPlanes || times->ElementLength() != 4 + 3 * planes) {
    return misuse("a flash device has channels, dies, 1 to 16 planes and times for them");
  }
  const double* time = times->Data();
  device.timing.bus_per_two_bytes = tick(time[0]);
  device.timing.sense = tick(time[1]);
  device.timing.program = tick(time[2]);
  device.timing.erase = tick(time[3]);
  for (std::uint32_t p = 1; p <= planes; ++p) {
    device.timing.read_command[p] = tick(time[3 + p]);
    device.timing.program_command[p] = tick(time[3 + planes + p]);
    device.timing.erase_command[p] = tick(time[3 + 2 * planes + p]);
  }
  return device;
}

std::expected<std::vector<flash::RoutedRequest>, Refusal> flash_requests_of(
    const Napi::Object& spec, const flash::DeviceShape& shape) {
  const auto where = typed_array_of<std::uint32_t>(spec, "where", napi_uint32_array);
  if (!where) return std::unexpected(where.error());
  std::vector<flash::RoutedRequest> requests(where->ElementLength() / kPlaceFields);
  for (std::size_t i = 0; i < requests.size(); ++i) {
    const std::uint32_t* field = where->Data() + i * kPlaceFields;
    flash::RoutedRequest& request = requests[i];
    request.channel = field[0];
    request.page.id = flash::RequestId{static_cast<std::uint32_t>(i)};
    request.page.address = {
        .die = field[1], .plane = field[2], .block = field[3], .page = field[4]};
    request.page.bytes = field[5];
    if (field[0] >= shape.channels || field[1] >= shape.channel.dies ||
        field[2] >= shape.channel.planes) {
      return misuse("flash request " + std::to_string(i) + " lies outside the device");
    }
  }
  return requests;
}

void set_bus_use(Napi::Object& out, const std::vector<flash::BusUse>& bus) {
  const Napi::Env env = out.Env();
  out.Set("busCommand", ticks_to_js(env, bus, [](const flash::BusUse& b) { return b.commands; }));
  out.Set("busData", ticks_to_js(env, bus, [](const flash::BusUse& b) { return b.data; }));
}

}  // namespace neardata::native
