// SPDX-License-Identifier: Apache-2.0
#include "rtl/driven/driven_unit.h"

#include <algorithm>
#include <string>
#include <utility>

namespace neardata::rtl {

namespace {

/// Limit of the characters of printed lines per run.
constexpr std::size_t kMostMessageBytes = 4 << 20;

template <typename Value>
std::span<const Value> of(NeardataSpan<Value> values) {
  return {values.values, static_cast<std::size_t>(values.count)};
}

template <typename Value>
NeardataSpan<Value> span(const std::vector<Value>& values) {
  return {values.data(), values.size()};
}

}  // namespace

core::Expected<std::unique_ptr<DrivenUnit>> DrivenUnit::make(const DrivenConfig& config) {
  auto plugin = UnitPlugin::load_any(config.path);
  if (!plugin) return std::unexpected(std::move(plugin).error());
  using PluginEntry = const NeardataDrivenPlugin* (*)();
  const auto entry = reinterpret_cast<PluginEntry>(plugin->symbol(kNeardataDrivenEntryName));
  const NeardataDrivenPlugin* api = entry == nullptr ? nullptr : entry();
  if (api == nullptr || api->abi != kNeardataDrivenAbi) {
    return core::bad_config(config.path, "the plug-in is of no unit that can be driven");
  }
  return std::unique_ptr<DrivenUnit>(new DrivenUnit(*std::move(plugin), api, config));
}

DrivenUnit::DrivenUnit(UnitPlugin plugin, const NeardataDrivenPlugin* api,
                       const DrivenConfig& config)
    : plugin_(std::move(plugin)),
      api_(api),
      name_(config.name),
      unit_(api->create({.print = print, .receiver = this}), Destroy{api}) {
  for (const NeardataDrivenLane& one : api->lanes) {
    sent_.push_back({.batches = DrivenBatches(one.width)});
  }
  reset(config.seed);
}

DrivenUnit::~DrivenUnit() = default;

void DrivenUnit::print(void* unit, std::uint64_t cycle, const char* text, std::uint64_t length) {
  auto& self = *static_cast<DrivenUnit*>(unit);
  if (self.message_bytes_ + length > kMostMessageBytes) {
    ++self.lost_messages_;
    return;
  }
  self.message_bytes_ += length;
  self.messages_.push_back({cycle, std::string(text, length)});
}

void DrivenUnit::reset(std::uint64_t seed) {
  api_->reset(unit_.get(), seed);
  messages_.clear();  // of the end of the model before
  for (Sent& sent : sent_) {
    sent.batches.release(0);
    sent.table.clear();
    sent.answers = false;
  }
}

std::optional<std::string> DrivenUnit::refuses(const DrivenRun& run) const {
  const auto& api = plugin_.api();
  const auto unknown = [this](std::uint32_t number) { return number >= api_->lanes.count; };
  for (const DrivenMessages& sent : run.sends) {
    if (unknown(sent.lane) || !lane(sent.lane).into) return "sends: no such lane";
    const std::size_t width = lane(sent.lane).width;
    if (width == 0 ? !sent.words.empty() : sent.words.size() % width != 0) {
      return "sends: no whole messages";
    }
    if (sent_[sent.lane].answers) return "sends: the lane answers what is asked";
  }
  for (const NeardataDrivenPauses& pauses : run.pauses) {
    if (unknown(pauses.lane)) return "pauses: no such lane";
  }
  for (const DrivenAnswers& answers : run.answers) {
    if (unknown(answers.lane) || !lane(answers.lane).into || unknown(answers.asked) ||
        lane(answers.asked).into || lane(answers.asked).width == 0) {
      return "answers: no such lane";
    }
    const std::size_t width = lane(answers.lane).width;
    if (width == 0 || answers.words.size() % width != 0) return "answers: no whole messages";
    if (answers.latency == 0) return "answers: no cycle passes";
    const auto sends = [&answers](const DrivenMessages& sent) { return sent.lane == answers.lane; };
    const std::uint64_t needed = api_->answers_needed(unit_.get(), answers.lane);
    if (std::ranges::any_of(run.sends, sends) || !sent_[answers.lane].batches.empty() ||
        needed > answers.words.size() / width) {
      return "answers: other messages wait on the lane";
    }
  }
  for (const DrivenSeen& seen : run.seen) {
    if (unknown(seen.lane) || lane(seen.lane).into) return "seen: no such lane";
    const auto beyond = [&api](const NeardataDrivenWord& one) {
      return one.word >= api.outputs.words;
    };
    if (std::ranges::any_of(seen.words, beyond)) return "seen: no such word";
  }
  for (const NeardataDrivenCount& count : run.counts) {
    if (std::uint64_t{count.lane} + count.lanes > api_->lanes.count) {
      return "counts: no such lane";
    }
  }
  for (const NeardataDrivenWord& set : run.sets) {
    if (set.word >= api.inputs.words) return "sets: no such word";
  }
  for (const NeardataDrivenWord& word : run.words) {
    if (word.word >= api.outputs.words) return "words: no such word";
  }
  return std::nullopt;
}

void DrivenUnit::keep(DrivenRun& run) {
  for (DrivenMessages& sent : run.sends) {
    sent.batch = sent_[sent.lane].batches.copy(sent.words, sent.pauses);
  }
  for (DrivenAnswers& answers : run.answers) {
    answers.table.assign(answers.words.begin(), answers.words.end());
  }
}

DrivenResult DrivenUnit::run(DrivenRun& run, RunProgress& progress) {
  message_bytes_ = 0;
  lost_messages_ = 0;
  std::vector<NeardataDrivenMessages> sends;
  for (DrivenMessages& sent : run.sends) {
    const DrivenBatch& batch = sent_[sent.lane].batches.hold(std::move(sent.batch));
    sends.push_back({sent.lane, batch.paused, batch.words.data(), batch.count});
  }
  std::vector<NeardataDrivenAnswers> answers;
  for (DrivenAnswers& one : run.answers) {
    Sent& sent = sent_[one.lane];
    sent.table = std::move(one.table);
    sent.answers = true;
    answers.push_back({one.asked, one.lane, one.latency, sent.table.data(),
                       sent.table.size() / lane(one.lane).width});
  }
  std::vector<NeardataDrivenSeen> seen;
  for (const DrivenSeen& one : run.seen) seen.push_back({one.lane, span(one.words)});
  const bool traced = run.trace.has_value();
  const NeardataDrivenRun given{
      .cycles = run.cycles,
      .sends = span(sends),
      .pauses = span(run.pauses),
      .answers = span(answers),
      .sets = span(run.sets),
      .counts = span(run.counts),
      .words = span(run.words),
      .seen = span(seen),
      .rests = run.rest.has_value(),
      .rest = run.rest.value_or(0),
      .waveform = traced ? run.trace->path.c_str() : nullptr,
      .from =
          traced ? static_cast<std::uint64_t>(std::max<std::int64_t>(run.trace->from.value, 0)) : 0,
      .to = traced ? static_cast<std::uint64_t>(std::max<std::int64_t>(run.trace->to.value, 0)) : 0,
      .keep_going =
          [](void* caller, std::uint64_t cycle) {
            return static_cast<RunProgress*>(caller)->keep_going(
                core::Cycle{static_cast<std::int64_t>(cycle)});
          },
      .caller = &progress,
  };
  NeardataDrivenResult ended{};
  api_->run(unit_.get(), &given, &ended);
  DrivenResult result = end(ended);
  result.error = fault(ended, run);
  return result;
}

DrivenResult DrivenUnit::end(const NeardataDrivenResult& ended) {
  DrivenResult result;
  result.reached = ended.reached;
  result.cycle = core::Cycle{static_cast<std::int64_t>(ended.cycle)};
  result.outputs.assign(ended.outputs.begin(), ended.outputs.end());
  result.strobes.assign(ended.strobes.begin(), ended.strobes.end());
  result.messages = std::exchange(messages_, {});
  result.lost_messages = lost_messages_;
  std::uint32_t number = 0;
  for (const NeardataDrivenTaken& taken : ended.lanes) {
    if (!sent_[number].answers) sent_[number].batches.release(taken.waiting);
    result.lanes.push_back({.lane = number,
                            .moved = taken.moved,
                            .words = of(taken.words),
                            .cycles = of(taken.cycles),
                            .waiting = taken.waiting});
    ++number;
  }
  return result;
}

std::optional<core::SimError> DrivenUnit::fault(const NeardataDrivenResult& ended,
                                                const DrivenRun& run) const {
  const auto at = [](std::uint64_t cycle) {
    return kAnyClock.edge(core::Cycle{static_cast<std::int64_t>(cycle)});
  };
  switch (ended.fault) {
    case NeardataDrivenFault::kNone:
      break;
    case NeardataDrivenFault::kStopped:
      return core::SimError{core::Fault::kCancelled, name_, "the run was cancelled",
                            at(ended.cycle)};
    case NeardataDrivenFault::kWaveform:
      return core::bad_config(run.trace->path, "the waveform file cannot be written").error();
    case NeardataDrivenFault::kUnanswered:
      return core::SimError{core::Fault::kBadConfig, name_,
                            "the unit asks for message " + std::to_string(ended.unanswered) +
                                ", which its answers lack",
                            at(ended.cycle - 1)};
    case NeardataDrivenFault::kFailed: {
      NeardataUnitError error{};
      api_->error(unit_.get(), &error);
      return core::SimError{core::Fault::kAssertion, error.place, error.message, at(ended.cycle)};
    }
  }
  return std::nullopt;
}

}  // namespace neardata::rtl
