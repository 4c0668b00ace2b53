// SPDX-License-Identifier: Apache-2.0
#include "rtl/driven/driven_unit.h"

#include <algorithm>
#include <bit>
#include <string>
#include <utility>

namespace neardata::rtl {

namespace {

constexpr std::uint32_t kBits = 32;
/// Cycles between two looks at whether to go on.
constexpr std::uint64_t kStride = 4096;

bool is_set(const std::vector<std::uint32_t>& words, std::uint32_t word, std::uint32_t mask) {
  return word == kAlways || (words[word] & mask) != 0;
}

}  // namespace

core::Expected<std::unique_ptr<DrivenUnit>> DrivenUnit::make(DrivenConfig config) {
  auto plugin = UnitPlugin::load_any(config.path);
  if (!plugin) return std::unexpected(std::move(plugin).error());
  using Entry = const NeardataDrivenPlugin* (*)();
  const auto entry = reinterpret_cast<Entry>(plugin->symbol(kNeardataDrivenEntryName));
  const NeardataDrivenPlugin* api = entry == nullptr ? nullptr : entry();
  if (api == nullptr || api->abi != kNeardataDrivenAbi) {
    return core::bad_config(config.path, "the plug-in is of no unit that can be driven");
  }
  const std::uint32_t inputs = plugin->api().inputs.words;
  const std::uint32_t outputs = plugin->api().outputs.words;
  for (const DrivenLane& lane : config.lanes) {
    const std::uint32_t own = lane.into ? inputs : outputs;
    const std::uint32_t other = lane.into ? outputs : inputs;
    const bool inside = lane.bit < kBits && lane.valid < own &&
                        (!lane.ready || *lane.ready < other) &&
                        std::ranges::all_of(lane.words, [own](auto word) { return word < own; });
    if (!inside) {
      return core::bad_config(config.path, "a lane has words that the unit does not have");
    }
  }
  const auto beyond = [outputs](std::uint32_t word) { return word >= outputs; };
  if (std::ranges::any_of(config.strobes, beyond)) {
    return core::bad_config(config.path, "a strobe has a word that the unit does not have");
  }
  return std::unique_ptr<DrivenUnit>(new DrivenUnit(*std::move(plugin), api, std::move(config)));
}

DrivenUnit::DrivenUnit(UnitPlugin plugin, const NeardataDrivenPlugin* api, DrivenConfig config)
    : plugin_(std::move(plugin)), api_(api), config_(std::move(config)) {
  reset(config_.seed);
}

DrivenUnit::~DrivenUnit() = default;

void DrivenUnit::reset(std::uint64_t seed) {
  const NeardataUnitStart start{.seed = seed, .assertions = true};
  unit_ = {api_->create(&start), Destroy{api_}};
  inputs_.assign(plugin_.api().inputs.words, 0);
  outputs_.assign(plugin_.api().outputs.words, 0);
  sources_.clear();
  sinks_.clear();
  places_.clear();
  for (std::uint32_t i = 0; i < config_.lanes.size(); ++i) {
    const DrivenLane& lane = config_.lanes[i];
    const std::uint32_t mask = std::uint32_t{1} << lane.bit;
    const std::uint32_t ready = lane.ready.value_or(kAlways);
    places_.push_back(static_cast<std::uint32_t>(lane.into ? sources_.size() : sinks_.size()));
    if (lane.into) {
      sources_.push_back(
          {.lane = i, .mask = mask, .valid = lane.valid, .ready = ready, .places = lane.words});
    } else {
      sinks_.push_back(
          {.lane = i, .mask = mask, .valid = lane.valid, .ready = ready, .places = lane.words});
    }
  }
  seen_.clear();
  unanswered_.reset();
  cycle_ = 0;
  tracing_ = false;
}

DrivenSource* DrivenUnit::source_of(std::uint32_t lane) {
  return config_.lanes[lane].into ? &sources_[places_[lane]] : nullptr;
}
DrivenSink* DrivenUnit::sink_of(std::uint32_t lane) {
  return config_.lanes[lane].into ? nullptr : &sinks_[places_[lane]];
}

std::optional<std::string> DrivenUnit::refuses(const DrivenRun& run) const {
  const auto& api = plugin_.api();
  const auto unknown = [this](std::uint32_t lane) { return lane >= config_.lanes.size(); };
  for (const DrivenMessages& sent : run.sends) {
    if (unknown(sent.lane) || !config_.lanes[sent.lane].into) return "sends: no such lane";
    const std::size_t width = config_.lanes[sent.lane].words.size();
    if (width == 0 ? !sent.words.empty() : sent.words.size() % width != 0) {
      return "sends: no whole messages";
    }
  }
  for (const DrivenPauses& pauses : run.pauses) {
    if (unknown(pauses.lane)) return "pauses: no such lane";
  }
  for (const DrivenAnswers& answers : run.answers) {
    if (unknown(answers.lane) || !config_.lanes[answers.lane].into || unknown(answers.asked) ||
        config_.lanes[answers.asked].into || config_.lanes[answers.asked].words.empty()) {
      return "answers: no such lane";
    }
    const std::size_t width = config_.lanes[answers.lane].words.size();
    if (width == 0 || answers.words.size() % width != 0) return "answers: no whole messages";
    if (answers.latency == 0) return "answers: no cycle passes";
  }
  for (const DrivenSeen& seen : run.seen) {
    if (unknown(seen.lane) || config_.lanes[seen.lane].into) return "seen: no such lane";
    const auto beyond = [&api](const DrivenWord& one) { return one.word >= api.outputs.words; };
    if (std::ranges::any_of(seen.words, beyond)) return "seen: no such word";
  }
  for (const DrivenCount& count : run.counts) {
    if (std::uint64_t{count.lane} + count.lanes > config_.lanes.size()) {
      return "counts: no such lane";
    }
  }
  for (const DrivenWord& set : run.sets) {
    if (set.word >= api.inputs.words) return "sets: no such word";
  }
  for (const DrivenWord& word : run.words) {
    if (word.word >= api.outputs.words) return "words: no such word";
  }
  return std::nullopt;
}

void DrivenUnit::begin(DrivenRun& run) {
  for (const DrivenWord& set : run.sets) inputs_[set.word] = set.value;
  for (const DrivenPauses& pauses : run.pauses) {
    if (DrivenSource* source = source_of(pauses.lane)) source->coin = PauseCoin(pauses);
    if (DrivenSink* sink = sink_of(pauses.lane)) sink->coin = PauseCoin(pauses);
  }
  for (DrivenMessages& sent : run.sends) source_of(sent.lane)->add(sent);
  for (DrivenAnswers& answers : run.answers) {
    source_of(answers.lane)->table = std::move(answers.words);
    DrivenSink* sink = sink_of(answers.asked);
    sink->answering = answers.lane;
    sink->latency = answers.latency;
  }
  for (DrivenSink& sink : sinks_) sink.words.reserve(sink.before);
  seen_ = run.seen;
  strobes_.assign(config_.strobes.size() * kBits, 0);
  resting_ = 0;
}

void DrivenUnit::offer() {
  for (DrivenSource& source : sources_) source.offer(inputs_, cycle_);
  for (DrivenSink& sink : sinks_) {
    sink.taking = !sink.coin.rests();
    if (sink.ready == kAlways) continue;
    std::uint32_t& ready = inputs_[sink.ready];
    ready = sink.taking ? ready | sink.mask : ready & ~sink.mask;
  }
}

void DrivenUnit::note(DrivenSink& sink) {
  for (const std::uint32_t place : sink.places) sink.words.push_back(outputs_[place]);
  sink.cycles.add(cycle_);
  if (!seen_.empty()) {
    std::erase_if(seen_, [this, &sink](const DrivenSeen& one) {
      const auto is = [this](const DrivenWord& word) { return outputs_[word.word] == word.value; };
      return one.lane == sink.lane && std::ranges::all_of(one.words, is);
    });
  }
  if (!sink.answering) return;
  DrivenSource& source = *source_of(*sink.answering);
  const std::size_t number = outputs_[sink.places.front()];
  if ((number + 1) * source.places.size() > source.table->size()) {
    unanswered_ = number;
  } else {
    source.answers.push_back({number, cycle_ + sink.latency});
  }
}

void DrivenUnit::exchange() {
  ++resting_;
  for (DrivenSource& source : sources_) {
    if (!source.offered || !is_set(outputs_, source.ready, source.mask)) continue;
    source.taken(cycle_);
    resting_ = 0;
  }
  for (DrivenSink& sink : sinks_) {
    if ((outputs_[sink.valid] & sink.mask) == 0) continue;
    if (!sink.taking && sink.ready != kAlways) continue;
    note(sink);
    resting_ = 0;
  }
  for (std::size_t i = 0; i < config_.strobes.size(); ++i) {
    for (std::uint32_t set = outputs_[config_.strobes[i]]; set != 0; set &= set - 1) {
      ++strobes_[i * kBits + static_cast<std::size_t>(std::countr_zero(set))];
    }
  }
}

std::uint64_t DrivenUnit::moved(const DrivenCount& count) const {
  std::uint64_t all = 0;
  for (std::uint32_t lane = count.lane; lane < count.lane + count.lanes; ++lane) {
    const std::uint32_t place = places_[lane];
    all += config_.lanes[lane].into ? sources_[place].cycles.count() : sinks_[place].cycles.count();
  }
  return all;
}

bool DrivenUnit::reached(const DrivenRun& run) const {
  if (run.counts.empty() && run.words.empty() && run.seen.empty() && !run.rest) return false;
  if (!seen_.empty()) return false;
  if (run.rest && resting_ < *run.rest) return false;
  for (const DrivenCount& count : run.counts) {
    if (moved(count) < count.count) return false;
  }
  return std::ranges::all_of(
      run.words, [this](const DrivenWord& one) { return outputs_[one.word] == one.value; });
}

core::Expected<void> DrivenUnit::trace(const std::optional<TraceWindow>& window) {
  const auto now = static_cast<std::int64_t>(cycle_);
  const bool inside = window && now >= window->from.value && now < window->to.value;
  if (inside == tracing_) return {};
  tracing_ = inside;
  if (!inside) {
    api_->trace_close(unit_.get());
  } else if (!api_->trace_open(unit_.get(), window->path.c_str(), cycle_)) {
    tracing_ = false;
    return core::bad_config(window->path, "the waveform file cannot be written");
  }
  return {};
}

core::SimError DrivenUnit::failure() const {
  NeardataUnitError error{};
  api_->error(unit_.get(), &error);
  return {core::Fault::kAssertion, error.place, error.message,
          kAnyClock.edge(core::Cycle{static_cast<std::int64_t>(cycle_)})};
}

DrivenResult DrivenUnit::run(DrivenRun& run, RunProgress& progress) {
  begin(run);
  api_->enter(unit_.get());
  DrivenResult result;
  for (std::uint64_t done = 0; done < run.cycles && !result.reached; ++done) {
    const core::Cycle now{static_cast<std::int64_t>(cycle_)};
    if (done % kStride == kStride - 1 && !progress.keep_going(now)) {
      result.error = core::SimError{core::Fault::kCancelled, config_.name, "the run was cancelled",
                                    kAnyClock.edge(now)};
      break;
    }
    if (run.trace || tracing_) {
      if (auto traced = trace(run.trace); !traced) {
        result.error = std::move(traced).error();
        break;
      }
    }
    offer();
    api_->settle(unit_.get(), inputs_.data(), outputs_.data());
    exchange();
    if (unanswered_) {
      result.error = core::SimError{
          core::Fault::kBadConfig, config_.name,
          "the unit asks for message " + std::to_string(*unanswered_) + ", which its answers lack",
          kAnyClock.edge(now)};
      break;
    }
    result.reached = reached(run);
    if (!api_->edge(unit_.get())) {
      result.error = failure();
      break;
    }
    ++cycle_;
    // What was taken is no longer offered.
    for (const DrivenSource& source : sources_) {
      if (!source.offered) inputs_[source.valid] &= ~source.mask;
    }
  }
  if (tracing_) api_->trace_close(unit_.get());
  tracing_ = false;
  result.cycle = core::Cycle{static_cast<std::int64_t>(cycle_)};
  result.outputs = outputs_;
  result.strobes = std::move(strobes_);
  for (DrivenSource& source : sources_) {
    const std::uint64_t moved = source.cycles.count();
    const std::uint64_t waiting = source.table ? source.answers.size() : source.waiting;
    result.lanes.push_back({source.lane, moved, {}, source.cycles.take(), waiting});
  }
  for (DrivenSink& sink : sinks_) {
    const std::uint64_t moved = sink.cycles.count();
    sink.before = sink.words.size();
    result.lanes.push_back(
        {sink.lane, moved, std::exchange(sink.words, {}), sink.cycles.take(), 0});
  }
  return result;
}

}  // namespace neardata::rtl
