// SPDX-License-Identifier: Apache-2.0
//
// One sub-channel behind one stream of the unit: takes read requests and writes, answers reads, and
// is watched by guards that know its pins and its shortest latency. The two kinds, DDR5 and ideal,
// differ in when they answer and in nothing else.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/channel.h"
#include "core/clock.h"
#include "core/component.h"
#include "core/guard.h"
#include "system/byte_store.h"
#include "system/pauses.h"
#include "unit/ndp_unit.h"

namespace neardata::system {

/// A write whose bytes are in the store already.
struct WriteRequest {
  std::uint32_t burst = 0;
};

/// What the wires of a sub-channel allow; independent of the model behind it.
struct BusLimits {
  core::BusRate rate;
  core::Cycle read_latency;  ///< request to last data at best, in cycles of the memory clock
};

struct PortCounters {
  std::uint64_t read_bursts = 0;
  std::uint64_t write_bursts = 0;
  std::uint64_t row_hits = 0;
  std::uint64_t row_misses = 0;
  std::uint64_t row_conflicts = 0;
  std::uint64_t activates = 0;
  std::uint64_t precharges = 0;
  std::uint64_t refreshes = 0;
  std::int64_t refresh_cycles = 0;  ///< a refresh kept the rank from work, memory clock
  std::int64_t bus_cycles = 0;      ///< the data bus carried data, memory clock
};

/// The port's ends of its channels, and where the bytes are.
struct PortLinks {
  core::Channel<unit::ReadRequest>* requests = nullptr;
  core::Channel<unit::ReadResponse>* responses = nullptr;
  core::Channel<WriteRequest>* writes = nullptr;
  const ByteStore* store = nullptr;
};

class MemoryPort : public core::Component {
 public:
  MemoryPort(std::string name, const core::Clock& clock, const PortLinks& links,
             const BusLimits& limits, Pauses pauses);

  [[nodiscard]] std::string_view name() const override { return name_; }
  [[nodiscard]] core::Expected<core::Fs> step(core::Fs now) final;
  [[nodiscard]] std::optional<std::string> waits_for() const override;
  [[nodiscard]] std::uint64_t progress() const override { return answered_ + written_; }

  /// Does the housekeeping (refreshes) that was put off while the port slept.
  virtual void settle(core::Fs end) = 0;
  [[nodiscard]] virtual PortCounters counters() const = 0;

 protected:
  /// Everything up to and including cycle `now`; answers through `answer`, `written`.
  virtual void advance(core::Cycle now) = 0;
  /// False when there is no room; the request is offered again when `retry` says.
  [[nodiscard]] virtual bool offer_read(const unit::ReadRequest& request, core::Cycle now) = 0;
  [[nodiscard]] virtual bool offer_write(const WriteRequest& request, core::Cycle now) = 0;
  /// No answer before this cycle; nothing when none is to come.
  [[nodiscard]] virtual std::optional<core::Cycle> next_answer() = 0;
  /// When a refused request may find room.
  [[nodiscard]] virtual std::optional<core::Cycle> retry() = 0;

  /// A read is complete. `on_bus` is false when its data never crossed the pins.
  void answer(const unit::ReadRequest& request, bool on_bus);
  /// A write has its last data on the bus in cycle `end`.
  void written(core::Cycle end);

  [[nodiscard]] const core::Clock& clock() const { return clock_; }

 private:
  void keep(std::optional<core::SimError> error) {
    if (error && !error_) error_ = std::move(error);
  }
  [[nodiscard]] bool take_requests(core::Fs now);
  [[nodiscard]] core::Fs next_work(bool refused);
  [[nodiscard]] core::Fs time_of(core::Cycle cycle) const;

  std::string name_;
  core::Clock clock_;
  core::EdgeCursor edge_;  ///< the present cycle
  PortLinks links_;
  core::BusGuard read_bus_;
  core::BusGuard write_bus_;
  core::LatencyGuard latency_;
  Pauses pauses_;
  std::vector<core::Fs> asked_;  ///< by tag
  core::Fs last_push_;
  std::uint64_t taken_ = 0;
  std::uint64_t answered_ = 0;
  std::uint64_t writes_taken_ = 0;
  std::uint64_t written_ = 0;
  std::optional<core::SimError> error_;
};

}  // namespace neardata::system
