// SPDX-License-Identifier: Apache-2.0
//
// The host's side of one sub-channel: a controller whose ranks belong to two DIMMs in NDP mode. It
// serves runs of reads and of writes, round-robin over the readers, burst by burst. The runs of one
// reader are offered and reported in order; the controller may finish bursts of a later run first.
// While writes are in flight no read is offered: writes are short, and a job waits for them. The
// port requests the rank of a run when the run before it nears its end, and returns a rank as soon
// as no run that it works on needs it: the host has priority, but owns only ranks that it reads.
// Buffer chips with forwarded packets are separate ranks of the host: they have no refresh, and
// their writes do not block reads.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "core/guard.h"
#include "core/part.h"
#include "dram/address_mapper.h"
#include "dram/controller/controller.h"
#include "dram/open_time.h"
#include "system/memory/dram_port.h"
#include "system/memory/memory_port.h"

namespace neardata::system {

/// Consecutive bursts of a rank of the sub-channel, to be read or written.
struct HostRun {
  static constexpr core::MessageType kMessage{"run of bursts"};
  std::uint32_t rank = 0;
  std::uint32_t burst = 0;
  std::uint32_t bursts = 0;
  bool write = false;
};

/// The oldest run of the reader is complete: the data of all of its bursts have arrived.
struct HostRunDone {
  static constexpr core::MessageType kMessage{"end of a run of bursts"};
};

/// Readings of a host port; times in cycles of the memory clock.
struct HostCounters {
  std::uint64_t bursts = 0;
  std::uint64_t ownership_transfers = 0;  ///< transfers of ranks from NDP
  std::uint64_t activates = 0;
  std::uint64_t read_bursts = 0;
  std::uint64_t write_bursts = 0;
  std::uint64_t forwarded_bursts = 0;  ///< of packets, from and to buffer chips
  std::uint64_t open_bank_cycles = 0;  ///< cycles with a row of the host's open, over all banks
  std::vector<std::int64_t> held;      ///< by rank, cycles from the host's request to the release
};

struct HostPortSetup {
  std::size_t readers = 0;
  std::vector<core::RefreshRate> refreshes;  ///< static bounds, by rank
  std::size_t buffers = 0;                   ///< buffer chips: the ranks after those of `refreshes`
  const BusLimits& limits;
  const DramConfig& memory;           ///< of one rank
  std::size_t recorded_commands = 0;  ///< the first commands of DRAM that are stored
};

class HostPort final : public core::Part, private dram::Sink {
 public:
  HostPort(core::Placement place, const HostPortSetup& setup);

  [[nodiscard]] std::string_view kind() const override { return "host sub-channel"; }
  void declare(core::PortList& ports) override;
  [[nodiscard]] core::Expected<core::Fs> step(core::Fs now) override;
  void pass(core::Fs t) override;
  [[nodiscard]] std::optional<std::string> waits_for() const override;
  [[nodiscard]] std::uint64_t progress() const override { return counters_.bursts; }
  /// The port's ranks are in its partition: its only messages to others are the ends of runs.
  [[nodiscard]] core::Fs earliest_message(core::Fs due) const override;
  [[nodiscard]] core::Fs reaction() const override { return least_access_; }

  [[nodiscard]] HostCounters counters() const {
    HostCounters sum = counters_;
    sum.open_bank_cycles = open_time_.until(controller_.clock());
    return sum;
  }
  [[nodiscard]] const std::vector<dram::IssuedCommand>& commands() const { return commands_; }

 private:
  struct OngoingRun {
    HostRun what;
    std::uint32_t offered = 0;
    std::uint32_t answered = 0;
    core::Fs end = core::kNever;  ///< the last data is here
  };
  /// The runs of a reader that are not reported, by number from `first` on.
  struct Runs {
    std::uint64_t first = 0;
    std::deque<OngoingRun> runs;
  };
  enum class Hold : std::uint8_t { kAway, kAsked, kHere, kLeaving };
  enum class Offer : std::uint8_t { kNothing, kFull, kOffered };
  struct Rank {
    Hold hold = Hold::kAway;
    dram::Cycle since;  ///< time of the host's request
    core::RefreshGuard refresh;
    ActivationGuard activations;
  };
  struct Reader {
    core::In<HostRun> runs;
    core::Out<HostRunDone> done;
  };
  /// The words with the NDP port of a rank.
  struct Words {
    core::Out<RankMessage> to_ndp;
    core::In<RankMessage> from_ndp;
  };

  void command(const dram::IssuedCommand& issued) override;
  void completion(dram::RequestId, dram::Cycle) override {}
  [[nodiscard]] dram::RequestId id_of(std::size_t reader, std::size_t at) const;
  [[nodiscard]] OngoingRun& run_of(dram::RequestId id);
  [[nodiscard]] bool is_buffer(std::uint32_t rank) const { return rank >= words_.size(); }
  void catch_up(dram::Cycle now);
  void hear(core::Fs now);
  void take(std::size_t reader, const HostRun& run, core::Fs now);
  [[nodiscard]] bool writing() const;
  std::optional<dram::StopAt> offer_some();
  [[nodiscard]] bool offer_round_robin(dram::Operation operation, std::size_t& next_reader);
  [[nodiscard]] Offer offer_from(std::size_t reader, dram::Operation operation);
  void ask(core::Fs now, const std::vector<std::uint32_t>& wanted);
  void release(core::Fs now, const std::vector<std::uint32_t>& wanted);
  void report(core::Fs now);
  [[nodiscard]] std::vector<std::uint32_t> needed() const;
  [[nodiscard]] core::Fs next_work(core::Fs now, const std::vector<std::uint32_t>& wanted);
  void foresee_ends();
  [[nodiscard]] core::Fs present() const { return clock().edge({controller_.clock().value}); }
  [[nodiscard]] core::Fs bursts_time(std::uint32_t bursts) const;
  void keep(std::optional<core::SimError> error) {
    if (error && !error_) error_ = std::move(error);
  }

  std::vector<Reader> readers_;
  std::vector<Words> words_;  ///< by rank
  core::BusGuard bus_;
  dram::ControllerConfig config_;
  dram::AddressMapper mapper_;  ///< within a rank
  dram::Controller controller_;
  std::vector<Runs> runs_;   ///< by reader
  std::vector<Rank> ranks_;  ///< buffer chips last
  std::size_t next_write_rank_ = 0;
  std::size_t next_read_rank_ = 0;
  std::optional<dram::StopAt> refused_;  ///< the departure that frees space
  HostCounters counters_;
  dram::OpenTime open_time_;
  std::size_t recorded_commands_;
  std::vector<dram::IssuedCommand> commands_;
  core::Fs least_access_;  ///< from a request to the end of its data
  /// The earliest end of a run; for a run without its rank, the minimum time from the rank's
  /// arrival to its end.
  core::Fs ends_from_ = core::kNever;
  core::Fs ends_after_rank_ = core::kNever;
  std::optional<core::SimError> error_;
};

}  // namespace neardata::system
