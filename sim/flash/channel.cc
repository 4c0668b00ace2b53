// SPDX-License-Identifier: Apache-2.0
#include "flash/channel.h"

#include <algorithm>

namespace neardata::flash {

Channel::Channel(const Timing& timing, ChannelShape shape, Arbitration arbitration,
                 std::uint64_t& scheduled)
    : timing_(timing), arbitration_(arbitration), scheduled_(&scheduled) {
  dies_.reserve(shape.dies);
  for (std::uint32_t die = 0; die < shape.dies; ++die) {
    dies_.emplace_back(shape.planes);
  }
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
  dies_[request.address.die].queue.push(slot, request);
}

EventKey Channel::next_event() const {
  return die_events_.empty() ? bus_event_ : std::min(bus_event_, die_events_.front().key);
}

void Channel::step(Tick now, std::vector<Completion>& finished) {
  loaded_.clear();
  if (bus_event_.when == now) end_bus_use(now, finished);
  while (!die_events_.empty() && die_events_.front().key.when == now) {
    const std::uint32_t die = die_events_.front().die;
    std::ranges::pop_heap(die_events_, kLater);
    die_events_.pop_back();
    end_die_work(die, now, finished);
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
    if (--die.undrained == 0) die.state = DieState::kIdle;
    return;
  }
  switch (die.operation) {
    case Operation::kRead:
      die.state = DieState::kSensing;
      schedule(bus_die_, now + timing_.sensing(pages_[die.pages.slots[0]].request.address.page));
      break;
    case Operation::kProgram:
      die.state = DieState::kWriting;
      schedule(bus_die_, now + timing_.program);
      for (std::uint32_t i = 0; i < die.pages.count; ++i) {
        loaded_.push_back(pages_[die.pages.slots[i]].request.id);
      }
      break;
    case Operation::kErase:
      die.state = DieState::kWriting;
      schedule(bus_die_, now + timing_.erase);
      break;
  }
}

void Channel::end_die_work(std::uint32_t index, Tick now, std::vector<Completion>& finished) {
  Die& die = dies_[index];
  const CommandPages& pages = die.pages;
  if (die.state == DieState::kSensing) {
    die.state = DieState::kDraining;
    die.undrained = pages.count;
    for (std::uint32_t i = 0; i < pages.count; ++i) ready_.push_back(pages.slots[i]);
    return;
  }
  for (std::uint32_t i = 0; i < pages.count; ++i) finish(pages.slots[i], now, finished);
  die.state = DieState::kIdle;
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
  bus_die_ = page.request.address.die;
  bus_slot_ = slot;
  bus_use_.data = bus_use_.data + time;
  return true;
}

bool Channel::start_command(Tick now) {
  for (std::size_t examined = 0; examined < dies_.size(); ++examined) {
    const std::uint32_t index = next_die_;
    next_die_ = index + 1 == dies_.size() ? 0 : index + 1;
    const Die& die = dies_[index];
    if (die.state != DieState::kIdle) continue;
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
