// SPDX-License-Identifier: Apache-2.0
//
// Prompts as JavaScript gives them: `heads` has 4 numbers a prompt (device, sequence, head,
// tokens), `ready` its femtoseconds, `rows` the keys and then the values of one after another.
#include <set>
#include <string>

#include "csd_config.h"
#include "reader.h"
#include "run_options.h"

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

std::expected<CsdRunSpec, Refusal> read_csd_prompts(Napi::Value value) {
  Problem problem;
  const Reader from(value, "prompts", problem);
  CsdRunSpec spec;
  spec.fields = from.array<std::uint32_t>("heads");
  spec.ready = from.array<double>("ready");
  spec.rows = from.array<std::uint16_t>("rows");
  spec.options.max_cycles = core::Cycle{from.whole("maxCycles", limits::kExact)};
  spec.options.threads = read_threads(from);
  if (problem) return std::unexpected(*problem);
  return spec;
}

std::expected<CsdRunRequest, Refusal> csd_prompts_of(const CsdRunSpec& spec,
                                                     system::CsdMachine& machine) {
  const auto& caches = machine.caches();
  const auto fields = spec.fields.data();
  const auto ready = spec.ready.data();
  const auto rows = spec.rows.data();
  if (fields.size() != kHeadFields * ready.size()) {
    return misuse("heads and ready describe different numbers of prompts");
  }
  CsdRunRequest request;
  request.options = spec.options;
  request.jobs.resize(caches.size());
  request.prompts.resize(caches.size());
  std::set<std::pair<std::uint32_t, system::KvHeadId>> taken;
  const auto latest = static_cast<double>(system::kEndOfTime.value);
  std::size_t row = 0;
  for (std::size_t p = 0; p < ready.size(); ++p) {
    const auto field = fields.subspan(p * kHeadFields, kHeadFields);
    const std::string name = "prompt " + std::to_string(p);
    const std::uint32_t device = field[0];
    if (device >= caches.size()) return misuse(name + ": there is no such device");
    const system::KvCache& cache = caches[device];
    const auto head = cache.head(field[1], field[2]);
    if (!head) return misuse(name + ": the device has no such sequence or head");
    if (const auto why = refuses(cache, *head, field[3])) return misuse(name + ": " + *why);
    if (!taken.emplace(device, *head).second) return misuse(name + ": its head has another");
    const std::size_t values = std::size_t{field[3]} * cache.config().width;
    if (2 * values > rows.size() - row) return misuse(name + ": its number of values is wrong");
    if (!(ready[p] >= 0 && ready[p] <= latest)) {
      return bad_input(name + ": ready is not from 0 to the end of time, " +
                       std::to_string(system::kEndOfTime.value) + " femtoseconds");
    }
    const auto keys = rows.subspan(row, values);
    const auto of_values = rows.subspan(row + values, values);
    row += 2 * values;
    request.places.push_back({device, request.prompts[device].size()});
    request.prompts[device].push_back({.head = *head,
                                       .ready = core::Fs{static_cast<std::int64_t>(ready[p])},
                                       .keys = {keys.begin(), keys.end()},
                                       .values = {of_values.begin(), of_values.end()}});
  }
  return request;
}

}  // namespace neardata::native
