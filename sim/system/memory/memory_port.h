// SPDX-License-Identifier: Apache-2.0
//
// One sub-channel behind one stream of the unit: accepts read requests and writes, and answers
// reads. Guards check it against its pins and its shortest latency. The two kinds, DDR5 and ideal,
// differ only in the times of the answers.
//
// A memory knows the time of an answer when it issues the read, a read latency ahead, and no later
// request changes it. Therefore a port lags behind: it sleeps while no answer can be due, and then
// processes the past cycles, every request in the cycle in which it became visible. Its answers and
// their times equal those of a port that is called in every cycle.
//
// A read returns the last earlier write, in the order of acceptance, a write before a read in one
// cycle; no controller may reorder them.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/burst.h"
#include "core/clock.h"
#include "core/guard.h"
#include "core/part.h"
#include "dram/handed_rank.h"
#include "system/memory/activation_guard.h"
#include "system/memory/burst_history.h"
#include "system/memory/byte_store.h"
#include "system/memory/pauses.h"

namespace neardata::system {

struct WriteRequest {
  static constexpr core::MessageType kMessage{"write request", core::kBurstBytes};
  std::uint32_t burst = 0;
  std::uint32_t tag = 0;    ///< returned with the end of a background write; below 65536
  bool background = false;  ///< set by the port
  bool has_data = false;    ///< false from a model that moves no values
  std::array<std::byte, core::kBurstBytes> data{};
};

/// A background write has its last data on the bus.
struct WriteDone {
  static constexpr core::MessageType kMessage{"end of a write"};
  std::uint32_t tag = 0;
};

/// A request for a rank, or its transfer to the other controller of its banks.
struct RankMessage {
  static constexpr core::MessageType kMessage{"rank message"};
  bool give = false;
  dram::HandedRank rank;
  std::int64_t refreshes = 0;  ///< that the rank received since the start of the run
  ActivationAccount activations{};
};

/// Limits of a sub-channel's wires; independent of its model.
struct BusLimits {
  core::BusRate rate;
  core::Cycle read_latency;  ///< request to last data at best, in cycles of the memory clock
  core::RefreshRate refresh{};
  std::optional<ActivationLimits> activations{};  ///< of a memory with refresh management
};

/// The contents of a port's memory, and whether its unit needs the bytes.
struct PortContents {
  ByteStore& store;
  /// Records every read and write if the unit has no values; null if no job reads a burst that
  /// changes.
  BurstHistory* history = nullptr;
  bool values = true;
};

struct MemoryPortSetup {
  PortContents contents;  ///< outlive the port
  BusLimits limits;
  Pauses pauses;
};

struct PortCounters {
  std::uint64_t read_bursts = 0;
  std::uint64_t write_bursts = 0;
  std::uint64_t row_hits = 0;
  std::uint64_t row_misses = 0;
  std::uint64_t row_conflicts = 0;
  std::uint64_t activates = 0;
  std::uint64_t precharges = 0;
  std::uint64_t refreshes = 0;         ///< sent by the port
  std::uint64_t rank_refreshes = 0;    ///< sent to the rank, by the host as well
  std::uint64_t refreshes_due = 0;     ///< due in the time of the run
  std::uint64_t rank_managements = 0;  ///< RFMs sent to the rank, by the host as well
  std::int64_t refresh_cycles =
      0;  ///< cycles of the memory clock in which a refresh blocked the rank or banks
  std::int64_t bus_cycles = 0;         ///< the data bus carried data, memory clock
  std::uint64_t open_bank_cycles = 0;  ///< cycles with a row open, over all banks, memory clock
};

/// The edge of requests must have a larger capacity than the unit's outstanding requests, so that
/// late visibility of free space does not change the timing. A second client, the background, may
/// access the memory in addition to the unit. Arbitration is round-robin if both wait.
class MemoryPort : public core::Part {
 public:
  /// `issue_latency`: minimum time from a command or request to the answer that it determines.
  MemoryPort(core::Placement place, const MemoryPortSetup& setup, core::Cycle issue_latency);

  void declare(core::PortList& ports) override;
  [[nodiscard]] core::Expected<core::Fs> step(core::Fs now) final;
  void pass(core::Fs t) final;
  [[nodiscard]] std::optional<std::string> waits_for() const override;
  [[nodiscard]] std::uint64_t progress() const override { return answered_ + written_; }

  /// Does the postponed work up to the end of the run, including refreshes. @returns the error that
  /// it detects
  [[nodiscard]] std::optional<core::SimError> finish(core::Fs end);
  [[nodiscard]] virtual PortCounters counters() const = 0;
  /// Minimum time from a client's write request to its end message.
  [[nodiscard]] core::Fs least_write_time() const { return issue_latency_; }

 protected:
  /// Simulates all cycles up to and including `to`, or fewer: until one in which a read left its
  /// queue, if `until_room`. Returns the cycle reached. Answers are reported by `answer` and
  /// `written`.
  virtual core::Cycle advance(core::Cycle to, bool until_room) = 0;
  /// At the end of cycle `now`; false if the queue is full.
  [[nodiscard]] virtual bool offer_read(const core::ReadRequest& request, core::Cycle now) = 0;
  [[nodiscard]] virtual bool offer_write(const WriteRequest& request, core::Cycle now) = 0;
  /// The first cycle with an action if nothing is offered; empty if there is none.
  [[nodiscard]] virtual std::optional<core::Cycle> next_event() = 0;

  /// A read has its last data in cycle `end`. `on_bus` is the number of bytes of its last access on
  /// the pins; 0 when the data did not cross the pins.
  void answer(const core::ReadRequest& request, core::Cycle end, std::uint32_t on_bus);
  /// A write has its last data on the bus in cycle `end`; `tag` is that of a background write, and
  /// `on_bus` the number of bytes of its last access.
  void written(core::Cycle end, std::uint32_t on_bus,
               std::optional<std::uint32_t> tag = std::nullopt);
  /// An access that is not the last one of its read or write has its last data in cycle `end`.
  void transferred(core::Cycle end, std::uint32_t bytes, bool is_read);
  [[nodiscard]] core::Fs present() const { return present_.time(); }
  [[nodiscard]] core::Cycle present_cycle() const { return present_.cycle(); }
  /// Words with the host, where it uses the same rank.
  core::In<RankMessage> from_host_;
  core::Out<RankMessage> to_host_;
  /// Receives host messages that are visible at `now`, in the present cycle.
  virtual void hear_host(core::Fs /*now*/) {}
  /// The run has ended in the present cycle.
  virtual void end_run() {}
  /// Whether the next event must be processed without a delay.
  [[nodiscard]] virtual bool in_haste() const { return false; }

  /// Marks the tags of reads of the background.
  static constexpr std::uint32_t kBackground = 1U << 31U;
  /// Ends the run with the first error of the port.
  void keep(std::optional<core::SimError> error) {
    if (error && !error_) error_ = std::move(error);
  }

 private:
  using Burst = std::array<std::byte, core::kBurstBytes>;
  /// An accepted read: its time, and the address of its bytes.
  struct Taken {
    core::Fs time;
    const std::byte* bytes = nullptr;
    std::unique_ptr<Burst> copy;

    /// A copy of the present bytes, independent of later writes.
    void keep_bytes() {
      if (!copy) copy = std::make_unique<Burst>();
      std::memcpy(copy->data(), bytes, copy->size());
      bytes = copy->data();
    }
  };

  void catch_up();
  void answer_background(const core::ReadRequest& request, const Taken& read, core::Fs time);
  void take_reads();
  [[nodiscard]] bool take_read(const core::In<core::ReadRequest>& from, bool background,
                               core::Fs now);
  [[nodiscard]] Taken& taken(std::uint32_t tag) {
    return (tag & kBackground) != 0 ? background_reads_[tag & ~kBackground] : own_reads_[tag];
  }
  void accept(const WriteRequest& write);
  [[nodiscard]] bool take_writes(core::Fs now);
  [[nodiscard]] bool take_writes(const core::In<WriteRequest>& from, bool background, core::Fs now);
  [[nodiscard]] core::Fs next_request() const {
    return std::min(first_[kRequests], first_[kBackgroundRequests]);
  }
  [[nodiscard]] core::Fs next_work(bool write_refused);

  core::In<core::ReadRequest> requests_;
  core::Out<core::ReadResponse> responses_;
  core::In<WriteRequest> writes_;
  struct Background {
    core::In<core::ReadRequest> requests;
    core::Out<core::ReadResponse> responses;
    core::In<WriteRequest> writes;
    core::Out<WriteDone> written;
  };
  Background background_;
  /// Arrival of the first message of each input.
  enum : std::uint8_t { kRequests, kBackgroundRequests, kWrites, kBackgroundWrites, kInputs };
  std::array<core::Fs, kInputs> first_;

  PortContents contents_;
  core::BusGuard read_bus_;
  core::BusGuard write_bus_;
  core::LatencyGuard latency_;
  Pauses pauses_;
  core::Fs issue_latency_;

  core::EdgeCursor present_;  ///< the cycle that the memory has reached
  core::EdgeCursor next_;     ///< the one after that in which the port was called
  core::EdgeCursor ending_;   ///< when the last answer has its last data
  bool read_refused_ = false;
  bool background_is_next_ = false;
  /// By tag without its mark. They stay where they are: answers point to them.
  std::deque<Taken> own_reads_;
  std::deque<Taken> background_reads_;
  core::Fs last_push_;
  core::Fs last_background_push_;
  std::uint64_t taken_ = 0;
  std::uint64_t answered_ = 0;
  std::uint64_t writes_taken_ = 0;
  std::uint64_t written_ = 0;
  std::optional<core::SimError> error_;
};

}  // namespace neardata::system
