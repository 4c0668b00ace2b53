// SPDX-License-Identifier: Apache-2.0
//
// One flash channel: a bus shared by dies, worked from event to event.
//
// Read, p planes: the bus carries the command and addresses; the die senses; then every page
// crosses the bus by itself. The die takes its next command after its last page has left.
// Program: the bus carries the command and the data of all pages; the die programs. Erase: command,
// then the die. A die serves one command at a time. No status polls. What newer parts do beside
// this (cache reads, independent planes, suspension) is NandFeatures' to switch on.
//
// When the bus is free, `Arbitration` says what goes first: the oldest ready page or a command.
// Commands go round robin over the dies (the pointer moves past every die it looks at), on a die
// reads before programs before erases. Pages of one command become ready together, in queue order.
// Bus and die events of a tick are all handled before the bus is given away again.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <vector>

#include "flash/die_queue.h"
#include "flash/timing.h"
#include "flash/types.h"

namespace neardata::flash {

/// Time the bus was in use, and what for.
struct BusUse {
  Tick commands;
  Tick data;
};

/// A page that began to leave at `start`.
struct DataOut {
  RequestId id;
  Tick start;
};

class Channel {
 public:
  /// `scheduled` counts the events of the device; it outlives the channel.
  Channel(const Timing& timing, ChannelShape shape, Arbitration arbitration,
          std::uint64_t& scheduled);

  /// Puts a request into its die's queue. The bus is not given away before `arbitrate`, so that
  /// requests submitted together are seen together.
  void enqueue(const PageRequest& request);

  /// Gives the bus away at `now` if it is free and a die wants it.
  void arbitrate(Tick now);

  /// The next bus or die event; at kNever when nothing is under way.
  [[nodiscard]] EventKey next_event() const;

  /// Handles every event of tick `now` (that of `next_event()`), appends what finished,
  /// arbitrates.
  void step(Tick now, std::vector<Completion>& finished);

  /// Pages to program whose bytes had all crossed the bus at the last `step`.
  [[nodiscard]] std::span<const RequestId> loaded() const { return loaded_; }

  /// The page that leaves over the bus, if one does, and since when.
  [[nodiscard]] std::optional<DataOut> data_out() const {
    if (bus_ != BusState::kDataOut) return std::nullopt;
    const Page& page = pages_[bus_slot_];
    return DataOut{.id = page.request.id, .start = page.data_out};
  }

  [[nodiscard]] const BusUse& bus_use() const { return bus_use_; }

 private:
  enum class BusState : std::uint8_t { kIdle, kCommand, kSuspend, kResume, kDataOut };
  enum class DieState : std::uint8_t {
    kIdle,
    kCommanded,
    kSensing,
    kSensed,  ///< and the cache register is not free
    kDraining,
    kWriting,
    kSuspending
  };
  /// A program or erase that waits for reads.
  struct Suspended {
    Operation operation = Operation::kProgram;
    CommandPages pages;
    Tick left;
  };
  struct Die {
    explicit Die(std::uint32_t planes) : queue(planes) {}
    DieQueue queue;
    DieState state = DieState::kIdle;
    Operation operation = Operation::kRead;
    CommandPages pages;
    std::uint32_t undrained = 0;
    std::optional<std::uint64_t> event;  ///< order of that which ends what the die does
    Tick since;                          ///< it writes
    Tick until;
    std::optional<Suspended> suspended;
  };
  struct Page {
    PageRequest request{};
    Tick command{};
    Tick data_out = kNever;
    std::uint32_t planes = 1;
  };
  struct DieEvent {
    EventKey key;
    std::uint32_t die;
  };
  static constexpr auto kLater = [](const DieEvent& a, const DieEvent& b) { return a.key > b.key; };

  void end_bus_use(Tick now, std::vector<Completion>& finished);
  void end_die_work(std::uint32_t die, Tick now, std::vector<Completion>& finished);
  bool start_data_out(Tick now);
  bool start_command(Tick now);
  void issue(std::uint32_t die, Operation operation, Tick now);
  [[nodiscard]] bool may_suspend(const Die& die, Tick now) const;
  void suspend_or_resume(std::uint32_t die, BusState what, Tick now);
  void write(std::uint32_t die, Tick time, Tick now);
  void hand_out(Die& die);
  [[nodiscard]] std::uint32_t unit_of(const PageAddress& address) const;
  EventKey at(Tick when) { return {.when = when, .order = (*scheduled_)++}; }
  void schedule(std::uint32_t die, Tick when);
  void finish(Slot slot, Tick now, std::vector<Completion>& finished);

  Timing timing_;
  std::uint32_t planes_;  ///< of a die, that are units of their own
  Arbitration arbitration_;
  std::uint64_t* scheduled_;
  std::vector<Die> dies_;  ///< or their planes
  std::uint32_t next_die_ = 0;

  std::vector<Page> pages_;
  std::vector<Slot> free_slots_;
  std::deque<Slot> ready_;

  BusState bus_ = BusState::kIdle;
  EventKey bus_event_;
  std::uint32_t bus_die_ = 0;
  Slot bus_slot_ = 0;
  std::vector<RequestId> loaded_;
  BusUse bus_use_;
  std::vector<DieEvent> die_events_;  // heap, earliest on top
};

}  // namespace neardata::flash
