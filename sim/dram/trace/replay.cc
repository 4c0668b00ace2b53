// SPDX-License-Identifier: Apache-2.0
#include "dram/trace/replay.h"

#include <algorithm>
#include <utility>

namespace neardata::dram {
namespace {

constexpr const char* kStarved =
    "the memory serves no request any more: with these timings its refreshes take all the time";

/// Most commands in the output buffer before the replay pauses.
constexpr std::size_t kMostPending = 1U << 16U;
/// Latest time with simulated refreshes: minutes of any DDR5. Without them, the limit only leaves
/// headroom for the run.
constexpr Cycle kLatestOfRefreshed{1'000'000'000'000};
constexpr Cycle kLatest{std::int64_t{1} << 60};
/// Cycles per step between two counts of the buffered commands.
constexpr Cycle kStep{1 << 22};

}  // namespace

Replay::Replay(const MemoryConfig& config, ReplayOutputs outputs)
    : outputs_(outputs),
      refreshes_(config.controller.refresh != RefreshKind::kNone),
      reader_({config.controller.organization.access_bytes(),
               config.controller.organization.total_bytes(),
               refreshes_ ? kLatestOfRefreshed : kLatest}),
      mapper_(config.mapping, config.controller.organization),
      merge_(config.injection == Injection::kPerChannelFifo
                 ? config.controller.organization.channels
                 : 1),
      by_channel_(config.injection == Injection::kPerChannelFifo &&
                  config.controller.organization.channels > 1),
      listener_(*this),
      memory_(config, listener_),
      open_times_(config.controller.organization.channels,
                  OpenTime(config.controller.organization)),
      command_text_(config.controller.commands, config.controller.organization) {}

std::optional<TraceError> Replay::feed(std::string_view text) {
  auto error = reader_.read(text, [this](const TraceRequest& request) { return wait(request); });
  return error ? error : go_on();
}

std::optional<TraceError> Replay::finish() {
  auto error = reader_.finish([this](const TraceRequest& request) { return wait(request); });
  ended_ = true;
  merge_.end(waiting_);
  return error ? error : go_on();
}

std::optional<std::string> Replay::wait(const TraceRequest& request) {
  const std::uint32_t channel = by_channel_ ? mapper_.map(request.address).channel : 0;
  const Cycle last = merge_.last(channel);
  if (request.arrival < last) {
    const std::string of = by_channel_ ? " of channel " + std::to_string(channel) : "";
    return "arrival " + std::to_string(request.arrival.value) +
           " goes back behind the one before it" + of + ", " + std::to_string(last.value);
  }
  merge_.add(channel, request, reader_.lines(), waiting_);
  return std::nullopt;
}

std::optional<TraceError> Replay::go_on() {
  while (!waiting_.empty()) {
    if (pending_.size() >= kMostPending) return std::nullopt;
    const auto& [request, line] = waiting_.front();
    if (refreshes_ && request.arrival > reached_ + kStep) {
      reached_ = reached_ + kStep;
      memory_.pass(reached_);
      continue;
    }
    if (!inject(request)) return TraceError{line, kStarved};
    waiting_.pop_front();
  }
  if (!ended_) return std::nullopt;
  const std::optional<Cycle> end = memory_.drain();
  if (!end) return reader_.error(kStarved);
  end_ = *end;
  finished_ = true;
  return std::nullopt;
}

bool Replay::inject(const TraceRequest& request) {
  reached_ = request.arrival;
  const RequestId number{next_++};
  TraceCompletion& entry = window_.append();
  entry.id = request.id;
  entry.issue.reset();
  entry.complete = kNever;
  const Cycle accept = memory_.inject(number, request.operation, request.address, request.arrival);
  if (accept == kNever) return false;
  // A request never completes at the clock of its admission, so the entry still exists.
  in_flight(number).accept = accept;
  return true;
}

void Replay::on_command(std::uint32_t channel, const IssuedCommand& issued) {
  if (issued.effect.accesses()) in_flight(*issued.request).issue = issued.cycle;
  open_times_[channel].command(issued);
  if (!outputs_.commands) return;
  std::optional<std::uint64_t> id;
  if (issued.request) id = in_flight(*issued.request).id;
  pending_.push_back({channel, issued, id});
}

void Replay::on_completion(RequestId id, Cycle cycle) {
  in_flight(id).complete = cycle;
  while (!window_.empty() && window_.front().complete != kNever) {
    if (outputs_.completions) completed_.push_back(window_.front());
    window_.pop_front();
    ++first_;
  }
}

void Replay::write_commands(Cycle until) {
  const auto final_ones = std::stable_partition(
      pending_.begin(), pending_.end(),
      [until](const PendingCommand& pending) { return pending.issued.cycle <= until; });
  // Commands of two buses in one cycle stay in their order.
  const auto before = [](const PendingCommand& a, const PendingCommand& b) {
    return std::pair(a.issued.cycle, a.channel) < std::pair(b.issued.cycle, b.channel);
  };
  std::stable_sort(pending_.begin(), final_ones, before);
  for (auto it = pending_.begin(); it != final_ones; ++it) {
    command_text_.command(it->channel, it->issued, it->id);
  }
  pending_.erase(pending_.begin(), final_ones);
}

std::string Replay::take_commands() {
  if (!outputs_.commands) return {};
  if (!std::exchange(wrote_command_header_, true)) command_text_.command_header();
  write_commands(finished_ ? end_ : memory_.advance_all());
  return command_text_.take();
}

std::string Replay::take_completions() {
  const bool is_long = next_ >= kLongTrace;
  if (!outputs_.completions || (!is_long && !finished_)) return {};
  TraceWriter text;
  if (!std::exchange(wrote_completion_header_, true)) text.completion_header(is_long);
  for (const TraceCompletion& done : completed_) text.completion(done, is_long);
  completed_.clear();
  return text.take();
}

}  // namespace neardata::dram
