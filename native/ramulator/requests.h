// SPDX-License-Identifier: Apache-2.0
//
// The requests inside a Ramulator channel, and their statistics. The queues are reconstructed from
// the commands: ACT moves a request to the active queue while the queue has space, RD and WR end
// the wait.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <vector>

#include "dram/config.h"
#include "dram/statistics.h"
#include "dram/types.h"

namespace neardata::native::ramulator {

/// A request in flight. Its address is Ramulator's payload, so the object does not move in memory.
struct Flight {
  dram::Request request;
  dram::Cycle accept;
  std::size_t bank = 0;
  bool served = false;     ///< a command has issued for it
  bool active = false;     ///< in the active queue
  bool issued = false;     ///< its RD or WR has issued
  bool forwarded = false;  ///< answered from the write queue
};

class Requests {
 public:
  /// `active_room`: capacity of the active queue.
  Requests(const dram::ControllerConfig& config, std::size_t active_room)
      : kinds(config.commands), organization_(config.organization), active_room_(active_room) {
    const dram::Organization& o = config.organization;
    statistics_.banks.resize(std::size_t{o.ranks} * o.bank_groups * o.banks_per_group);
  }

  dram::Commands kinds;

  Flight& take(const dram::Request& request, dram::Cycle now) {
    if (spare_.empty()) spare_.push_back(&flights_.emplace_back());
    Flight& flight = *spare_.back();
    flight = Flight{.request = request, .accept = now, .bank = bank_of(request.where)};
    flight.forwarded = request.operation == dram::Operation::kRead &&
                       std::ranges::any_of(waiting_writes_, [&](const Flight* write) {
                         return write->request.address == request.address;
                       });
    return flight;
  }

  /// The last allocated flight was sent.
  void entered(Flight& flight) {
    spare_.pop_back();
    ++inside_;
    if (flight.forwarded) {
      ++statistics_.forwarded_reads;
    } else if (flight.request.operation == dram::Operation::kRead) {
      ++waiting_reads_;
    } else {
      waiting_writes_.push_back(&flight);
    }
  }

  /// The last allocated flight was sent and is complete at once, because another write of its
  /// address is queued.
  void absorbed() {
    spare_.pop_back();
    ++inside_;
  }

  /// A cycle begins.
  void count_cycle() {
    statistics_.read_queue_cycles += waiting_reads_;
    statistics_.write_queue_cycles += waiting_writes_.size();
    statistics_.active_queue_cycles += active_;
  }

  void count(dram::Command command) { ++statistics_.commands[dram::index(command)]; }

  void issued(Flight& flight, dram::Command command) {
    dram::BankStatistics& bank = statistics_.banks[flight.bank];
    const dram::Effect effect = kinds.effect(command);
    if (!std::exchange(flight.served, true)) {
      ++(effect.action == dram::Action::kOpen    ? bank.misses
         : effect.action == dram::Action::kClose ? bank.conflicts
                                                 : bank.hits);
    }
    if (effect.action == dram::Action::kOpen) {
      if (active_ == active_room_) return;
      leave(flight);
      flight.active = true;
      ++active_;
    } else if (effect.accesses()) {
      ++(effect.action == dram::Action::kRead ? bank.reads : bank.writes);
      leave(flight);
      flight.issued = true;
    }
  }

  void completed(Flight& flight, dram::Cycle when) {
    const bool read = flight.request.operation == dram::Operation::kRead;
    ++(read ? statistics_.reads : statistics_.writes);
    (read ? statistics_.read_latency : statistics_.write_latency).add(when - flight.accept);
    --inside_;
    spare_.push_back(&flight);
  }

  [[nodiscard]] std::size_t inside() const { return inside_; }
  [[nodiscard]] std::size_t waiting_reads() const { return waiting_reads_; }
  [[nodiscard]] std::size_t waiting_writes() const { return waiting_writes_.size(); }
  [[nodiscard]] const dram::Statistics& statistics() const { return statistics_; }

 private:
  [[nodiscard]] std::size_t bank_of(const dram::Location& at) const {
    const std::size_t group = std::size_t{at.rank} * organization_.bank_groups + at.bank_group;
    return group * organization_.banks_per_group + at.bank;
  }

  void leave(Flight& flight) {
    if (flight.active) {
      --active_;
    } else if (flight.request.operation == dram::Operation::kRead) {
      --waiting_reads_;
    } else {
      std::erase(waiting_writes_, &flight);
    }
  }

  dram::Organization organization_;
  std::size_t active_room_;
  std::deque<Flight> flights_;
  std::vector<Flight*> spare_;
  std::vector<Flight*> waiting_writes_;
  std::size_t waiting_reads_ = 0;
  std::size_t active_ = 0;
  std::size_t inside_ = 0;
  dram::Statistics statistics_;
};

}  // namespace neardata::native::ramulator
