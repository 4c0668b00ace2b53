// SPDX-License-Identifier: Apache-2.0
//
// The attention engine without its RTL: the same pages in the same order and the same values, and
// kernels that take no time, so that what is seen is the flash, the DRAM and the two dependent
// steps. At most one request a cycle on each port; heads that have ranked go before new ones.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <queue>
#include <string>
#include <vector>

#include "core/clock.h"
#include "unit/sparf_events.h"
#include "unit/sparf_head.h"
#include "unit/sparf_unit.h"

namespace neardata::system {

class CycleSparfUnit final : public unit::SparfUnit {
 public:
  /// Events and observer outlive the unit.
  CycleSparfUnit(const unit::SparfParameters& parameters, unit::SparfPorts ports,
                 const core::Clock& clock, unit::SparfEvents& events,
                 unit::SparfObserver& observer);

  [[nodiscard]] std::string_view name() const override { return "attention engine"; }
  [[nodiscard]] core::Expected<core::Fs> step(core::Fs now) override;
  [[nodiscard]] std::optional<std::string> waits_for() const override;
  [[nodiscard]] std::uint64_t progress() const override { return progress_; }
  void finish(core::Cycle) override {}
  [[nodiscard]] std::int64_t skipped() const override { return skipped_; }

 private:
  /// One descriptor at work. Data of `outstanding` reads are still to come in the present step.
  struct Flight {
    Flight(const unit::SparfTask& task, std::uint32_t width) : head(task, width) {}
    unit::SparfHead head;
    std::size_t outstanding = 0;
    bool unreadable = false;
    std::vector<unit::Half> rows;  ///< queries; of an append key and value
    unit::ValueSums sums;
  };
  using FlightId = std::uint32_t;
  enum class Step : std::uint8_t { kLoad, kRank, kAttend };
  /// What lines of DRAM that were asked for are.
  struct Fetch {
    FlightId flight = 0;
    Step step = Step::kLoad;
    unit::PageKind kind = unit::PageKind::kTokenKeys;  ///< of a row of a step
    std::uint32_t index = 0;                           ///< token, or row; ~0 for sums
    std::uint32_t lines = 1;
  };
  struct PageWait {
    FlightId flight = 0;
    unit::HeadPage page;
  };
  struct Arrival {
    std::int64_t cycle = 0;
    std::uint64_t order = 0;
    std::uint32_t channel = 0;
    unit::SparfPage page;
    friend bool operator>(const Arrival& a, const Arrival& b) {
      return std::pair(a.cycle, a.order) > std::pair(b.cycle, b.order);
    }
  };
  struct Request {
    FlightId flight = 0;
    unit::HeadPage page;
    bool write = false;
  };

  void take_descriptor(core::Fs now);
  void take_pages(core::Fs now);
  void arrive(std::int64_t cycle);
  void take_line(core::Fs now);
  void place(const Fetch& fetch);
  void give_page_request(core::Fs now);
  void give_dram_request(core::Fs now);
  void give_write(core::Fs now);
  void give_done(core::Fs now);

  void read_row(FlightId id, const Fetch& fetch, std::uint32_t line);
  void write_bytes(std::uint32_t line, std::span<const std::byte> bytes);
  void after_load(FlightId id);
  void after_rank(FlightId id);
  void after_attend(FlightId id);
  void append(FlightId id);
  void arrived(FlightId id, Step step);
  [[nodiscard]] bool issues() const;

  unit::SparfParameters parameters_;
  unit::SparfPorts ports_;
  unit::SparfEvents& events_;
  unit::SparfObserver& observer_;
  core::Clock clock_;
  std::uint32_t row_lines_;
  std::uint32_t sum_lines_;
  std::map<FlightId, Flight> flights_;
  FlightId next_flight_ = 0;
  std::deque<Request> rank_requests_;
  std::deque<Request> attend_requests_;
  std::deque<std::pair<std::uint32_t, std::uint32_t>> dram_requests_;  ///< first line, lines
  std::deque<Fetch> fetches_;
  std::vector<std::byte> fetched_;
  struct LastWrite {
    FlightId flight = 0;
    unit::DramWrite write;
    bool last = false;
  };
  std::deque<LastWrite> writes_;
  std::deque<unit::SparfDone> done_;
  std::vector<std::optional<PageWait>> waits_;  ///< by tag
  std::vector<std::uint16_t> free_tags_;
  std::priority_queue<Arrival, std::vector<Arrival>, std::greater<>> arrivals_;
  std::uint64_t order_ = 0;
  std::uint64_t progress_ = 0;
  std::int64_t skipped_ = 0;
  std::int64_t last_cycle_ = -1;
};

}  // namespace neardata::system
