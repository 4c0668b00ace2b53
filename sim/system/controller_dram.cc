// SPDX-License-Identifier: Apache-2.0
#include "system/controller_dram.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace neardata::system {

using core::Expected;
using core::Fs;
using unit::kLineBytes;

ControllerDram::ControllerDram(const DramPortConfig& config, const core::Clock& clock,
                               ByteStore& store, std::uint32_t lines, DramLinks links,
                               Pauses pauses)
    : config_(config),
      clock_(clock),
      store_(store),
      lines_(lines),
      links_(std::move(links)),
      pauses_(pauses),
      bus_("controller DRAM", config.wires),
      latency_("controller DRAM", config.latency) {}

Expected<Fs> ControllerDram::step(Fs now) {
  while (const unit::DramWrite* request = links_.writes->front(now)) {
    if (auto good = check(request->line, now); !good) {
      return std::unexpected(std::move(good).error());
    }
    write(*request);
    links_.writes->pop(now);
    traffic_.in += kLineBytes;
    if (auto done = cross(now, 1, now); !done) return std::unexpected(std::move(done).error());
  }
  for (core::Channel<DramBulk>* bulk : links_.bulks) {
    while (const DramBulk* transfer = bulk->front(now)) {
      (transfer->write ? traffic_.in : traffic_.out) += transfer->bytes;
      const std::uint64_t lines = (transfer->bytes + kLineBytes - 1) / kLineBytes;
      bulk->pop(now);
      if (auto done = cross(now, lines, now); !done)
        return std::unexpected(std::move(done).error());
    }
  }
  const unit::DramRead* request = links_.reads->front(now);
  // Full lines wake this port when the engine takes one.
  if (request == nullptr || now < rested_ || links_.lines->full(now)) return next(now);
  if (auto good = check(request->line, now); !good) {
    return std::unexpected(std::move(good).error());
  }
  traffic_.out += kLineBytes;
  if (auto done = cross(now, 1, now + config_.latency); !done) {
    return std::unexpected(std::move(done).error());
  }
  if (auto fault = latency_.answer(now, free_)) return std::unexpected(*std::move(fault));
  unit::DramLine line;
  std::memcpy(line.data(), store_.burst(request->line), line.size());
  // Arrives at the first edge that is not before the bus has carried it.
  static_cast<void>(links_.lines->try_push(std::max(now, free_ - Fs{1}), line));
  links_.reads->pop(now);
  rested_ = clock_.edge(clock_.after(now) + core::Cycle{pauses_.next()});
  return next(now);
}

/// Lines that cross the bus after all before them, the last no sooner than `least`.
Expected<void> ControllerDram::cross(Fs now, std::uint64_t lines, Fs least) {
  transfers_ += lines;
  const Fs start = std::max(free_, now);
  free_ = std::max(least, start + static_cast<std::int64_t>(lines) * config_.line_time);
  const auto bytes = static_cast<std::int64_t>(lines * kLineBytes);
  if (auto fault = bus_.transfer({bytes}, free_)) return std::unexpected(*std::move(fault));
  return {};
}

Expected<void> ControllerDram::check(std::uint32_t line, Fs now) const {
  if (line < lines_) return {};
  return std::unexpected(core::SimError{core::Fault::kProtocol, "controller DRAM",
                                        "line " + std::to_string(line) +
                                            " was asked for, and the " + std::to_string(lines_) +
                                            " lines before it are in use",
                                        now});
}

void ControllerDram::write(const unit::DramWrite& write) {
  unit::DramLine line = write.data;
  const std::byte* old = store_.burst(write.line);
  for (std::size_t i = 0; i < line.size(); ++i) {
    if ((write.strobe >> i & 1U) == 0) line[i] = old[i];
  }
  store_.write_burst(write.line, line);
}

/// When a request can be taken after `now`.
Fs ControllerDram::next(Fs now) const {
  Fs due = links_.writes->front_time();
  for (const core::Channel<DramBulk>* bulk : links_.bulks) due = std::min(due, bulk->front_time());
  if (!links_.lines->full(now)) {
    due = std::min(due, std::max(links_.reads->front_time(), rested_));
  }
  return std::max(due, clock_.edge(clock_.after(now)));
}

}  // namespace neardata::system
