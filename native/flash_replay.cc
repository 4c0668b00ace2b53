// SPDX-License-Identifier: Apache-2.0
#include "flash_replay.h"

#include <cmath>
#include <span>
#include <string>
#include <vector>

#include "flash/chains.h"
#include "flash/replay.h"
#include "flash_marshal.h"

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
  const NewArray<std::uint8_t> planes(env, pages.size());
  for (std::size_t i = 0; i < pages.size(); ++i) {
    planes.data[i] = static_cast<std::uint8_t>(pages[i].planes);
  }
  out.Set("planes", planes.value);
  set_bus_use(out, bus);
  return out;
}

/// When, in which batch and for what each request arrives.
struct Arriving {
  std::span<const double> submit;
  std::span<const std::uint32_t> batch;
  std::span<const std::uint8_t> operation;
};

std::expected<std::vector<flash::Arrival>, Refusal> arrivals_of(
    const std::vector<flash::RoutedRequest>& requests, const Arriving& given) {
  const std::size_t count = requests.size();
  if (given.submit.size() != count || given.batch.size() != count ||
      given.operation.size() != count) {
    return misuse("submit, batch, operation and where describe different numbers of requests");
  }
  std::vector<flash::Arrival> arrivals(count);
  double last = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const std::string name = "flash request " + std::to_string(i);
    const double submit = given.submit[i];
    if (!(submit >= last && submit <= limits::kExactReal.most) || submit != std::floor(submit)) {
      return bad_input(name +
                       ": submit is no whole number of ticks from that of the request "
                       "before it to 2^53");
    }
    if (given.operation[i] >= flash::kOperations) {
      return bad_input(name + ": its operation is not 0 to 2");
    }
    last = submit;
    arrivals[i] = {.submit = Tick{static_cast<std::int64_t>(submit)},
                   .batch = given.batch[i],
                   .request = requests[i]};
    arrivals[i].request.page.operation = static_cast<flash::Operation>(given.operation[i]);
  }
  return arrivals;
}

Result flash_replay(const Napi::CallbackInfo& info) {
  Problem problem;
  const Reader from(info[0], "replay", problem);
  if (problem) return std::unexpected(*problem);
  const FlashDevice device = read_flash_device(from);
  const auto where = from.array<std::uint32_t>("where");
  const auto submit = from.array<double>("submit");
  const auto batch = from.array<std::uint32_t>("batch");
  const auto operation = from.array<std::uint8_t>("operation");
  if (problem) return std::unexpected(*problem);
  const auto requests = flash_requests_of(where.data(), device);
  if (!requests) return std::unexpected(requests.error());
  const auto arrivals = arrivals_of(*requests, {submit.data(), batch.data(), operation.data()});
  if (!arrivals) return std::unexpected(arrivals.error());
  const flash::ReplayResult result =
      flash::replay(device.timing, device.shape, device.arbitration, *arrivals);
  return pages_to_js(info.Env(), result.pages, result.bus_use);
}

Result flash_chains(const Napi::CallbackInfo& info) {
  const Napi::Env env = info.Env();
  Problem problem;
  const Reader from(info[0], "chains", problem);
  if (problem) return std::unexpected(*problem);
  const FlashDevice device = read_flash_device(from);
  const auto where = from.array<std::uint32_t>("where");
  const auto first_step = from.array<std::uint32_t>("firstStep");
  const auto first_page = from.array<std::uint32_t>("firstPage");
  const std::uint32_t in_flight = from.whole32("inFlight", limits::kInFlight);
  if (problem) return std::unexpected(*problem);
  const auto requests = flash_requests_of(where.data(), device);
  if (!requests) return std::unexpected(requests.error());
  const flash::ChainList chains{
      .first_step = first_step.data(), .first_page = first_page.data(), .pages = *requests};
  if (!flash::well_formed(chains)) {
    return misuse("firstStep and firstPage do not cut the pages into chains");
  }
  const flash::ChainResult result =
      flash::run_chains(device.timing, device.shape, device.arbitration, chains, in_flight);
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
