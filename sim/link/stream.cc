// SPDX-License-Identifier: Apache-2.0
#include "link/stream.h"

#include <algorithm>
#include <deque>
#include <optional>
#include <string>
#include <string_view>

#include "core/machine/machine.h"
#include "link/link.h"

namespace neardata::link {

using core::Fs;

namespace {

constexpr std::uint32_t kLineBytes = 64;
constexpr const char* kRequestClock = "requests";
constexpr const char* kLineClock = "lines";

/// Requests lines, with a limited window.
class LineReader final : public core::Part {
 public:
  LineReader(core::Placement place, const StreamConfig& config)
      : Part(std::move(place)), config_(config) {}

  [[nodiscard]] std::string_view kind() const override { return "reader of lines"; }
  void declare(core::PortList& ports) override {
    ports.out("requests", requests_);
    ports.in("lines", lines_);
    ports.out("credits", credits_);
  }
  [[nodiscard]] Fs begins() const override { return Fs{0}; }
  [[nodiscard]] core::Expected<Fs> step(Fs now) override {
    for (; const PacketSequence* line = lines_->front(now); lines_->pop(now)) {
      if (!credits_->try_push(now, {line->packets()})) {
        return core::broken_rule(std::string(name()), "more credits than packets", now);
      }
      if (taken_++ == 0) times_.first = now;
      times_.last = now;
    }
    while (asked_ < config_.count && asked_ - taken_ < config_.window) {
      if (!requests_->try_push(now, PacketSequence(config_.requests.format, PacketKind::kRead, 0)))
        break;
      ++asked_;
    }
    return lines_->front_time();
  }
  [[nodiscard]] std::optional<std::string> waits_for() const override {
    if (taken_ == config_.count) return std::nullopt;
    return std::to_string(config_.count - taken_) + " lines";
  }
  [[nodiscard]] std::uint64_t progress() const override { return asked_ + taken_; }

  [[nodiscard]] const StreamTimes& times() const { return times_; }

 private:
  StreamConfig config_;
  core::Out<PacketSequence> requests_;
  core::In<PacketSequence> lines_;
  core::Out<Credit> credits_;
  std::uint64_t asked_ = 0;
  std::uint64_t taken_ = 0;
  StreamTimes times_;
};

/// Returns a line for each request, after its latency and at the rate of its bus.
class LineMemory final : public core::Part {
 public:
  LineMemory(core::Placement place, const StreamConfig& config)
      : Part(std::move(place)), config_(config) {}

  [[nodiscard]] std::string_view kind() const override { return "memory of lines"; }
  void declare(core::PortList& ports) override {
    ports.in("requests", requests_);
    ports.out("credits", credits_);
    ports.out("lines", lines_);
  }
  [[nodiscard]] core::Expected<Fs> step(Fs now) override {
    for (; const PacketSequence* request = requests_->front(now); requests_->pop(now)) {
      if (!credits_->try_push(now, {request->packets()})) {
        return core::broken_rule(std::string(name()), "more credits than packets", now);
      }
      free_ = std::max(free_ + config_.line_time, now + config_.latency);
      ready_.push_back(free_);
    }
    while (!ready_.empty() && ready_.front() <= now &&
           lines_->try_push(now,
                            PacketSequence(config_.lines.format, PacketKind::kData, kLineBytes))) {
      ready_.pop_front();
      ++given_;
    }
    const Fs next = requests_->front_time();
    if (ready_.empty() || ready_.front() <= now) return next;
    return std::min(next, clock().edge(clock().at_or_after(ready_.front())));
  }
  [[nodiscard]] std::optional<std::string> waits_for() const override {
    return ready_.empty() ? std::nullopt : std::optional<std::string>("lines to be sent");
  }
  [[nodiscard]] std::uint64_t progress() const override { return given_; }

 private:
  StreamConfig config_;
  core::In<PacketSequence> requests_;
  core::Out<Credit> credits_;
  core::Out<PacketSequence> lines_;
  std::deque<Fs> ready_;
  Fs free_;
  std::uint64_t given_ = 0;
};

class Nobody final : public core::Observer {
 public:
  [[nodiscard]] bool keep_going(Fs /*now*/) override { return true; }
};

}  // namespace

double StreamTimes::rate(std::uint64_t count) const {
  const auto bytes = static_cast<double>((count - 1) * kLineBytes);
  return bytes * static_cast<double>(core::kFsPerSecond) /
         static_cast<double>((last - first).value);
}

core::Expected<StreamTimes> stream(const StreamConfig& config) {
  core::Machine machine;
  machine.add_clock(kRequestClock, core::Clock(config.requests.clock()));
  machine.add_clock(kLineClock, core::Clock(config.lines.clock()));
  const core::Machine::Subsystem subsystem = machine.subsystem();
  const auto& reader = subsystem.add<LineReader>("reader", kRequestClock, config);
  const auto& memory = subsystem.add<LineMemory>("memory", kLineClock, config);
  const auto& there =
      subsystem.add<Link<PacketSequence>>("requests", kRequestClock, config.requests, 0U);
  const auto& back = subsystem.add<Link<PacketSequence>>("lines", kLineClock, config.lines, 1U);
  constexpr std::size_t kCapacity = 4;
  machine.join(reader.port("requests"), there.port("input"), {.capacity = kCapacity});
  machine.join(there.port("output"), memory.port("requests"));
  machine.join(memory.port("credits"), there.port("credits"), {.latency = config.requests.latency});
  machine.join(memory.port("lines"), back.port("input"), {.capacity = kCapacity});
  machine.join(back.port("output"), reader.port("lines"));
  machine.join(reader.port("credits"), back.port("credits"), {.latency = config.lines.latency});
  Nobody nobody;
  if (auto done = machine.run(nobody); !done) return std::unexpected(std::move(done).error());
  return reader.times();
}

}  // namespace neardata::link
