// SPDX-License-Identifier: Apache-2.0
//
// One flash channel: a bus shared by dies, simulated by events.
//
// Read, p planes: the bus carries the command and addresses; the die senses; then every page
// crosses the bus separately. The die accepts its next command after its last page has left.
// Program: the bus carries the command and the data of all pages; the die programs. Erase: command,
// then the die. A die serves one command at a time. No status polls. NandFeatures enables the
// features of newer parts: cache reads, independent planes, suspension, a budget of current.
//
// When the bus is free, `Arbitration` selects the next transfer: the oldest ready page or a
// command. Commands go round robin over the dies (the pointer moves past every die it looks at), on
// a die reads before programs before erases. Programs and erases of one block keep their order,
// which a guard watches. Pages of one command become ready together, in queue order. All bus and
// die events of a tick are handled before the next arbitration of the bus.
//
// With independent planes, each plane of a die is a unit that accepts reads, and the die is another
// unit that accepts programs and erases. A plane senses while its die does not write; the die
// writes when no read waits for a plane of it, all planes are at rest and their registers are
// empty.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <vector>

#include "flash/die_queue.h"
#include "flash/program_order.h"
#include "flash/timing.h"
#include "flash/types.h"

namespace neardata::flash {

/// Time of the bus, by use.
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

  /// Enqueues a request in its die's queue. The bus is not granted before `arbitrate`, so that
  /// requests submitted together are arbitrated together.
  void enqueue(const PageRequest& request);

  /// Grants the bus at `now` if it is free and a die requests it.
  void arbitrate(Tick now);

  /// The next bus or die event; at kNever if nothing is in progress.
  [[nodiscard]] EventKey next_event() const;

  /// Handles every event of tick `now` (that of `next_event()`), appends the completions,
  /// arbitrates.
  void step(Tick now, std::vector<Completion>& finished);

  /// Pages to program whose bytes had all crossed the bus at the last `step`.
  [[nodiscard]] std::span<const RequestId> loaded() const { return loaded_; }

  /// The page that leaves over the bus, if one does, and since when.
  [[nodiscard]] std::optional<DataOut> data_out() const {
    if (bus_ != BusState::kDataOut) return std::nullopt;
    const PageJob& page = pages_[bus_slot_];
    return DataOut{.id = page.request.id, .start = page.data_out};
  }

  [[nodiscard]] const BusUse& bus_use() const { return bus_use_; }

  /// The first page that was programmed out of order, if any: the run is worth nothing then.
  [[nodiscard]] const std::optional<OutOfOrder>& out_of_order() const { return out_of_order_; }

 private:
  enum class BusState : std::uint8_t { kIdle, kCommand, kSuspend, kResume, kDataOut };
  enum class UnitState : std::uint8_t {
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
  /// A die, or a part of it that works by itself.
  struct Unit {
    explicit Unit(std::uint32_t planes) : queue(planes) {}
    DieQueue queue;
    UnitState state = UnitState::kIdle;
    Operation operation = Operation::kRead;
    CommandPages pages;
    std::uint32_t undrained = 0;
    std::optional<std::uint64_t> event;  ///< order of the event that ends the unit's operation
    Tick since;                          ///< it writes
    Tick until;
    std::optional<Suspended> suspended;
    std::uint32_t suspensions = 0;  ///< of the program or erase that it is at
  };
  struct PageJob {
    PageRequest request{};
    Tick command{};
    Tick data_out = kNever;
    std::uint32_t planes = 1;
  };
  struct UnitEvent {
    EventKey key;
    std::uint32_t unit;
  };
  static constexpr auto kLater = [](const UnitEvent& a, const UnitEvent& b) {
    return a.key > b.key;
  };

  void end_bus_use(Tick now, std::vector<Completion>& finished);
  void end_work(std::uint32_t index, Tick now, std::vector<Completion>& finished);
  bool start_data_out(Tick now);
  bool start_command(Tick now);
  bool start_write(std::uint32_t index, Tick now);
  void issue(std::uint32_t index, Operation operation, Tick now);
  void watch_order(const CommandPages& pages, Operation operation);
  [[nodiscard]] bool may_suspend(std::uint32_t index, Tick now) const;
  void suspend(std::uint32_t index, Tick now);
  void resume(std::uint32_t index, Tick now);
  void take_bus(BusState what, Tick time, std::uint32_t index, Tick now);
  void write(std::uint32_t index, Tick time, Tick now);
  void hand_out(Unit& unit);
  [[nodiscard]] std::uint32_t unit_of(const PageRequest& request) const;
  /// The units of the same die that must agree on reads and writes, including this one.
  [[nodiscard]] std::span<const Unit> together(std::uint32_t index) const;
  [[nodiscard]] bool reads_wait(std::uint32_t index) const;
  [[nodiscard]] bool writes(std::uint32_t index) const;
  [[nodiscard]] bool at_rest(std::uint32_t index) const;
  [[nodiscard]] std::size_t package_of(std::uint32_t index) const;
  [[nodiscard]] std::uint64_t draws(Operation operation) const;
  /// Whether the package has current left for such a command.
  [[nodiscard]] bool covered(std::uint32_t index, Operation operation) const;
  void draw(std::uint32_t index, Operation operation);
  void release(std::uint32_t index);
  EventKey at(Tick when) { return {.when = when, .order = (*scheduled_)++}; }
  void schedule(std::uint32_t index, Tick when);
  void finish(PageSlot slot, Tick now, std::vector<Completion>& finished);

  Timing timing_;
  PlaneIndependence independence_;
  std::uint32_t units_of_die_;
  Arbitration arbitration_;
  std::uint64_t* scheduled_;
  std::vector<Unit> units_;  ///< die by die
  std::uint32_t next_unit_ = 0;
  std::vector<std::uint64_t> drawn_;  ///< microamperes, by package
  ProgramOrder order_;
  std::optional<OutOfOrder> out_of_order_;

  std::vector<PageJob> pages_;
  std::vector<PageSlot> free_slots_;
  std::deque<PageSlot> ready_;

  BusState bus_ = BusState::kIdle;
  EventKey bus_event_;
  std::uint32_t bus_unit_ = 0;
  PageSlot bus_slot_ = 0;
  std::vector<RequestId> loaded_;
  BusUse bus_use_;
  std::vector<UnitEvent> unit_events_;  // heap, earliest on top
};

}  // namespace neardata::flash
