// SPDX-License-Identifier: Apache-2.0
//
// Prompts as JavaScript gives them: `heads` has 4 numbers a prompt (device, sequence, head,
// tokens), `ready` its femtoseconds, `rows` the keys and then the values of one after another.
#include <set>
#include <string>

#include "csd_config.h"
#include "flash_marshal.h"
#include "reader.h"

namespace neardata::native {

namespace {

constexpr std::size_t kHeadFields = 4;

/// Why a head takes no such prompt, if so.
std::optional<std::string> refuses(const system::KvCache& cache, system::KvHeadId head,
                                   std::uint32_t tokens) {
  if (cache.describe(head).tokens != 0) return "the head has tokens already";
  if (tokens > cache.config().max_tokens) {
    return "the engine takes " + std::to_string(cache.config().max_tokens) + " tokens of a head";
  }
  return std::nullopt;
}

}  // namespace

std::expected<CsdRunRequest, Refusal> read_csd_prompts(Napi::Value value,
                                                       std::vector<system::CsdDevice>& devices) {
  std::optional<std::string> problem;
  const Reader from(value, "prompts", problem);
  if (problem) return misuse(*problem);
  const Napi::Object object = value.As<Napi::Object>();
  const auto fields = typed_array_of<std::uint32_t>(object, "heads", napi_uint32_array);
  if (!fields) return std::unexpected(fields.error());
  const auto ready = typed_array_of<double>(object, "ready", napi_float64_array);
  if (!ready) return std::unexpected(ready.error());
  const auto rows = typed_array_of<std::uint16_t>(object, "rows", napi_uint16_array);
  if (!rows) return std::unexpected(rows.error());
  if (fields->ElementLength() != kHeadFields * ready->ElementLength()) {
    return misuse("heads and ready describe different numbers of prompts");
  }

  CsdRunRequest request;
  request.jobs.resize(devices.size());
  request.prompts.resize(devices.size());
  std::set<std::pair<std::uint32_t, system::KvHeadId>> taken;
  const auto latest = static_cast<double>(system::kEndOfTime.value);
  std::size_t row = 0;
  for (std::size_t p = 0; p < ready->ElementLength(); ++p) {
    const std::uint32_t* field = fields->Data() + p * kHeadFields;
    const std::string name = "prompt " + std::to_string(p);
    const std::uint32_t device = field[0];
    if (device >= devices.size()) return misuse(name + ": there is no such device");
    const system::KvCache& cache = devices[device].cache();
    const auto head = cache.head(field[1], field[2]);
    if (!head) return misuse(name + ": the device has no such sequence or head");
    if (const auto why = refuses(cache, *head, field[3])) return misuse(name + ": " + *why);
    if (!taken.emplace(device, *head).second) return misuse(name + ": its head has another");
    const std::size_t values = std::size_t{field[3]} * cache.config().width;
    if (2 * values > rows->ElementLength() - row ||
        !(ready->Data()[p] >= 0 && ready->Data()[p] <= latest)) {
      return misuse(name + ": its number of values or its time is wrong");
    }
    const std::uint16_t* keys = rows->Data() + row;
    row += 2 * values;
    request.places.push_back({device, request.prompts[device].size()});
    request.prompts[device].push_back(
        {.head = *head,
         .ready = core::Fs{static_cast<std::int64_t>(ready->Data()[p])},
         .keys = {keys, keys + values},
         .values = {keys + values, keys + 2 * values}});
  }
  request.options.max_cycles = core::Cycle{from.whole("maxCycles")};
  if (problem) return misuse(*problem);
  return request;
}

}  // namespace neardata::native
