// SPDX-License-Identifier: Apache-2.0
//
// Replays of request traces, text in and text out in pieces, and the timing rules of a channel by
// themselves.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "api/dram_records.h"
#include "core/record.h"
#include "core/refusal.h"
#include "dram/trace/replay.h"

namespace neardata::dram {

/// An error in a trace, and its line.
constexpr auto record_of(const TraceError*) {
  return core::record("TraceError", core::field("line", &TraceError::line),
                      core::field("message", &TraceError::what));
}

}  // namespace neardata::dram

namespace neardata::api {

struct DramReplayConfig : dram::MemoryConfig {
  dram::ReplayOutputs outputs;
};
constexpr auto record_of(const DramReplayConfig*) {
  using core::field;
  return core::record("DramReplay", dram::memory_fields(),
                      field(
                          "commands", [](auto& of) -> auto& { return of.outputs.commands; }),
                      field(
                          "completions", [](auto& of) -> auto& { return of.outputs.completions; }));
}

/// Counters of a channel, in cycles; commands by their numbers, banks rank major, then bank
/// group, then bank.
struct ChannelReport {
  const dram::Statistics* of = nullptr;
  std::uint64_t open_bank_cycles = 0;
};
constexpr auto record_of(const ChannelReport*) {
  using core::field;
  constexpr auto count = [](auto member) {
    return [member](const ChannelReport& of) -> auto& { return of.of->*member; };
  };
  using Counts = dram::Statistics;
  return core::record(
      "ChannelReport", field("commands", count(&Counts::commands)),
      field("reads", count(&Counts::reads)), field("writes", count(&Counts::writes)),
      field("forwardedReads", count(&Counts::forwarded_reads)),
      field("readQueueCycles", count(&Counts::read_queue_cycles)),
      field("writeQueueCycles", count(&Counts::write_queue_cycles)),
      field("activeQueueCycles", count(&Counts::active_queue_cycles)),
      field("openBankCycles", &ChannelReport::open_bank_cycles),
      field("readLatency", count(&Counts::read_latency)),
      field("writeLatency", count(&Counts::write_latency)), field("banks", count(&Counts::banks)));
}
struct DramReport {
  dram::Cycle total_cycles;
  std::vector<ChannelReport> channels;
};
constexpr auto record_of(const DramReport*) {
  return core::record("DramReport", core::field("totalCycles", &DramReport::total_cycles),
                      core::field("channels", &DramReport::channels));
}

class ReplaySession {
 public:
  static constexpr const char* kName = "replay";
  using Config = DramReplayConfig;
  using Text = std::vector<std::byte>;

  /// One sentence per line where the memory breaks rules.
  [[nodiscard]] static core::Answer<std::unique_ptr<ReplaySession>> open(const Config& config);
  ReplaySession(const Config& config) : replay_(config, config.outputs) {}

  struct Nothing {};
  struct Piece {
    std::span<const std::uint8_t> bytes;
  };
  /// No call may follow one that returns a message.
  using Message = core::Answer<std::optional<dram::TraceError>>;
  [[nodiscard]] Message feed(const Piece& piece);
  /// The trace has ended.
  [[nodiscard]] Message finish(const Nothing&);
  /// Continues with input that is not processed yet.
  [[nodiscard]] Message go_on(const Nothing&);
  /// Whether some input is not processed yet.
  [[nodiscard]] core::Answer<bool> busy(const Nothing&) { return replay_.busy(); }
  /// The text that has become final since the last call.
  [[nodiscard]] core::Answer<Text> commands(const Nothing&);
  [[nodiscard]] core::Answer<Text> completions(const Nothing&);
  /// Lines of the trace read so far.
  [[nodiscard]] core::Answer<std::uint64_t> lines(const Nothing&) { return replay_.lines(); }
  [[nodiscard]] core::Answer<DramReport> report(const Nothing&);

 private:
  [[nodiscard]] Message go(auto&& act);

  dram::Replay replay_;
  bool over_ = false;  ///< set by a message or an exception, after which the replay cannot continue
};
constexpr auto record_of(const ReplaySession::Nothing*) { return core::record("Nothing"); }
constexpr auto record_of(const ReplaySession::Piece*) {
  return core::record("Piece", core::field("bytes", &ReplaySession::Piece::bytes));
}
constexpr auto calls_of(const ReplaySession*) {
  using core::Call;
  using Replay = ReplaySession;
  return std::tuple(
      Call{"dramReplayFeed", &Replay::feed}, Call{"dramReplayFinish", &Replay::finish},
      Call{"dramReplayGoOn", &Replay::go_on}, Call{"dramReplayBusy", &Replay::busy},
      Call{"dramReplayCommands", &Replay::commands},
      Call{"dramReplayCompletions", &Replay::completions}, Call{"dramReplayLines", &Replay::lines},
      Call{"dramReplayReport", &Replay::report});
}

/// `past`: five numbers for each command that has issued, in order: cycle, command, rank, bank
/// group, bank; `next` the last four of them.
struct ReadyRequest {
  dram::MemoryConfig config;
  std::span<const double> past;
  std::span<const double> next;
};
constexpr auto record_of(const ReadyRequest*) {
  using core::field;
  return core::record("Ready", field("config", &ReadyRequest::config),
                      field("past", &ReadyRequest::past), field("next", &ReadyRequest::next));
}
/// The first cycle in which `next` may issue.
[[nodiscard]] core::Answer<dram::Cycle> ready_at(const ReadyRequest& given);

}  // namespace neardata::api
