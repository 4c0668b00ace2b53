// SPDX-License-Identifier: Apache-2.0
#include "flash/channel.h"

#include <algorithm>

namespace neardata::flash {

Channel::Channel(const Timing& timing, ChannelShape shape, Arbitration arbitration,
                 std::uint64_t& scheduled)
    : timing_(timing),
      planes_(timing.features.independent_planes ? shape.planes : 1),
      arbitration_(arbitration),
      scheduled_(&scheduled) {
  const std::uint32_t units = shape.dies * planes_;
  dies_.reserve(units);
  for (std::uint32_t unit = 0; unit < units; ++unit) dies_.emplace_back(shape.planes / planes_);
}

void Channel::enqueue(const PageRequest& request) {
  Slot slot = 0;
  if (free_slots_.empty()) {
    slot = static_cast<Slot>(pages_.size());
    pages_.emplace_back();
  } else {
    slot = free_slots_.back();
    free_slots_.pop_back();
  }
  pages_[slot] = Page{request};
  dies_[unit_of(request.address)].queue.push(slot, request);
}

std::uint32_t Channel::unit_of(const PageAddress& address) const {
  return planes_ == 1 ? address.die : address.die * planes_ + address.plane;
}

EventKey Channel::next_event() const {
  return die_events_.empty() ? bus_event_ : std::min(bus_event_, die_events_.front().key);
}

void Channel::step(Tick now, std::vector<Completion>& finished) {
  loaded_.clear();
  if (bus_event_.when == now) end_bus_use(now, finished);
  while (!die_events_.empty() && die_events_.front().key.when == now) {
    const DieEvent event = die_events_.front();
    std::ranges::pop_heap(die_events_, kLater);
    die_events_.pop_back();
    if (dies_[event.die].event == event.key.order) end_die_work(event.die, now, finished);
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
  Die& die = dies_[bus_die_];
  if (was == BusState::kDataOut) {
    finish(bus_slot_, now, finished);
    if (--die.undrained > 0) return;
    if (die.state == DieState::kSensed) hand_out(die);
    if (die.state == DieState::kDraining && die.undrained == 0) die.state = DieState::kIdle;
    return;
  }
  if (was == BusState::kSuspend) {
    schedule(bus_die_, now + timing_.features.suspend);
    return;
  }
  if (was == BusState::kResume) {
    die.operation = die.suspended->operation;
    die.pages = die.suspended->pages;
    const Tick left = die.suspended->left;
    die.suspended.reset();
    write(bus_die_, left, now);
    return;
  }
  switch (die.operation) {
    case Operation::kRead:
      die.state = DieState::kSensing;
      schedule(bus_die_,
               now + timing_.sensing(pages_[die.pages.slots[0]].request.address.page) +
                   (timing_.features.cache_read ? timing_.features.cache_transfer : Tick{}));
      break;
    case Operation::kProgram:
      write(bus_die_, timing_.program, now);
      for (std::uint32_t i = 0; i < die.pages.count; ++i) {
        loaded_.push_back(pages_[die.pages.slots[i]].request.id);
      }
      break;
    case Operation::kErase:
      write(bus_die_, timing_.erase, now);
      break;
  }
}

void Channel::end_die_work(std::uint32_t index, Tick now, std::vector<Completion>& finished) {
  Die& die = dies_[index];
  const CommandPages& pages = die.pages;
  if (die.state == DieState::kSensing) {
    if (die.undrained > 0) {
      die.state = DieState::kSensed;
    } else {
      hand_out(die);
    }
    return;
  }
  if (die.state == DieState::kSuspending) {
    die.state = DieState::kIdle;
    return;
  }
  for (std::uint32_t i = 0; i < pages.count; ++i) finish(pages.slots[i], now, finished);
  die.state = DieState::kIdle;
}

/// What was sensed goes to the register that the bus empties; with a cache the array is free.
void Channel::hand_out(Die& die) {
  die.state = timing_.features.cache_read ? DieState::kIdle : DieState::kDraining;
  die.undrained = die.pages.count;
  for (std::uint32_t i = 0; i < die.pages.count; ++i) ready_.push_back(die.pages.slots[i]);
}

void Channel::write(std::uint32_t index, Tick time, Tick now) {
  Die& die = dies_[index];
  die.state = DieState::kWriting;
  die.since = now;
  die.until = now + time;
  // A read may be waiting when the write has gone on for long enough.
  const NandFeatures& features = timing_.features;
  if (features.suspends && features.run_least < time) schedule(index, now + features.run_least);
  schedule(index, die.until);
}

bool Channel::may_suspend(const Die& die, Tick now) const {
  return timing_.features.suspends && die.state == DieState::kWriting && die.until > now &&
         now - die.since >= timing_.features.run_least && !die.queue.empty(Operation::kRead);
}

void Channel::suspend_or_resume(std::uint32_t index, BusState what, Tick now) {
  Die& die = dies_[index];
  if (what == BusState::kSuspend) {
    die.suspended = {.operation = die.operation, .pages = die.pages, .left = die.until - now};
    die.event.reset();
  }
  die.state = what == BusState::kSuspend ? DieState::kSuspending : DieState::kCommanded;
  const Tick time = timing_.features.suspend_command;
  bus_ = what;
  bus_event_ = at(now + time);
  bus_die_ = index;
  bus_use_.commands = bus_use_.commands + time;
}

bool Channel::start_data_out(Tick now) {
  if (ready_.empty()) return false;
  const Slot slot = ready_.front();
  ready_.pop_front();
  Page& page = pages_[slot];
  page.data_out = now;
  const Tick time = timing_.transfer(page.request.bytes);
  bus_ = BusState::kDataOut;
  bus_event_ = at(now + time);
  bus_die_ = unit_of(page.request.address);
  bus_slot_ = slot;
  bus_use_.data = bus_use_.data + time;
  return true;
}

bool Channel::start_command(Tick now) {
  for (std::size_t examined = 0; examined < dies_.size(); ++examined) {
    const std::uint32_t index = next_die_;
    next_die_ = index + 1 == dies_.size() ? 0 : index + 1;
    const Die& die = dies_[index];
    if (may_suspend(die, now)) {
      suspend_or_resume(index, BusState::kSuspend, now);
      return true;
    }
    if (die.state != DieState::kIdle) continue;
    const bool reads = !die.queue.empty(Operation::kRead);
    // What is in the cache register leaves before anything is written.
    if (!reads && die.undrained > 0) continue;
    if (!reads && die.suspended) {
      suspend_or_resume(index, BusState::kResume, now);
      return true;
    }
    for (const Operation operation : {Operation::kRead, Operation::kProgram, Operation::kErase}) {
      if (die.queue.empty(operation)) continue;
      issue(index, operation, now);
      return true;
    }
  }
  return false;
}

void Channel::issue(std::uint32_t index, Operation operation, Tick now) {
  Die& die = dies_[index];
  die.state = DieState::kCommanded;
  die.operation = operation;
  die.pages = die.queue.take(operation);
  const std::uint32_t planes = die.pages.count;
  Tick data;
  for (std::uint32_t i = 0; i < planes; ++i) {
    Page& page = pages_[die.pages.slots[i]];
    page.command = now;
    page.planes = planes;
    if (operation == Operation::kProgram) data = data + timing_.transfer(page.request.bytes);
  }
  const CommandTimes& commands = operation == Operation::kRead      ? timing_.read_command
                                 : operation == Operation::kProgram ? timing_.program_command
                                                                    : timing_.erase_command;
  bus_ = BusState::kCommand;
  bus_event_ = at(now + commands[planes] + data);
  bus_die_ = index;
  bus_use_.commands = bus_use_.commands + commands[planes];
  bus_use_.data = bus_use_.data + data;
}

void Channel::schedule(std::uint32_t die, Tick when) {
  die_events_.push_back({.key = at(when), .die = die});
  dies_[die].event = die_events_.back().key.order;
  std::ranges::push_heap(die_events_, kLater);
}

void Channel::finish(Slot slot, Tick now, std::vector<Completion>& finished) {
  const Page& page = pages_[slot];
  finished.push_back({.id = page.request.id,
                      .command = page.command,
                      .data_out = page.data_out,
                      .done = now,
                      .planes = page.planes});
  free_slots_.push_back(slot);
}

}  // namespace neardata::flash
