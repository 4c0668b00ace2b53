// SPDX-License-Identifier: Apache-2.0
#include "rtl/driven_unit.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "core/splitmix64.h"

namespace neardata::rtl {

namespace {

constexpr std::uint32_t kBits = 32;
/// Cycles between two looks at whether to go on.
constexpr std::uint64_t kStride = 4096;

/// A coin that falls on "rest" with a probability.
class Coin {
 public:
  Coin() = default;
  explicit Coin(const DrivenPauses& of)
      : random_(of.seed), threshold_(static_cast<std::uint64_t>(of.probability * kTwoTo53)) {}
  [[nodiscard]] bool rests() {
    return threshold_ != 0 && (random_.next() >> kDropped) < threshold_;
  }

 private:
  static constexpr double kTwoTo53 = 9007199254740992.0;
  static constexpr unsigned kDropped = 11;
  core::SplitMix64 random_{0};
  std::uint64_t threshold_ = 0;
};

/// A word that stands for no port of a lane: always set.
constexpr std::uint32_t kAlways = 0xFFFFFFFF;

bool is_set(const std::vector<std::uint32_t>& words, std::uint32_t word, std::uint32_t mask) {
  return word == kAlways || (words[word] & mask) != 0;
}

void append(std::vector<std::uint32_t>& to, std::vector<std::uint32_t>& more) {
  if (to.empty()) {
    to = std::move(more);
  } else {
    to.insert(to.end(), more.begin(), more.end());
  }
}

}  // namespace

struct DrivenUnit::Source {
  std::uint32_t lane;
  std::uint32_t mask;
  std::uint32_t valid;
  std::uint32_t ready;
  std::vector<std::uint32_t> places;
  Coin coin{};
  std::vector<std::uint32_t> queue{};   ///< messages, those before `next` were taken
  std::vector<std::uint32_t> pauses{};  ///< of the same messages
  std::size_t next = 0;                 ///< the message to offer, or on offer
  std::uint32_t pause = 0;              ///< cycles left before it
  bool offered = false;
  std::vector<double> cycles{};

  void start_pause() { pause = next < pauses.size() ? pauses[next] : 0; }

  void add(DrivenMessages& sent) {
    // What was taken is forgotten here, between two batches.
    const std::size_t width = places.size();
    queue.erase(queue.begin(), queue.begin() + static_cast<std::ptrdiff_t>(next * width));
    pauses.erase(pauses.begin(), pauses.begin() + static_cast<std::ptrdiff_t>(next));
    next = 0;
    const bool idle = pauses.empty();
    if (width != 0) sent.pauses.resize(sent.words.size() / width);
    append(queue, sent.words);
    append(pauses, sent.pauses);
    if (idle) start_pause();
  }

  void offer(std::vector<std::uint32_t>& inputs) {
    if (offered) return;
    if (next == pauses.size()) return;
    if (pause > 0) {
      --pause;
      return;
    }
    if (coin.rests()) return;
    const std::uint32_t* message = queue.data() + next * places.size();
    for (const std::uint32_t place : places) inputs[place] = *message++;
    inputs[valid] |= mask;
    offered = true;
  }
};

struct DrivenUnit::Sink {
  std::uint32_t lane;
  std::uint32_t mask;
  std::uint32_t valid;
  std::uint32_t ready;
  std::vector<std::uint32_t> places;
  Coin coin{};
  bool taking = false;
  std::vector<std::uint32_t> words{};
  std::vector<double> cycles{};
};

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
  cycle_ = 0;
  tracing_ = false;
}

DrivenUnit::Source* DrivenUnit::source_of(std::uint32_t lane) {
  return config_.lanes[lane].into ? &sources_[places_[lane]] : nullptr;
}
DrivenUnit::Sink* DrivenUnit::sink_of(std::uint32_t lane) {
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
    if (Source* source = source_of(pauses.lane)) source->coin = Coin(pauses);
    if (Sink* sink = sink_of(pauses.lane)) sink->coin = Coin(pauses);
  }
  for (DrivenMessages& sent : run.sends) source_of(sent.lane)->add(sent);
  strobes_.assign(config_.strobes.size() * kBits, 0);
  resting_ = 0;
}

void DrivenUnit::offer() {
  for (Source& source : sources_) source.offer(inputs_);
  for (Sink& sink : sinks_) {
    sink.taking = !sink.coin.rests();
    if (sink.ready == kAlways) continue;
    std::uint32_t& ready = inputs_[sink.ready];
    ready = sink.taking ? ready | sink.mask : ready & ~sink.mask;
  }
}

void DrivenUnit::exchange() {
  ++resting_;
  const auto now = static_cast<double>(cycle_);
  for (Source& source : sources_) {
    if (!source.offered || !is_set(outputs_, source.ready, source.mask)) continue;
    source.offered = false;
    ++source.next;
    source.start_pause();
    source.cycles.push_back(now);
    resting_ = 0;
  }
  for (Sink& sink : sinks_) {
    if ((outputs_[sink.valid] & sink.mask) == 0) continue;
    if (!sink.taking && sink.ready != kAlways) continue;
    for (const std::uint32_t place : sink.places) sink.words.push_back(outputs_[place]);
    sink.cycles.push_back(now);
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
    all += config_.lanes[lane].into ? sources_[place].cycles.size() : sinks_[place].cycles.size();
  }
  return all;
}

bool DrivenUnit::reached(const DrivenRun& run) const {
  if (run.counts.empty() && run.words.empty() && !run.rest) return false;
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
    result.reached = reached(run);
    if (!api_->edge(unit_.get())) {
      result.error = failure();
      break;
    }
    ++cycle_;
    // What was taken is no longer offered.
    for (const Source& source : sources_) {
      if (!source.offered) inputs_[source.valid] &= ~source.mask;
    }
  }
  if (tracing_) api_->trace_close(unit_.get());
  tracing_ = false;
  result.cycle = core::Cycle{static_cast<std::int64_t>(cycle_)};
  result.outputs = outputs_;
  result.strobes = std::move(strobes_);
  for (Source& source : sources_) {
    const std::uint64_t waiting = source.pauses.size() - source.next;
    result.lanes.push_back({source.lane, {}, std::exchange(source.cycles, {}), waiting});
  }
  for (Sink& sink : sinks_) {
    result.lanes.push_back(
        {sink.lane, std::exchange(sink.words, {}), std::exchange(sink.cycles, {}), 0});
  }
  return result;
}

}  // namespace neardata::rtl
