// SPDX-License-Identifier: Apache-2.0
#include "rtl/driven/driven_unit.h"

#include <algorithm>
#include <bit>
#include <string>
#include <utility>

namespace neardata::rtl {

namespace {

constexpr std::uint32_t kBits = BitCounts::kBits;
/// Cycles between two checks for a cancellation. A cycle of large RTL takes milliseconds.
constexpr std::uint64_t kStride = 64;
/// Limit of the characters of printed lines per run.
constexpr std::size_t kMostMessageBytes = 4 << 20;

/// Whether a lane follows the previous one at the same distance as the second lane follows the
/// first.
bool goes_on(std::span<const DrivenLane> lanes, std::size_t at) {
  const DrivenLane& before = lanes[at - 1];
  const DrivenLane& lane = lanes[at];
  if (lane.into != before.into || lane.valid != before.valid || lane.ready != before.ready ||
      lane.bit != before.bit + 1 || lane.words.size() != before.words.size()) {
    return false;
  }
  for (std::size_t word = 0; word < lane.words.size(); ++word) {
    const std::uint32_t stride = lanes[1].words[word] - lanes[0].words[word];
    if (lane.words[word] - before.words[word] != stride) return false;
  }
  return true;
}

std::size_t sources_of(const DrivenConfig& config) {
  return static_cast<std::size_t>(
      std::ranges::count_if(config.lanes, [](const DrivenLane& lane) { return lane.into; }));
}

}  // namespace

core::Expected<std::unique_ptr<DrivenUnit>> DrivenUnit::make(DrivenConfig config) {
  auto plugin = UnitPlugin::load_any(config.path);
  if (!plugin) return std::unexpected(std::move(plugin).error());
  using PluginEntry = const NeardataDrivenPlugin* (*)();
  const auto entry = reinterpret_cast<PluginEntry>(plugin->symbol(kNeardataDrivenEntryName));
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
    : plugin_(std::move(plugin)),
      api_(api),
      config_(std::move(config)),
      schedule_(sources_of(config_)),
      strobes_(config_.strobes),
      moves_(config_.lanes.size()) {
  fronts_.reserve(sources_of(config_));  // sources store pointers to these elements
  for (std::uint32_t i = 0; i < config_.lanes.size();) i = add_group(i);
  reset(config_.seed);
}

DrivenUnit::~DrivenUnit() = default;

std::uint32_t DrivenUnit::add_group(std::uint32_t first) {
  const std::span<const DrivenLane> lanes = std::span(config_.lanes).subspan(first);
  std::size_t count = 1;
  while (count < lanes.size() && goes_on(lanes, count)) ++count;
  const DrivenLane& of = lanes.front();
  gates_.push_back({.says = of.into ? of.ready.value_or(plugin_.api().outputs.words) : of.valid});
  const auto place = static_cast<std::uint32_t>(of.into ? fronts_.size() : sinks_.size());
  const auto group = static_cast<std::uint32_t>(groups_.size());
  groups_.push_back({.into = of.into,
                     .own = of.into ? of.valid : of.ready.value_or(kAlways),
                     .lane = first - of.bit,
                     .place = place - of.bit,
                     .width = static_cast<std::uint32_t>(of.words.size()),
                     .places = WordPlaces(of.bit, of.words,
                                          count > 1 ? std::span<const std::uint32_t>(lanes[1].words)
                                                    : std::span<const std::uint32_t>())});
  for (const DrivenLane& lane : lanes.first(count)) {
    if (of.into) {
      places_.push_back(static_cast<std::uint32_t>(fronts_.size()));
      fronts_.push_back({.group = group, .bit = static_cast<std::uint8_t>(lane.bit)});
      sources_.emplace_back(of.words.size(), sources_.size(), fronts_.back(), schedule_);
    } else {
      places_.push_back(static_cast<std::uint32_t>(sinks_.size()));
      sinks_.push_back({.group = group, .mask = std::uint32_t{1} << lane.bit});
    }
  }
  return first + static_cast<std::uint32_t>(count);
}

void DrivenUnit::print(void* unit, const char* text, std::uint64_t length) {
  auto& self = *static_cast<DrivenUnit*>(unit);
  if (self.message_bytes_ + length > kMostMessageBytes) {
    ++self.lost_messages_;
    return;
  }
  self.message_bytes_ += length;
  self.messages_.push_back({self.cycle_, std::string(text, length)});
}

void DrivenUnit::start() {
  if (unit_) return;
  const NeardataUnitStart start{
      .seed = start_seed_, .assertions = true, .printer = {.print = print, .receiver = this}};
  unit_ = {api_->create(&start), Destroy{api_}};
}

void DrivenUnit::reset(std::uint64_t seed) {
  unit_.reset();
  start_seed_ = seed;
  messages_.clear();  // of the end of the model before
  inputs_.assign(plugin_.api().inputs.words, 0);
  outputs_.assign(plugin_.api().outputs.words, 0);
  outputs_.push_back(~0U);
  schedule_.clear();
  for (DrivenSource& source : sources_) source.clear();
  for (DrivenSink& sink : sinks_) sink.clear();
  for (DrivenGate& gate : gates_) gate.open = 0;
  moves_.reset();
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
    if (sources_[places_[sent.lane]].answers()) return "sends: the lane answers what is asked";
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
    const auto sends = [&answers](const DrivenMessages& sent) { return sent.lane == answers.lane; };
    if (std::ranges::any_of(run.sends, sends) ||
        !sources_[places_[answers.lane]].can_answer_from(answers.words)) {
      return "answers: other messages wait on the lane";
    }
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
    sent.own = source_of(sent.lane)->keep(sent.words, sent.pauses);
  }
  for (DrivenAnswers& answers : run.answers) {
    answers.own_words.assign(answers.words.begin(), answers.words.end());
    answers.words = answers.own_words;
  }
}

void DrivenUnit::begin(DrivenRun& run) {
  for (const DrivenWord& set : run.sets) inputs_[set.word] = set.value;
  for (const DrivenPauses& pauses : run.pauses) {
    if (DrivenSource* source = source_of(pauses.lane)) source->flip(PauseCoin(pauses));
    if (DrivenSink* sink = sink_of(pauses.lane)) sink->coin = PauseCoin(pauses);
  }
  for (DrivenMessages& sent : run.sends) source_of(sent.lane)->add(std::move(sent.own), cycle_);
  for (DrivenAnswers& answers : run.answers) {
    source_of(answers.lane)->answer_from(std::move(answers.own_words));
    DrivenSink* sink = sink_of(answers.asked);
    sink->answering = places_[answers.lane];
    sink->latency = answers.latency;
  }
  moves_.begin();
  for (DrivenFront& front : fronts_) front.moved = 0;
  resting_sinks_.clear();
  for (DrivenSink& sink : sinks_) {
    sink.words.clear();
    sink.moved = 0;
    gates_[sink.group].open |= sink.mask;
    // A sink without ready accepts every message.
    const std::uint32_t own = groups_[sink.group].own;
    if (own == kAlways) continue;
    inputs_[own] |= sink.mask;
    if (sink.coin.pauses()) resting_sinks_.push_back(&sink);
  }
  seen_ = run.seen;
  resting_ = 0;
}

void DrivenUnit::offer() {
  schedule_.look(cycle_);
  for (std::size_t set = 0; set < schedule_.sets(); ++set) {
    for (std::uint64_t due = schedule_.take(set, cycle_); due != 0; due &= due - 1) {
      offer(set * DrivenSchedule::kSet + static_cast<std::size_t>(std::countr_zero(due)));
    }
  }
  for (DrivenSink* sink : resting_sinks_) {
    const bool taking = !sink->coin.rests();
    for (std::uint32_t* word : {&inputs_[groups_[sink->group].own], &gates_[sink->group].open}) {
      *word = taking ? *word | sink->mask : *word & ~sink->mask;
    }
  }
}

void DrivenUnit::offer(std::size_t place) {
  const DrivenFront& front = fronts_[place];
  if (front.pausing && sources_[place].rests()) [[unlikely]] {
    schedule_.add(place, cycle_ + 1, cycle_ + 1);
    return;
  }
  const DrivenGroup& group = groups_[front.group];
  group.places.scatter(front.bit, front.message, inputs_.data());
  inputs_[group.own] |= std::uint32_t{1} << front.bit;
  gates_[front.group].open |= std::uint32_t{1} << front.bit;
}

void DrivenUnit::taken(const DrivenGroup& group, std::size_t place) {
  DrivenFront& front = fronts_[place];
  ++front.moved;
  const std::uint64_t next = cycle_ + 1;
  if (--front.left == 0) [[unlikely]] {
    sources_[place].over(next);
    return;
  }
  const std::uint32_t* const pause = front.message + group.width;
  front.message = pause + 1;
  schedule_.add(place, next + *pause, next);
  need_soon(front.message + group.width, group.width + 1);
}

void DrivenUnit::note(const DrivenGroup& group, unsigned bit) {
  DrivenSink& sink = sinks_[group.place + bit];
  group.places.gather(bit, outputs_.data(), sink.words.next(group.width));
  ++sink.moved;
  if (!seen_.empty()) [[unlikely]] {
    std::erase_if(seen_, [this, lane = group.lane + bit](const DrivenSeen& one) {
      const auto is = [this](const DrivenWord& word) { return outputs_[word.word] == word.value; };
      return one.lane == lane && std::ranges::all_of(one.words, is);
    });
  }
  if (!sink.answering) return;
  const std::size_t number = outputs_[group.places.first(bit)];
  DrivenSource& source = sources_[*sink.answering];
  if (!source.answer(number, cycle_ + sink.latency, cycle_ + 1)) unanswered_ = number;
}

void DrivenUnit::exchange() {
  ++resting_;
  for (std::uint32_t group = 0; group < gates_.size(); ++group) {
    const std::uint32_t moving = gates_[group].moving(outputs_.data());
    if (moving != 0) exchange(group, moving);
  }
  strobes_.add(outputs_.data());
}

void DrivenUnit::exchange(std::uint32_t number, std::uint32_t moving) {
  const DrivenGroup& group = groups_[number];
  resting_ = 0;
  moves_.add(cycle_, number, moving, groups_);
  if (!group.into) {
    for (; moving != 0; moving &= moving - 1) {
      note(group, static_cast<unsigned>(std::countr_zero(moving)));
    }
    return;
  }
  gates_[number].open &= ~moving;
  inputs_[group.own] &= ~moving;
  for (; moving != 0; moving &= moving - 1) {
    taken(group, group.place + static_cast<unsigned>(std::countr_zero(moving)));
  }
}

std::uint64_t DrivenUnit::moved(const DrivenCount& count) const {
  std::uint64_t all = 0;
  for (std::uint32_t lane = count.lane; lane < count.lane + count.lanes; ++lane) {
    const std::uint32_t place = places_[lane];
    all += config_.lanes[lane].into ? fronts_[place].moved : sinks_[place].moved;
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
  message_bytes_ = 0;
  lost_messages_ = 0;
  start();
  begin(run);
  api_->enter(unit_.get());
  DrivenResult result;
  // The model evicts all other data from the L1 cache, so each cycle reads as few lines as
  // possible.
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
  api_->end_line(unit_.get());
  return end(std::move(result));
}

DrivenResult DrivenUnit::end(DrivenResult result) {
  result.cycle = core::Cycle{static_cast<std::int64_t>(cycle_)};
  result.outputs.assign(outputs_.begin(), outputs_.end() - 1);
  result.strobes = strobes_.take();
  result.messages = std::exchange(messages_, {});
  result.lost_messages = lost_messages_;
  moves_.sort_moves(groups_);
  for (std::uint32_t lane = 0; lane < config_.lanes.size(); ++lane) {
    DrivenTaken& taken = result.lanes.emplace_back();
    taken.lane = lane;
    taken.cycles = moves_.cycles(lane);
    if (const DrivenSource* source = source_of(lane)) {
      taken.moved = fronts_[places_[lane]].moved;
      taken.waiting = source->waiting();
    } else if (const DrivenSink* sink = sink_of(lane)) {
      taken.moved = sink->moved;
      taken.words = sink->words.view();
    }
  }
  return result;
}

}  // namespace neardata::rtl
