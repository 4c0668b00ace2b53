// SPDX-License-Identifier: Apache-2.0
//
// The host's side of one sub-channel: a controller whose ranks belong to two DIMMs in NDP mode. It
// serves runs of reads, those of one reader in order, readers taking turns burst by burst. It asks
// for the rank of a run when the run before it nears its end, and gives a rank back as soon as no
// run that it works on needs it: the host comes first, but holds nothing it does not read.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "core/channel.h"
#include "core/component.h"
#include "core/guard.h"
#include "dram/address_mapper.h"
#include "dram/controller.h"
#include "system/dram_port.h"
#include "system/memory_port.h"

namespace neardata::system {

/// Bursts that lie behind each other in a rank of the sub-channel.
struct HostRun {
  std::uint32_t rank = 0;
  std::uint32_t burst = 0;
  std::uint32_t bursts = 0;
};

/// The oldest run of the reader is complete.
struct HostRunDone {};

/// The port's ends of its channels: by reader, and by rank the words with its NDP port.
struct HostLinks {
  struct Reader {
    core::Channel<HostRun>* runs = nullptr;
    core::Channel<HostRunDone>* done = nullptr;
  };
  struct Rank {
    core::Channel<RankMessage>* to_ndp = nullptr;
    core::Channel<RankMessage>* from_ndp = nullptr;
  };
  std::vector<Reader> readers;
  std::vector<Rank> ranks;
};

/// Readings of a host port; times in cycles of the memory clock.
struct HostCounters {
  std::uint64_t bursts = 0;
  std::uint64_t hand_overs = 0;    ///< ranks that came from NDP
  std::vector<std::int64_t> held;  ///< by rank, cycles from the host's wish to the rank's return
};

class HostPort final : public core::Component, private dram::Sink {
 public:
  /// `config` is that of one rank; the port has as many as `links.ranks`.
  HostPort(std::string name, const core::Clock& clock, const HostLinks& links,
           const core::BusRate& bus, const DramConfig& config);

  [[nodiscard]] std::string_view name() const override { return name_; }
  [[nodiscard]] core::Expected<core::Fs> step(core::Fs now) override;
  [[nodiscard]] std::optional<std::string> waits_for() const override;
  [[nodiscard]] std::uint64_t progress() const override { return counters_.bursts; }

  [[nodiscard]] const HostCounters& counters() const { return counters_; }

 private:
  struct Run {
    HostRun what;
    std::uint32_t offered = 0;
    std::uint32_t answered = 0;
    core::Fs end = core::kNever;  ///< the last data is here
  };
  enum class Hold : std::uint8_t { kAway, kAsked, kHere, kLeaving };
  struct Rank {
    Hold hold = Hold::kAway;
    dram::Cycle since;  ///< the host asked for it
  };

  void command(const dram::IssuedCommand& issued) override;
  void completion(dram::RequestId, dram::Cycle) override {}
  void catch_up(dram::Cycle now);
  void hear(core::Fs now);
  bool offer_some();
  bool offer_from(std::size_t reader);
  void ask(core::Fs now);
  void release(core::Fs now);
  void report(core::Fs now);
  [[nodiscard]] std::vector<bool> needed() const;
  [[nodiscard]] core::Fs next_work(core::Fs now);
  void keep(std::optional<core::SimError> error) {
    if (error && !error_) error_ = std::move(error);
  }

  std::string name_;
  core::Clock clock_;
  HostLinks links_;
  core::BusGuard bus_;
  dram::ControllerConfig config_;
  dram::AddressMapper mapper_;  ///< within a rank
  dram::Controller controller_;
  std::vector<std::deque<Run>> runs_;  ///< by reader
  std::vector<Rank> ranks_;
  std::size_t turn_ = 0;
  bool refused_ = false;
  HostCounters counters_;
  std::optional<core::SimError> error_;
};

}  // namespace neardata::system
