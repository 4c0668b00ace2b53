// SPDX-License-Identifier: Apache-2.0
#include "api/csd/csd_session.h"

#include <chrono>
#include <set>
#include <string>
#include <utility>

namespace neardata::api {

namespace {

class JobsWatcher final : public system::RunWatcher {
 public:
  JobsWatcher(core::Progress& progress, std::size_t jobs) : progress_(progress), jobs_(jobs) {}
  bool keep_going(core::Fs /*now*/, std::uint64_t done) override {
    return progress_.report(static_cast<double>(done), static_cast<double>(jobs_));
  }

 private:
  core::Progress& progress_;
  std::size_t jobs_;
};

/// The reason why a head cannot accept such a prompt, if any.
std::optional<std::string> prompt_refused(const system::KvCache& cache, system::KvHeadId head,
                                          std::uint32_t tokens) {
  if (cache.describe(head).tokens != 0) return "the head has tokens already";
  if (tokens > cache.config().max_tokens) {
    return "the engine takes " + std::to_string(cache.config().max_tokens) + " tokens of a head";
  }
  return std::nullopt;
}

}  // namespace

core::Answer<std::unique_ptr<CsdSession>> CsdSession::open(Config spec) {
  const system::CsdConfig& config = spec.config;
  std::optional<rtl::SparfPlugin> plugin;
  if (config.model == system::UnitModel::kRtl) {
    auto loaded = rtl::SparfPlugin::load(config.plugin);
    if (!loaded) return core::bad_input(loaded.error());
    plugin = *std::move(loaded);
  }
  if (auto good = system::CsdMachine::check(config, plugin ? &*plugin : nullptr); !good) {
    return core::bad_input(good.error());
  }
  return std::unique_ptr<CsdSession>(new CsdSession(config, std::move(plugin)));
}

core::Answer<system::KvCache*> CsdSession::cache_of(std::uint32_t device) {
  auto& caches = machine_.caches();
  if (device >= caches.size()) return core::misuse("the session has no such device");
  return &caches[device];
}

core::Answer<CsdSession::Found> CsdSession::find(const HeadId& head) {
  const auto cache = cache_of(head.device);
  if (!cache) return std::unexpected(cache.error());
  const auto id = (*cache)->head(head.sequence, head.head);
  if (!id) return core::misuse("the device has no such sequence or head");
  return Found{*cache, *id};
}

core::Answer<std::uint32_t> CsdSession::sequence(const NewSequence& given) {
  const auto cache = cache_of(given.device);
  if (!cache) return std::unexpected(cache.error());
  constexpr std::uint32_t kMostHeads = 4096;
  const std::uint32_t dims = given.dims_per_page;
  if (given.heads < 1 || given.heads > kMostHeads || dims < 1 || dims > 8 ||
      (dims & (dims - 1)) != 0) {
    return core::misuse("a sequence has 1 to 4096 heads and 1, 2, 4 or 8 dimensions a page");
  }
  const auto id =
      (*cache)->open({.heads = given.heads, .dims_per_page = dims, .padded = given.padded});
  if (!id) return core::bad_input(id.error());
  return *id;
}

core::Answer<CsdSession::Pages> CsdSession::pages(const HeadRows& given) {
  const auto head = find(given);
  if (!head) return std::unexpected(head.error());
  const std::uint32_t width = head->cache->config().width;
  if (given.keys.size() != given.values.size() || given.keys.size() % width != 0) {
    return core::misuse("keys and values are no Uint16Arrays of equally many rows");
  }
  return std::make_shared<const system::HeadPages>(given.keys, given.values,
                                                   head->cache->shape(head->id));
}

core::Answer<void> CsdSession::prefill(const Prefill& given) {
  const auto head = find(given);
  if (!head) return std::unexpected(head.error());
  system::KvCache& cache = *head->cache;
  if (!given.pages->fits(cache.shape(head->id)) ||
      given.pages->tokens() > cache.config().max_tokens) {
    return core::misuse("the pages are of another shape, or have more rows than fit the engine");
  }
  if (cache.describe(head->id).tokens != 0) return core::misuse("the head has tokens already");
  if (auto done = cache.prefill(head->id, given.pages); !done) {
    return core::bad_input(done.error());
  }
  return {};
}

core::Answer<CsdSession::Filled> CsdSession::keep(const Nothing& /*none*/) {
  return std::make_shared<const FilledDevices>(FilledDevices{machine_.caches()});
}

core::Answer<void> CsdSession::restore(const Restore& given) {
  if (machine_.restore(given.filled->caches)) return {};
  return core::misuse("the session has other devices than the one that kept this");
}

core::Answer<void> CsdSession::close_sequence(const Sequence& given) {
  const auto cache = cache_of(given.device);
  if (!cache) return std::unexpected(cache.error());
  if (!(*cache)->head(given.sequence, 0)) return core::misuse("the device has no such sequence");
  (*cache)->close(given.sequence);
  return {};
}

core::Answer<void> CsdSession::inject_fault(const InjectedFault& given) {
  const auto head = find(given);
  if (!head) return std::unexpected(head.error());
  system::KvCache& cache = *head->cache;
  const auto place = cache.readable(cache.owner(head->id, given.copy, given.index));
  if (!place || !cache.pages().flip_bit(*place, given.bit)) {
    return core::misuse("there is no such page on flash, or no such bit in it");
  }
  return {};
}

core::Answer<CsdSession::PreparedRun> CsdSession::prepare(const CsdRunRequest& given) {
  auto& caches = machine_.caches();
  PreparedRun work{.places = {}, .jobs = {}, .prompts = {}, .options = given};
  work.options.threads = threads_of(given.most_threads);
  work.jobs.resize(caches.size());
  std::size_t at = 0;
  for (std::size_t j = 0; j < given.jobs.size(); ++j) {
    const CsdJobRow row = given.jobs[j];
    const std::string name = "job " + std::to_string(j);
    if (row.device >= caches.size()) return core::misuse(name + ": there is no such device");
    const auto head = caches[row.device].head(row.sequence, row.head);
    if (!head) return core::misuse(name + ": the device has no such sequence or head");
    const auto operation = core::numbered<unit::SparfOperation>(row.operation);
    if (!operation || row.values > given.rows.size() - at) {
      return core::misuse(name + ": its operation or the number of its values is wrong");
    }
    const auto values = given.rows.subspan(at, row.values);
    at += row.values;
    work.places.push_back({row.device, work.jobs[row.device].size()});
    work.jobs[row.device].push_back({.operation = *operation,
                                     .head = *head,
                                     .group = row.group,
                                     .rows = {values.begin(), values.end()},
                                     .r = row.r,
                                     .k = row.k,
                                     .window = row.window,
                                     .mean = row.mean != 0});
  }
  for (std::size_t d = 0; d < caches.size(); ++d) {
    if (const auto why = machine_.refuses(d, work.jobs[d])) {
      return core::bad_input("device " + std::to_string(d) + ": " + *why);
    }
  }
  return work;
}

core::Answer<CsdSession::PreparedRun> CsdSession::prepare_prompts(const CsdPromptsRequest& given) {
  const auto& caches = machine_.caches();
  if (given.heads.size() != given.ready.size()) {
    return core::misuse("heads and ready describe different numbers of prompts");
  }
  PreparedRun work;
  work.options.max_cycles = given.max_cycles;
  work.options.threads = threads_of(given.most_threads);
  work.jobs.resize(caches.size());
  work.prompts.resize(caches.size());
  std::set<std::pair<std::uint32_t, system::KvHeadId>> taken;
  const auto latest = static_cast<double>(system::kEndOfTime.value);
  std::size_t at = 0;
  for (std::size_t p = 0; p < given.heads.size(); ++p) {
    const PromptRow row = given.heads[p];
    const std::string name = "prompt " + std::to_string(p);
    if (row.device >= caches.size()) return core::misuse(name + ": there is no such device");
    const system::KvCache& cache = caches[row.device];
    const auto head = cache.head(row.sequence, row.head);
    if (!head) return core::misuse(name + ": the device has no such sequence or head");
    if (const auto why = prompt_refused(cache, *head, row.tokens)) {
      return core::misuse(name + ": " + *why);
    }
    if (!taken.emplace(row.device, *head).second) {
      return core::misuse(name + ": its head has another");
    }
    const std::size_t count = std::size_t{row.tokens} * cache.config().width;
    if (2 * count > given.rows.size() - at) {
      return core::misuse(name + ": its number of values is wrong");
    }
    const double ready = given.ready[p];
    if (!(ready >= 0 && ready <= latest)) {
      return core::bad_input(name + ": ready is not from 0 to the end of time, " +
                             std::to_string(system::kEndOfTime.value) + " femtoseconds");
    }
    const auto keys = given.rows.subspan(at, count);
    const auto values = given.rows.subspan(at + count, count);
    at += 2 * count;
    work.places.push_back({row.device, work.prompts[row.device].size()});
    work.prompts[row.device].push_back({.head = *head,
                                        .ready = core::Fs{static_cast<std::int64_t>(ready)},
                                        .keys = {keys.begin(), keys.end()},
                                        .values = {values.begin(), values.end()}});
  }
  return work;
}

CsdReport CsdSession::run(PreparedRun& work, core::Progress& progress) {
  CsdReport report{.places = std::move(work.places),
                   .result = {},
                   .writes_before = writes(),
                   .writes = {},
                   .clock = clock_};
  JobsWatcher watcher(progress, report.places.size());
  const double made_before = making_seconds();
  const auto start = std::chrono::steady_clock::now();
  report.result = work.prompts.empty() ? machine_.run(work.jobs, work.options, watcher)
                                       : machine_.write(work.prompts, work.options, watcher);
  // Pages that are generated at their first read are filled, not simulated.
  report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() -
                   (making_seconds() - made_before);
  report.writes = writes();
  return report;
}

std::vector<flash::KvCounters> CsdSession::writes() {
  std::vector<flash::KvCounters> all;
  for (const system::KvCache& cache : machine_.caches()) all.push_back(cache.counters());
  return all;
}

double CsdSession::making_seconds() {
  double seconds = 0;
  for (system::KvCache& cache : machine_.caches()) seconds += cache.pages().making_seconds();
  return seconds;
}

}  // namespace neardata::api
