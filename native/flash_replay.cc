// SPDX-License-Identifier: Apache-2.0
#include "flash_replay.h"

#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "flash/chains.h"
#include "flash/replay.h"

namespace neardata::native {

namespace {

using flash::Arbitration;
using flash::Arrival;
using flash::Completion;
using flash::DeviceShape;
using flash::kMaxPlanes;
using flash::kNever;
using flash::Operation;
using flash::RoutedRequest;
using flash::Tick;
using flash::Timing;

constexpr std::size_t kPlaceFields = 6;

struct Device {
  Timing timing;
  DeviceShape shape;
  Arbitration arbitration = Arbitration::kDataFirst;
};

void fail(Napi::Env env, const std::string& message) {
  Napi::Error error = Napi::TypeError::New(env, message);
  error.Set("code", Napi::String::New(env, "misuse"));
  error.ThrowAsJavaScriptException();
}

std::uint32_t unsigned_of(const Napi::Object& spec, const char* name) {
  const Napi::Value value = spec.Get(name);
  return value.IsNumber() ? value.As<Napi::Number>().Uint32Value() : 0;
}

/// The typed array `name`, or nothing (with a JavaScript error pending) when it is another thing.
template <typename T>
std::optional<Napi::TypedArrayOf<T>> array_of(const Napi::Object& spec, const char* name,
                                              napi_typedarray_type type) {
  const Napi::Value value = spec.Get(name);
  if (value.IsTypedArray() && value.As<Napi::TypedArray>().TypedArrayType() == type) {
    return value.As<Napi::TypedArrayOf<T>>();
  }
  fail(spec.Env(), std::string(name) + " is not the typed array that the flash calls take");
  return std::nullopt;
}

Tick tick(double value) { return {static_cast<std::int64_t>(value)}; }

std::optional<Device> device_of(const Napi::Object& spec) {
  Device device;
  device.shape.channels = unsigned_of(spec, "channels");
  device.shape.channel = {.dies = unsigned_of(spec, "dies"), .planes = unsigned_of(spec, "planes")};
  const std::uint32_t planes = device.shape.channel.planes;
  const auto times = array_of<double>(spec, "times", napi_float64_array);
  if (!times) return std::nullopt;
  if (device.shape.channels == 0 || device.shape.channel.dies == 0 || planes == 0 ||
      planes > kMaxPlanes || times->ElementLength() != 4 + 3 * planes) {
    fail(spec.Env(), "the flash device needs channels, dies, 1 to 16 planes and times for them");
    return std::nullopt;
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
  if (spec.Get("commandFirst").ToBoolean()) device.arbitration = Arbitration::kCommandFirst;
  return device;
}

std::optional<std::vector<RoutedRequest>> places_of(const Napi::Object& spec,
                                                    const DeviceShape& shape) {
  const auto where = array_of<std::uint32_t>(spec, "where", napi_uint32_array);
  if (!where) return std::nullopt;
  std::vector<RoutedRequest> requests(where->ElementLength() / kPlaceFields);
  for (std::size_t i = 0; i < requests.size(); ++i) {
    const std::uint32_t* field = where->Data() + i * kPlaceFields;
    RoutedRequest& request = requests[i];
    request.channel = field[0];
    request.page.id = flash::RequestId{static_cast<std::uint32_t>(i)};
    request.page.address = {
        .die = field[1], .plane = field[2], .block = field[3], .page = field[4]};
    request.page.bytes = field[5];
    if (field[0] >= shape.channels || field[1] >= shape.channel.dies ||
        field[2] >= shape.channel.planes) {
      fail(spec.Env(), "flash request " + std::to_string(i) + " lies outside the device");
      return std::nullopt;
    }
  }
  return requests;
}

Napi::Float64Array ticks_to_js(Napi::Env env, const auto& items, auto&& get) {
  Napi::Float64Array out = Napi::Float64Array::New(env, items.size());
  for (std::size_t i = 0; i < items.size(); ++i) {
    const Tick value = get(items[i]);
    out[i] = value == kNever ? std::numeric_limits<double>::quiet_NaN()
                             : static_cast<double>(value.value);
  }
  return out;
}

Napi::Object pages_to_js(Napi::Env env, const std::vector<Completion>& pages,
                         const std::vector<flash::BusUse>& bus) {
  Napi::Object out = Napi::Object::New(env);
  out.Set("command", ticks_to_js(env, pages, [](const Completion& p) { return p.command; }));
  out.Set("dataOut", ticks_to_js(env, pages, [](const Completion& p) { return p.data_out; }));
  out.Set("done", ticks_to_js(env, pages, [](const Completion& p) { return p.done; }));
  Napi::Uint8Array planes = Napi::Uint8Array::New(env, pages.size());
  for (std::size_t i = 0; i < pages.size(); ++i) {
    planes[i] = static_cast<std::uint8_t>(pages[i].planes);
  }
  out.Set("planes", planes);
  out.Set("busCommand", ticks_to_js(env, bus, [](const flash::BusUse& b) { return b.commands; }));
  out.Set("busData", ticks_to_js(env, bus, [](const flash::BusUse& b) { return b.data; }));
  return out;
}

Napi::Value flash_replay(const Napi::CallbackInfo& info) {
  const Napi::Env env = info.Env();
  const Napi::Object spec = info[0].ToObject();
  const auto device = device_of(spec);
  if (!device) return env.Undefined();
  const auto places = places_of(spec, device->shape);
  const auto submit = array_of<double>(spec, "submit", napi_float64_array);
  const auto batch = array_of<std::uint32_t>(spec, "batch", napi_uint32_array);
  const auto operation = array_of<std::uint8_t>(spec, "operation", napi_uint8_array);
  if (!places || !submit || !batch || !operation) return env.Undefined();
  if (submit->ElementLength() != places->size() || batch->ElementLength() != places->size() ||
      operation->ElementLength() != places->size()) {
    fail(env, "submit, batch, operation and where describe different numbers of requests");
    return env.Undefined();
  }
  std::vector<Arrival> arrivals(places->size());
  for (std::size_t i = 0; i < arrivals.size(); ++i) {
    Arrival& arrival = arrivals[i];
    arrival.submit = tick(submit->Data()[i]);
    arrival.batch = batch->Data()[i];
    arrival.request = (*places)[i];
    arrival.request.page.operation = static_cast<Operation>(operation->Data()[i] % 3);
  }
  const flash::ReplayResult result =
      flash::replay(device->timing, device->shape, device->arbitration, arrivals);
  return pages_to_js(env, result.pages, result.bus_use);
}

Napi::Value flash_chains(const Napi::CallbackInfo& info) {
  const Napi::Env env = info.Env();
  const Napi::Object spec = info[0].ToObject();
  const auto device = device_of(spec);
  if (!device) return env.Undefined();
  const auto places = places_of(spec, device->shape);
  const auto first_step = array_of<std::uint32_t>(spec, "firstStep", napi_uint32_array);
  const auto first_page = array_of<std::uint32_t>(spec, "firstPage", napi_uint32_array);
  if (!places || !first_step || !first_page) return env.Undefined();
  const flash::ChainList chains{.first_step = {first_step->Data(), first_step->ElementLength()},
                                .first_page = {first_page->Data(), first_page->ElementLength()},
                                .pages = *places};
  const std::uint32_t in_flight = unsigned_of(spec, "inFlight");
  if (!flash::well_formed(chains) || in_flight == 0) {
    fail(env, "firstStep and firstPage do not cut the pages into chains, or nothing is in flight");
    return env.Undefined();
  }
  const flash::ChainResult result =
      flash::run_chains(device->timing, device->shape, device->arbitration, chains, in_flight);
  Napi::Object out = pages_to_js(env, result.pages, result.bus_use);
  out.Set("started", ticks_to_js(env, result.started, [](Tick t) { return t; }));
  out.Set("finished", ticks_to_js(env, result.finished, [](Tick t) { return t; }));
  return out;
}

}  // namespace

void register_flash(Napi::Env env, Napi::Object exports) {
  exports.Set("flashReplay", Napi::Function::New(env, flash_replay, "flashReplay"));
  exports.Set("flashChains", Napi::Function::New(env, flash_chains, "flashChains"));
}

}  // namespace neardata::native
