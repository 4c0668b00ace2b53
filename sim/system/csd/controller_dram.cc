// SPDX-License-Identifier: Apache-2.0
#include "system/csd/controller_dram.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace neardata::system {

using core::Expected;
using core::Fs;
using unit::kLineBytes;

namespace {

/// No speed bin of DDR4 has a shorter tAA (JESD79-4).
constexpr Fs kLeastRead{12'500'000};

}  // namespace

ControllerDram::ControllerDram(core::Placement place, const ControllerDramConfig& config,
                               ByteStore& store, std::uint32_t lines, Pauses pauses)
    : Part(std::move(place)),
      config_(config),
      store_(store),
      lines_(lines),
      pauses_(pauses),
      bus_(std::string(name()), config.wires),
      latency_(std::string(name()) + ", reads", kLeastRead),
      edge_(clock()) {}

void ControllerDram::declare(core::PortList& ports) {
  ports.in("reads", reads_, {.option = "engine"});
  ports.out("lines", lines_out_, {.option = "engine"});
  ports.in("writes", writes_, {.option = "engine"});
  ports.in("flash", flash_.bulks);
  ports.out("read", flash_.read);
  ports.in("host", host_.bulks);
  ports.out("host_read", host_.read, {.option = "reads of the host"});
}

Expected<Fs> ControllerDram::step(Fs now) {
  if (auto done = take_writes(now); !done) return std::unexpected(std::move(done).error());
  if (auto done = take_bulks(now); !done) return std::unexpected(std::move(done).error());
  const unit::DramRead* request = reads_ ? reads_->front(now) : nullptr;
  // If the channel of lines is full, the engine's next pop wakes this port.
  if (request == nullptr || now < rested_ || lines_out_->full(now)) return next(now);
  if (auto good = check(request->line, now); !good) {
    return std::unexpected(std::move(good).error());
  }
  traffic_.out += kLineBytes;
  const auto crossed = cross(now, 1, now + config_.latency);
  if (!crossed) return std::unexpected(crossed.error());
  if (auto fault = latency_.answer(now, free_)) return std::unexpected(*std::move(fault));
  unit::DramLine line;
  std::memcpy(line.data(), store_.burst(request->line), line.size());
  // Arrives at the first edge that is not before the bus has carried it.
  static_cast<void>(lines_out_->try_push(std::max(now, free_ - Fs{1}), line));
  reads_->pop(now);
  rested_ = clock().edge(clock().after(now) + core::Cycle{pauses_.next()});
  return next(now);
}

Expected<void> ControllerDram::take_writes(Fs now) {
  if (!writes_) return {};
  while (const unit::DramWrite* request = writes_->front(now)) {
    if (auto good = check(request->line, now); !good) return good;
    write(*request);
    writes_->pop(now);
    traffic_.in += kLineBytes;
    if (auto done = cross(now, 1, now); !done) return std::unexpected(std::move(done).error());
  }
  return {};
}

Expected<void> ControllerDram::take_bulks(Fs now) {
  for (const Client* client : {&flash_, &host_}) {
    while (const DramBulk* front = client->bulks->front(now)) {
      const DramBulk transfer = *front;
      client->bulks->pop(now);
      (transfer.write ? traffic_.in : traffic_.out) += transfer.bytes;
      const std::uint64_t lines = (transfer.bytes + kLineBytes - 1) / kLineBytes;
      const auto first = cross(now, lines, transfer.write ? now : now + config_.latency);
      if (!first) return std::unexpected(first.error());
      if (transfer.answer == DramAnswer::kNone) continue;
      const Fs line = transfer.answer == DramAnswer::kFirstLine ? *first : free_;
      if (auto answered = answer(client->read, line, now); !answered) return answered;
    }
  }
  return {};
}

/// At the first edge that is not before the bus has carried the line.
Expected<void> ControllerDram::answer(const core::Out<DramBulkEnd>& to, Fs line, Fs now) {
  if (auto fault = latency_.answer(now, line)) return std::unexpected(*std::move(fault));
  if (to && to->try_push(std::max(now, line - Fs{1}), {})) return {};
  return core::broken_rule(std::string(name()), "more is awaited than anybody listens to", now);
}

Expected<Fs> ControllerDram::cross(Fs now, std::uint64_t lines, Fs least) {
  transfers_ += lines;
  const auto more = static_cast<std::int64_t>(lines) - 1;
  const Fs first = std::max(least, std::max(free_, now) + config_.line_time);
  free_ = first + more * config_.line_time;
  const auto bytes = static_cast<std::int64_t>(lines * kLineBytes);
  if (auto fault = bus_.transfer({bytes}, free_)) return std::unexpected(*std::move(fault));
  return first;
}

Expected<void> ControllerDram::check(std::uint32_t line, Fs now) const {
  if (line < lines_) return {};
  return std::unexpected(core::SimError{core::Fault::kProtocol, std::string(name()),
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

/// The earliest time after `now` at which a request can be accepted.
Fs ControllerDram::next(Fs now) {
  Fs due = std::min(flash_.bulks->front_time(), host_.bulks->front_time());
  if (writes_) {
    due = std::min(due, writes_->front_time());
    if (!lines_out_->full(now)) due = std::min(due, std::max(reads_->front_time(), rested_));
  }
  edge_.move_after(now);
  return std::max(due, edge_.time());
}

}  // namespace neardata::system
