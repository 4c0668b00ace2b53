// SPDX-License-Identifier: Apache-2.0
//
// A request trace through a memory: text in, text out, in pieces and in bounded memory. Memory
// contains one piece, the requests in flight and, for a short trace, its completions. Arrivals
// never decrease: in the whole trace (global_fifo), or in the requests of each channel
// (per_channel_fifo). A trace of several channels in the second order is replayed as if it were
// sorted stably by arrival, and so are its completions; requests wait in memory until every channel
// has reached their arrival. A piece can cause too many commands for the memory, if only refreshes
// occur for a long time: then the replay stays busy and continues when its text has been read.
//
//   Replay replay(config, outputs);
//   for (piece of the trace) { replay.feed(piece); while (replay.busy()) replay.go_on(); }
//   replay.finish(); while (replay.busy()) replay.go_on();
//
// where each call may return an error, and each is followed by take_commands() and so on.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dram/address_mapper.h"
#include "dram/fifo.h"
#include "dram/open_time.h"
#include "dram/trace/arrival_merge.h"
#include "dram/trace/memory.h"
#include "dram/trace/trace_reader.h"
#include "dram/trace/trace_writer.h"

namespace neardata::dram {

struct ReplayOutputs {
  bool commands = false;
  bool completions = false;
};

class Replay {
 public:
  /// A trace of this many requests or more is long: its completions are `id,complete`.
  static constexpr std::uint64_t kLongTrace = 100'000;

  Replay(const MemoryConfig& config, ReplayOutputs outputs);
  Replay(const Replay&) = delete;
  Replay& operator=(const Replay&) = delete;

  [[nodiscard]] std::optional<TraceError> feed(std::string_view text);
  /// The trace has ended.
  [[nodiscard]] std::optional<TraceError> finish();
  [[nodiscard]] bool busy() const { return !waiting_.empty() || (ended_ && !finished_); }
  [[nodiscard]] std::optional<TraceError> go_on();

  /// The text that has become final since the last call.
  std::string take_commands();
  std::string take_completions();

  /// Lines of the trace read so far.
  [[nodiscard]] std::uint64_t lines() const { return reader_.lines(); }
  /// The cycle in which the last request completed; after finish().
  [[nodiscard]] Cycle total_cycles() const { return end_; }
  [[nodiscard]] const std::vector<std::unique_ptr<ChannelModel>>& channels() const {
    return memory_.channels();
  }
  /// Cycles with a row open, over all banks of the channel; after finish().
  [[nodiscard]] std::uint64_t open_bank_cycles(std::size_t channel) const {
    return open_times_[channel].until(end_);
  }

 private:
  struct PendingCommand {
    std::uint32_t channel = 0;
    IssuedCommand issued;
    std::optional<std::uint64_t> id;
  };
  class Listener final : public Memory::Listener {
   public:
    explicit Listener(Replay& replay) : replay_(&replay) {}
    void command(std::uint32_t channel, const IssuedCommand& issued) override {
      replay_->on_command(channel, issued);
    }
    void completion(RequestId id, Cycle cycle) override { replay_->on_completion(id, cycle); }

   private:
    Replay* replay_;
  };

  std::optional<std::string> wait(const TraceRequest& request);
  [[nodiscard]] bool inject(const TraceRequest& request);
  void on_command(std::uint32_t channel, const IssuedCommand& issued);
  void on_completion(RequestId id, Cycle cycle);
  TraceCompletion& in_flight(RequestId id) { return window_[id.value - first_]; }
  void write_commands(Cycle until);

  ReplayOutputs outputs_;
  bool refreshes_;
  TraceReader reader_;
  AddressMapper mapper_;
  /// One channel for each entrance of the memory; a single one for a global FIFO.
  ArrivalMerge merge_;
  bool by_channel_;
  Listener listener_;
  Memory memory_;
  std::uint64_t first_ = 0;  ///< the number of the first request in the window
  std::uint64_t next_ = 0;   ///< the number of the next request, which is its id in the memory
  Fifo<WaitingRequest> waiting_;
  Cycle reached_;  ///< time has advanced to here without offers
  /// Requests from the oldest that is not complete; `complete` is kNever before the completion.
  Fifo<TraceCompletion> window_;
  std::vector<PendingCommand> pending_;
  std::vector<OpenTime> open_times_;  ///< by channel
  TraceWriter command_text_;
  std::vector<TraceCompletion> completed_;
  bool wrote_command_header_ = false;
  bool wrote_completion_header_ = false;
  bool ended_ = false;     ///< the input has ended
  bool finished_ = false;  ///< and all requests have completed
  Cycle end_;
};

}  // namespace neardata::dram
