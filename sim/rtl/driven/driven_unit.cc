// SPDX-License-Identifier: Apache-2.0
#include "rtl/driven/driven_unit.h"

#include <algorithm>
#include <bit>
#include <string>
#include <utility>

namespace neardata::rtl {

namespace {

constexpr std::uint32_t kBits = BitCounts::kBits;
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
    : plugin_(std::move(plugin)), api_(api), config_(std::move(config)), strobes_(config_.strobes) {
  // Sources know where theirs is.
  due_.resize(config_.lanes.size(), kNoCycle);
  for (std::uint32_t i = 0; i < config_.lanes.size(); ++i) add_lane(i);
  due_.resize(sources_.size());
  offering_.reserve(sources_.size());
  reset(config_.seed);
}

DrivenUnit::~DrivenUnit() = default;

void DrivenUnit::add_lane(std::uint32_t lane) {
  const DrivenLane& of = config_.lanes[lane];
  const std::uint32_t mask = std::uint32_t{1} << of.bit;
  const std::uint32_t ready = of.ready.value_or(kAlways);
  if (of.into) {
    const std::size_t place = sources_.size();
    places_.push_back(static_cast<std::uint32_t>(place));
    sources_.push_back({.lane = lane,
                        .mask = mask,
                        .valid = of.valid,
                        .ready = ready,
                        .due = &due_[place],
                        .places = WordPlaces(of.words)});
    return;
  }
  if (takers_.empty() || takers_.back().valid != of.valid) {
    takers_.push_back({.valid = of.valid});
    of_bit_.emplace_back();
  }
  const auto place = static_cast<std::uint32_t>(sinks_.size());
  of_bit_.back()[of.bit] = place;
  places_.push_back(place);
  sinks_.push_back({.lane = lane,
                    .mask = mask,
                    .ready = ready,
                    .group = static_cast<std::uint32_t>(takers_.size() - 1),
                    .places = WordPlaces(of.words)});
}

void DrivenUnit::reset(std::uint64_t seed) {
  const NeardataUnitStart start{.seed = seed, .assertions = true};
  unit_ = {api_->create(&start), Destroy{api_}};
  inputs_.assign(plugin_.api().inputs.words, 0);
  outputs_.assign(plugin_.api().outputs.words, 0);
  for (DrivenSource& source : sources_) source.clear();
  for (DrivenSink& sink : sinks_) sink.clear();
  offering_.clear();
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

void DrivenUnit::keep(DrivenRun& run) {
  for (DrivenMessages& sent : run.sends) {
    DrivenSource& source = *source_of(sent.lane);
    sent.own_words = std::move(source.spare_words);
    sent.own_pauses = std::move(source.spare_pauses);
    sent.own_words.assign(sent.words);
    sent.own_pauses.assign(sent.pauses);
    sent.words = sent.own_words.view();
    sent.pauses = sent.own_pauses.view();
  }
  for (DrivenAnswers& answers : run.answers) {
    answers.own_words.assign(answers.words.begin(), answers.words.end());
    answers.words = answers.own_words;
  }
}

void DrivenUnit::begin(DrivenRun& run) {
  for (const DrivenWord& set : run.sets) inputs_[set.word] = set.value;
  for (const DrivenPauses& pauses : run.pauses) {
    if (DrivenSource* source = source_of(pauses.lane)) source->coin = PauseCoin(pauses);
    if (DrivenSink* sink = sink_of(pauses.lane)) sink->coin = PauseCoin(pauses);
  }
  for (DrivenMessages& sent : run.sends) source_of(sent.lane)->add(sent, cycle_);
  for (DrivenAnswers& answers : run.answers) {
    source_of(answers.lane)->answer_from(std::move(answers.own_words));
    DrivenSink* sink = sink_of(answers.asked);
    sink->answering = answers.lane;
    sink->latency = answers.latency;
  }
  for (DrivenSource& source : sources_) source.cycles.begin();
  resting_sinks_.clear();
  for (DrivenSink& sink : sinks_) {
    sink.words.clear();
    sink.cycles.begin();
    takers_[sink.group].lanes |= sink.mask;
    // One without ready is taken as it comes.
    if (sink.ready == kAlways) continue;
    inputs_[sink.ready] |= sink.mask;
    if (sink.coin.pauses()) resting_sinks_.push_back(&sink);
  }
  seen_ = run.seen;
  resting_ = 0;
}

void DrivenUnit::offer() {
  // Which are due is what nobody can predict, so it is found without a branch for each.
  constexpr std::size_t kGroup = 64;
  for (std::size_t first = 0; first < due_.size(); first += kGroup) {
    std::uint64_t now = 0;
    const std::size_t count = std::min(kGroup, due_.size() - first);
    for (std::size_t i = 0; i < count; ++i) {
      now |= static_cast<std::uint64_t>(due_[first + i] <= cycle_) << i;
    }
    for (; now != 0; now &= now - 1) {
      DrivenSource& source = sources_[first + static_cast<std::size_t>(std::countr_zero(now))];
      if (source.offer(inputs_.data())) offering_.push_back(&source);
    }
  }
  for (DrivenSink* sink : resting_sinks_) {
    const bool taking = !sink->coin.rests();
    for (std::uint32_t* word : {&inputs_[sink->ready], &takers_[sink->group].lanes}) {
      *word = taking ? *word | sink->mask : *word & ~sink->mask;
    }
  }
}

void DrivenUnit::note(DrivenSink& sink) {
  sink.places.gather(outputs_.data(), sink.words.next(sink.places.size()));
  sink.cycles.add(cycle_);
  if (!seen_.empty()) {
    std::erase_if(seen_, [this, &sink](const DrivenSeen& one) {
      const auto is = [this](const DrivenWord& word) { return outputs_[word.word] == word.value; };
      return one.lane == sink.lane && std::ranges::all_of(one.words, is);
    });
  }
  if (!sink.answering) return;
  DrivenSource& source = *source_of(*sink.answering);
  const std::size_t number = outputs_[sink.places.first()];
  if ((number + 1) * source.places.size() > source.table.size()) {
    unanswered_ = number;
  } else {
    source.answer(number, cycle_ + sink.latency);
  }
}

void DrivenUnit::exchange() {
  ++resting_;
  std::size_t kept = 0;
  for (DrivenSource* source : offering_) {
    if (is_set(outputs_, source->ready, source->mask)) {
      source->taken(inputs_.data(), cycle_);
      resting_ = 0;
    } else {
      offering_[kept++] = source;
    }
  }
  offering_.resize(kept);
  for (std::size_t i = 0; i < takers_.size(); ++i) {
    for (std::uint32_t rest = outputs_[takers_[i].valid] & takers_[i].lanes; rest != 0;
         rest &= rest - 1) {
      note(sinks_[of_bit_[i][static_cast<std::size_t>(std::countr_zero(rest))]]);
      resting_ = 0;
    }
  }
  strobes_.add(outputs_.data());
}

std::uint64_t DrivenUnit::moved(const DrivenCount& count) const {
  std::uint64_t all = 0;
  for (std::uint32_t lane = count.lane; lane < count.lane + count.lanes; ++lane) {
    const std::uint32_t place = places_[lane];
    all += config_.lanes[lane].into ? sources_[place].cycles.count() : sinks_[place].cycles.count();
  }
  return all;
}

bool DrivenUnit::counted(const DrivenRun& run) const {
  return seen_.empty() && std::ranges::all_of(run.counts, [this](const DrivenCount& count) {
           return moved(count) >= count.count;
         });
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
  // A model leaves nothing of ours in the nearest cache: a cycle touches as few lines as it can.
  const auto [settle, edge] = std::pair(api_->settle, api_->edge);
  NeardataDriven* const unit = unit_.get();
  const bool traced = run.trace.has_value();
  const bool ends = !run.counts.empty() || !run.words.empty() || !run.seen.empty() || run.rest;
  const std::uint64_t rest = run.rest.value_or(0);
  const std::span<const DrivenWord> words = run.words;
  const auto is = [this](const DrivenWord& one) { return outputs_[one.word] == one.value; };
  for (std::uint64_t left = run.cycles; left != 0 && !result.reached; --left) {
    const core::Cycle now{static_cast<std::int64_t>(cycle_)};
    if ((run.cycles - left) % kStride == kStride - 1 && !progress.keep_going(now)) {
      result.error = core::SimError{core::Fault::kCancelled, config_.name, "the run was cancelled",
                                    kAnyClock.edge(now)};
      break;
    }
    if (traced) {
      if (auto opened = trace(run.trace); !opened) {
        result.error = std::move(opened).error();
        break;
      }
    }
    offer();
    settle(unit, inputs_.data(), outputs_.data());
    exchange();
    if (unanswered_) {
      result.error = core::SimError{
          core::Fault::kBadConfig, config_.name,
          "the unit asks for message " + std::to_string(*unanswered_) + ", which its answers lack",
          kAnyClock.edge(now)};
      break;
    }
    result.reached = ends && resting_ >= rest && std::ranges::all_of(words, is) && counted(run);
    if (!edge(unit)) {
      result.error = failure();
      break;
    }
    ++cycle_;
  }
  if (tracing_) api_->trace_close(unit_.get());
  tracing_ = false;
  return end(std::move(result));
}

DrivenResult DrivenUnit::end(DrivenResult result) {
  result.cycle = core::Cycle{static_cast<std::int64_t>(cycle_)};
  result.outputs = outputs_;
  result.strobes = strobes_.take();
  for (const DrivenSource& source : sources_) {
    result.lanes.push_back(
        {source.lane, source.cycles.count(), {}, source.cycles.words(), source.waiting()});
  }
  for (const DrivenSink& sink : sinks_) {
    result.lanes.push_back(
        {sink.lane, sink.cycles.count(), sink.words.view(), sink.cycles.words(), 0});
  }
  return result;
}

}  // namespace neardata::rtl
