// SPDX-License-Identifier: Apache-2.0
#include "flash_replay.h"

#include <vector>

#include "flash/chains.h"
#include "flash/replay.h"
#include "flash_marshal.h"
#include "reader.h"

namespace neardata::native {

namespace {

using flash::Completion;
using flash::Tick;

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
  set_bus_use(out, bus);
  return out;
}

Result flash_replay(const Napi::CallbackInfo& info) {
  const Napi::Object spec = info[0].ToObject();
  const auto device = flash_device_of(spec);
  if (!device) return std::unexpected(device.error());
  const auto requests = flash_requests_of(spec, device->shape);
  if (!requests) return std::unexpected(requests.error());
  const auto submit = typed_array_of<double>(spec, "submit", napi_float64_array);
  if (!submit) return std::unexpected(submit.error());
  const auto batch = typed_array_of<std::uint32_t>(spec, "batch", napi_uint32_array);
  if (!batch) return std::unexpected(batch.error());
  const auto operation = typed_array_of<std::uint8_t>(spec, "operation", napi_uint8_array);
  if (!operation) return std::unexpected(operation.error());
  const std::size_t count = requests->size();
  if (submit->ElementLength() != count || batch->ElementLength() != count ||
      operation->ElementLength() != count) {
    return misuse("submit, batch, operation and where describe different numbers of requests");
  }
  std::vector<flash::Arrival> arrivals(count);
  for (std::size_t i = 0; i < count; ++i) {
    flash::Arrival& arrival = arrivals[i];
    arrival.submit = Tick{static_cast<std::int64_t>(submit->Data()[i])};
    arrival.batch = batch->Data()[i];
    arrival.request = (*requests)[i];
    arrival.request.page.operation =
        static_cast<flash::Operation>(operation->Data()[i] % flash::kOperations);
  }
  const flash::ReplayResult result =
      flash::replay(device->timing, device->shape, device->arbitration, arrivals);
  return pages_to_js(info.Env(), result.pages, result.bus_use);
}

Result flash_chains(const Napi::CallbackInfo& info) {
  const Napi::Env env = info.Env();
  const Napi::Object spec = info[0].ToObject();
  const auto device = flash_device_of(spec);
  if (!device) return std::unexpected(device.error());
  const auto requests = flash_requests_of(spec, device->shape);
  if (!requests) return std::unexpected(requests.error());
  const auto first_step = typed_array_of<std::uint32_t>(spec, "firstStep", napi_uint32_array);
  if (!first_step) return std::unexpected(first_step.error());
  const auto first_page = typed_array_of<std::uint32_t>(spec, "firstPage", napi_uint32_array);
  if (!first_page) return std::unexpected(first_page.error());
  std::optional<std::string> problem;
  const std::uint32_t in_flight = Reader(spec, "chains", problem).whole32("inFlight");
  if (problem) return misuse(*problem);
  const flash::ChainList chains{.first_step = {first_step->Data(), first_step->ElementLength()},
                                .first_page = {first_page->Data(), first_page->ElementLength()},
                                .pages = *requests};
  if (!flash::well_formed(chains) || in_flight == 0) {
    return misuse("firstStep and firstPage do not cut the pages into chains, or none may run");
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
  export_function<flash_replay>(env, exports, "flashReplay");
  export_function<flash_chains>(env, exports, "flashChains");
  register_flash_reads(env, exports);
  register_flash_kv(env, exports);
}

}  // namespace neardata::native
