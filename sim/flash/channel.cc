// SPDX-License-Identifier: Apache-2.0
#include "flash/channel.h"

#include <algorithm>
#include <utility>

namespace neardata::flash {

namespace {

/// Units of a die: itself, its planes, or both.
std::uint32_t units_of_die(PlaneIndependence independence, std::uint32_t planes) {
  switch (independence) {
    case PlaneIndependence::kNone:
      return 1;
    case PlaneIndependence::kReads:
      return planes + 1;
    case PlaneIndependence::kAll:
      return planes;
  }
  std::unreachable();
}

/// A single plane has nothing to be independent of.
PlaneIndependence independence(const Timing& timing, const ChannelShape& shape) {
  return shape.planes == 1 ? PlaneIndependence::kNone : timing.features.independent_planes;
}

}  // namespace

Channel::Channel(const Timing& timing, ChannelShape shape, Arbitration arbitration,
                 std::uint64_t& scheduled)
    : timing_(timing),
      independence_(independence(timing, shape)),
      units_of_die_(units_of_die(independence_, shape.planes)),
      arbitration_(arbitration),
      scheduled_(&scheduled) {
  const bool by_planes = independence_ == PlaneIndependence::kReads;
  units_.reserve(std::size_t{shape.dies} * units_of_die_);
  for (std::uint32_t unit = 0; unit < shape.dies * units_of_die_; ++unit) {
    // Of the units of a die that reads by planes, the last one writes them together.
    const bool one_plane = by_planes && unit % units_of_die_ < shape.planes;
    const std::uint32_t own = by_planes ? shape.planes : shape.planes / units_of_die_;
    units_.emplace_back(one_plane ? 1 : own);
  }
  if (const auto& package = timing.features.package) {
    drawn_.resize((shape.dies + package->dies - 1) / package->dies);
  }
}

void Channel::enqueue(const PageRequest& request) {
  PageSlot slot = 0;
  if (free_slots_.empty()) {
    slot = static_cast<PageSlot>(pages_.size());
    pages_.emplace_back();
  } else {
    slot = free_slots_.back();
    free_slots_.pop_back();
  }
  pages_[slot] = PageJob{request};
  units_[unit_of(request)].queue.push(slot, request);
}

std::uint32_t Channel::unit_of(const PageRequest& request) const {
  const std::uint32_t first = request.address.die * units_of_die_;
  switch (independence_) {
    case PlaneIndependence::kNone:
      return first;
    case PlaneIndependence::kReads:
      if (request.operation != Operation::kRead) return first + units_of_die_ - 1;
      [[fallthrough]];
    case PlaneIndependence::kAll:
      return first + request.address.plane;
  }
  std::unreachable();
}

EventKey Channel::next_event() const {
  return unit_events_.empty() ? bus_event_ : std::min(bus_event_, unit_events_.front().key);
}

void Channel::step(Tick now, std::vector<Completion>& finished) {
  loaded_.clear();
  if (bus_event_.when == now) end_bus_use(now, finished);
  while (!unit_events_.empty() && unit_events_.front().key.when == now) {
    const UnitEvent event = unit_events_.front();
    std::ranges::pop_heap(unit_events_, kLater);
    unit_events_.pop_back();
    if (units_[event.unit].event == event.key.order) end_work(event.unit, now, finished);
  }
  arbitrate(now);
}

void Channel::arbitrate(Tick now) {
  if (bus_ != BusState::kIdle) return;
  if (arbitration_ == Arbitration::kDataFirst) {
    if (!start_data_out(now)) start_command(now);
  } else {
    if (!start_command(now)) start_data_out(now);
  }
}

void Channel::end_bus_use(Tick now, std::vector<Completion>& finished) {
  const BusState was = bus_;
  bus_ = BusState::kIdle;
  bus_event_ = {};
  Unit& unit = units_[bus_unit_];
  if (was == BusState::kDataOut) {
    finish(bus_slot_, now, finished);
    if (--unit.undrained > 0) return;
    if (unit.state == UnitState::kSensed) hand_out(unit);
    if (unit.state == UnitState::kDraining && unit.undrained == 0) unit.state = UnitState::kIdle;
    return;
  }
  if (was == BusState::kSuspend) {
    schedule(bus_unit_, now + timing_.features.suspend);
    return;
  }
  if (was == BusState::kResume) {
    const Tick left = unit.suspended->left;
    unit.suspended.reset();
    write(bus_unit_, left, now);
    return;
  }
  switch (unit.operation) {
    case Operation::kRead:
      unit.state = UnitState::kSensing;
      schedule(bus_unit_,
               now + timing_.sensing(pages_[unit.pages.slots[0]].request.address.page) +
                   (timing_.features.cache_read ? timing_.features.cache_transfer : Tick{}));
      break;
    case Operation::kProgram:
      write(bus_unit_, timing_.program, now);
      for (std::uint32_t i = 0; i < unit.pages.count; ++i) {
        loaded_.push_back(pages_[unit.pages.slots[i]].request.id);
      }
      break;
    case Operation::kErase:
      write(bus_unit_, timing_.erase, now);
      break;
  }
}

void Channel::end_work(std::uint32_t index, Tick now, std::vector<Completion>& finished) {
  Unit& unit = units_[index];
  release(index);
  if (unit.state == UnitState::kSensing) {
    if (unit.undrained > 0) {
      unit.state = UnitState::kSensed;
    } else {
      hand_out(unit);
    }
    return;
  }
  const bool suspended = unit.state == UnitState::kSuspending;
  unit.state = UnitState::kIdle;
  if (suspended) return;
  const CommandPages& pages = unit.pages;
  for (std::uint32_t i = 0; i < pages.count; ++i) finish(pages.slots[i], now, finished);
}

/// The sensed data move to the register that the bus empties; with a cache register the array is
/// free.
void Channel::hand_out(Unit& unit) {
  unit.state = timing_.features.cache_read ? UnitState::kIdle : UnitState::kDraining;
  unit.undrained = unit.pages.count;
  for (std::uint32_t i = 0; i < unit.pages.count; ++i) ready_.push_back(unit.pages.slots[i]);
}

void Channel::write(std::uint32_t index, Tick time, Tick now) {
  Unit& unit = units_[index];
  unit.state = UnitState::kWriting;
  unit.since = now;
  unit.until = now + time;
  // A read may be waiting when the write has reached its minimum progress.
  const NandFeatures& features = timing_.features;
  if (features.suspends && features.run_least < time) schedule(index, now + features.run_least);
  schedule(index, unit.until);
}

bool Channel::may_suspend(std::uint32_t index, Tick now) const {
  const NandFeatures& features = timing_.features;
  const Unit& unit = units_[index];
  return features.suspends && unit.state == UnitState::kWriting && unit.until > now &&
         now - unit.since >= features.run_least &&
         (!features.most_suspends || unit.suspensions < *features.most_suspends) &&
         reads_wait(index);
}

void Channel::suspend(std::uint32_t index, Tick now) {
  Unit& unit = units_[index];
  unit.suspended = {.operation = unit.operation, .pages = unit.pages, .left = unit.until - now};
  unit.event.reset();
  ++unit.suspensions;
  unit.state = UnitState::kSuspending;
  bus_use_.commands = bus_use_.commands + timing_.features.suspend_command;
  take_bus(BusState::kSuspend, timing_.features.suspend_command, index, now);
}

void Channel::resume(std::uint32_t index, Tick now) {
  Unit& unit = units_[index];
  unit.operation = unit.suspended->operation;
  unit.pages = unit.suspended->pages;
  unit.state = UnitState::kCommanded;
  draw(index, unit.operation);
  bus_use_.commands = bus_use_.commands + timing_.features.suspend_command;
  take_bus(BusState::kResume, timing_.features.suspend_command, index, now);
}

void Channel::take_bus(BusState what, Tick time, std::uint32_t index, Tick now) {
  bus_ = what;
  bus_event_ = at(now + time);
  bus_unit_ = index;
}

bool Channel::start_data_out(Tick now) {
  if (ready_.empty()) return false;
  const PageSlot slot = ready_.front();
  ready_.pop_front();
  PageJob& page = pages_[slot];
  page.data_out = now;
  const Tick time = timing_.transfer(page.request.bytes);
  take_bus(BusState::kDataOut, time, unit_of(page.request), now);
  bus_slot_ = slot;
  bus_use_.data = bus_use_.data + time;
  return true;
}

bool Channel::start_command(Tick now) {
  for (std::size_t examined = 0; examined < units_.size(); ++examined) {
    const std::uint32_t index = next_unit_;
    next_unit_ = index + 1 == units_.size() ? 0 : index + 1;
    if (may_suspend(index, now)) {
      suspend(index, now);
      return true;
    }
    const Unit& unit = units_[index];
    if (unit.state != UnitState::kIdle) continue;
    if (!unit.queue.ready(Operation::kRead)) {
      if (start_write(index, now)) return true;
      continue;
    }
    if (writes(index) || !covered(index, Operation::kRead)) continue;
    issue(index, Operation::kRead, now);
    return true;
  }
  return false;
}

/// A suspended write resumes before another one begins. The contents of the registers leave before
/// that.
bool Channel::start_write(std::uint32_t index, Tick now) {
  if (reads_wait(index) || !at_rest(index)) return false;
  const Unit& unit = units_[index];
  if (unit.suspended) {
    if (!covered(index, unit.suspended->operation)) return false;
    resume(index, now);
    return true;
  }
  for (const Operation operation : {Operation::kProgram, Operation::kErase}) {
    if (!unit.queue.ready(operation)) continue;
    if (!covered(index, operation)) return false;
    issue(index, operation, now);
    return true;
  }
  return false;
}

void Channel::issue(std::uint32_t index, Operation operation, Tick now) {
  Unit& unit = units_[index];
  unit.state = UnitState::kCommanded;
  unit.operation = operation;
  unit.pages = unit.queue.take(operation);
  if (operation != Operation::kRead) unit.suspensions = 0;
  draw(index, operation);
  watch_order(unit.pages, operation);
  const std::uint32_t planes = unit.pages.count;
  Tick data;
  for (std::uint32_t i = 0; i < planes; ++i) {
    PageJob& page = pages_[unit.pages.slots[i]];
    page.command = now;
    page.planes = planes;
    if (operation == Operation::kProgram) data = data + timing_.transfer(page.request.bytes);
  }
  const CommandTimes& commands = operation == Operation::kRead      ? timing_.read_command
                                 : operation == Operation::kProgram ? timing_.program_command
                                                                    : timing_.erase_command;
  take_bus(BusState::kCommand, commands[planes] + data, index, now);
  bus_use_.commands = bus_use_.commands + commands[planes];
  bus_use_.data = bus_use_.data + data;
}

void Channel::watch_order(const CommandPages& pages, Operation operation) {
  for (std::uint32_t i = 0; i < pages.count && operation != Operation::kRead; ++i) {
    const PageAddress& address = pages_[pages.slots[i]].request.address;
    if (operation == Operation::kErase) {
      order_.erase(address);
    } else if (const auto fault = order_.program(address); fault && !out_of_order_) {
      out_of_order_ = fault;
    }
  }
}

/// Units that work by themselves in everything have nobody to agree with.
std::span<const Channel::Unit> Channel::together(std::uint32_t index) const {
  if (independence_ != PlaneIndependence::kReads) return {&units_[index], 1};
  return {&units_[index - index % units_of_die_], units_of_die_};
}

bool Channel::reads_wait(std::uint32_t index) const {
  return std::ranges::any_of(together(index),
                             [](const Unit& unit) { return unit.queue.ready(Operation::kRead); });
}

/// Whether a program or an erase is in progress.
bool Channel::writes(std::uint32_t index) const {
  return std::ranges::any_of(together(index), [](const Unit& unit) {
    return unit.state != UnitState::kIdle && unit.operation != Operation::kRead;
  });
}

bool Channel::at_rest(std::uint32_t index) const {
  return std::ranges::all_of(together(index), [](const Unit& unit) {
    return unit.state == UnitState::kIdle && unit.undrained == 0;
  });
}

std::size_t Channel::package_of(std::uint32_t index) const {
  return index / units_of_die_ / timing_.features.package->dies;
}

/// Microamperes of an operation.
std::uint64_t Channel::draws(Operation operation) const {
  return timing_.features.package->draws[static_cast<std::size_t>(operation)];
}

bool Channel::covered(std::uint32_t index, Operation operation) const {
  const auto& package = timing_.features.package;
  return !package || drawn_[package_of(index)] + draws(operation) <= package->most;
}

void Channel::draw(std::uint32_t index, Operation operation) {
  if (timing_.features.package) drawn_[package_of(index)] += draws(operation);
}

/// The array of the unit has finished its operation, or has suspended it.
void Channel::release(std::uint32_t index) {
  if (timing_.features.package) drawn_[package_of(index)] -= draws(units_[index].operation);
}

void Channel::schedule(std::uint32_t index, Tick when) {
  unit_events_.push_back({.key = at(when), .unit = index});
  units_[index].event = unit_events_.back().key.order;
  std::ranges::push_heap(unit_events_, kLater);
}

void Channel::finish(PageSlot slot, Tick now, std::vector<Completion>& finished) {
  const PageJob& page = pages_[slot];
  finished.push_back({.id = page.request.id,
                      .command = page.command,
                      .data_out = page.data_out,
                      .done = now,
                      .planes = page.planes});
  free_slots_.push_back(slot);
}

}  // namespace neardata::flash
