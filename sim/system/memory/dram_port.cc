// SPDX-License-Identifier: Apache-2.0
#include "system/memory/dram_port.h"

#include <utility>

namespace neardata::system {

namespace {

// The id of a request encodes burst, tag and kind, which the answer needs.
constexpr unsigned kTagShift = 32;
constexpr std::uint64_t kTagMask = 0xFFFF;
constexpr std::uint64_t kWriteFlag = std::uint64_t{1} << 62U;
constexpr std::uint64_t kBackgroundFlag = std::uint64_t{1} << 61U;

dram::Cycle dram_cycle(core::Cycle cycle) { return {cycle.value}; }

core::Cycle port_cycle(dram::Cycle cycle) { return {cycle.value}; }

}  // namespace

DramPort::DramPort(core::Placement place, const MemoryPortSetup& setup, const DramConfig& config,
                   std::size_t recorded_commands)
    : MemoryPort(std::move(place), setup, port_cycle(config.controller.timing.read_latency())),
      kinds_(config.controller.commands),
      timing_(config.controller.timing),
      access_bytes_(config.controller.organization.access_bytes()),
      accesses_(core::kBurstBytes / access_bytes_),
      bursts_(config.controller.organization.channel_bytes() / core::kBurstBytes),
      kind_(config.kind),
      mapper_(config.mapping, config.controller.organization),
      channel_(config.make_channel(config.controller, {config.mapping, 0})),
      open_time_(config.controller.organization),
      refresh_(std::string(this->name()) + " refresh", setup.limits.refresh),
      activations_(std::string(this->name()) + " activations", config.controller.organization,
                   setup.limits.activations),
      recorded_commands_(recorded_commands) {}

void DramPort::declare(core::PortList& ports) {
  MemoryPort::declare(ports);
  ports.in("from_host", from_host_, {.option = "host"});
  ports.out("to_host", to_host_, {.option = "host"});
}

core::Cycle DramPort::advance(core::Cycle to, bool until_room) {
  const dram::StopAt stop{.read_leaves = until_room};
  return port_cycle(channel_->advance(dram_cycle(to), *this, stop));
}

void DramPort::fill(dram::Request& request, std::uint32_t burst, std::uint32_t access,
                    dram::Operation operation, std::uint64_t id) {
  if (burst >= bursts_) {
    keep(core::SimError{core::Fault::kProtocol, std::string(name()),
                        "burst " + std::to_string(burst) + " is beyond the " +
                            std::to_string(bursts_) + " bursts of the rank",
                        present()});
    burst = 0;
  }
  const std::uint64_t address =
      std::uint64_t{burst} * core::kBurstBytes + std::uint64_t{access} * access_bytes_;
  request.id = {id};
  request.operation = operation;
  request.address = address;
  request.where = mapper_.map(address).where;
}

bool DramPort::offer_read(const core::ReadRequest& read, core::Cycle now) {
  const std::uint64_t id = read.burst | (read.tag & kTagMask) << kTagShift |
                           ((read.tag & kBackground) != 0 ? kBackgroundFlag : 0);
  if (accesses_ > 1) return offer_accesses(read, id, now);
  if (offered_.id.value != id) fill(offered_, read.burst, 0, dram::Operation::kRead, id);
  const std::uint64_t forwarded = channel_->statistics().forwarded_reads;
  if (!channel_->offer(offered_, dram_cycle(now))) return false;
  if (channel_->statistics().forwarded_reads != forwarded) {
    answer(read, now + port_cycle(timing_.read_latency()) + core::Cycle{1}, 0);
  }
  return true;
}

bool DramPort::offer_accesses(const core::ReadRequest& read, std::uint64_t id, core::Cycle now) {
  Accesses& burst = open_bursts_[id];
  for (; burst.offered < accesses_; ++burst.offered) {
    dram::Request request;
    fill(request, read.burst, burst.offered, dram::Operation::kRead, id);
    const std::uint64_t forwarded = channel_->statistics().forwarded_reads;
    if (!channel_->offer(request, dram_cycle(now))) return false;
    if (channel_->statistics().forwarded_reads != forwarded) ++burst.completed;
  }
  burst.offered = 0;
  if (burst.completed == accesses_) {
    open_bursts_.erase(id);
    answer(read, now + port_cycle(timing_.read_latency()) + core::Cycle{1}, 0);
  }
  return true;
}

bool DramPort::completes_burst(std::uint64_t id) {
  if (accesses_ == 1) return true;
  Accesses& burst = open_bursts_[id];
  if (++burst.completed < accesses_) return false;
  burst.completed = 0;
  if (burst.offered == 0) open_bursts_.erase(id);
  return true;
}

bool DramPort::offer_write(const WriteRequest& write, core::Cycle now) {
  const std::uint64_t id = write.burst | kWriteFlag | (write.tag & kTagMask) << kTagShift |
                           (write.background ? kBackgroundFlag : 0);
  dram::Request request;
  if (accesses_ == 1) {
    fill(request, write.burst, 0, dram::Operation::kWrite, id);
    return channel_->offer(request, dram_cycle(now));
  }
  Accesses& burst = open_bursts_[id];
  for (; burst.offered < accesses_; ++burst.offered) {
    fill(request, write.burst, burst.offered, dram::Operation::kWrite, id);
    if (!channel_->offer(request, dram_cycle(now))) return false;
  }
  burst.offered = 0;
  return true;
}

std::optional<core::Cycle> DramPort::next_event() {
  if (channel_->outstanding() == 0 && !leaving_) return std::nullopt;
  const dram::Cycle next = channel_->next_event();
  if (next == dram::kNever) return std::nullopt;
  return port_cycle(next);
}

void DramPort::command(const dram::IssuedCommand& issued) {
  if (commands_.size() < recorded_commands_) commands_.push_back(issued);
  open_time_.command(issued);
  if (issued.effect.action == dram::Action::kRefresh) {
    const core::Cycle cycle = port_cycle(issued.cycle);
    keep(refresh_.refreshed(cycle, clock().edge(cycle)));
  }
  if (activations_.checks()) {
    keep(activations_.command(issued, clock().edge(port_cycle(issued.cycle))));
  }
  if (issued.effect.action != dram::Action::kRead) return;
  const std::uint64_t id = issued.request->value;
  const std::uint32_t mark = (id & kBackgroundFlag) != 0 ? kBackground : 0;
  const core::ReadRequest read{static_cast<std::uint32_t>(id >> kTagShift & kTagMask) | mark,
                               static_cast<std::uint32_t>(id)};
  const core::Cycle end = port_cycle(issued.cycle + timing_.read_latency());
  if (!completes_burst(id)) {
    transferred(end, access_bytes_, true);
    return;
  }
  answer(read, end, access_bytes_);
}

/// Reads are answered when they are issued, with the cycle that is completed here.
void DramPort::completion(dram::RequestId id, dram::Cycle cycle) {
  if ((id.value & kWriteFlag) == 0) return;
  const core::Cycle end = port_cycle(cycle + timing_.write_latency());
  if (!completes_burst(id.value)) {
    transferred(end, access_bytes_, false);
    return;
  }
  std::optional<std::uint32_t> tag;
  if ((id.value & kBackgroundFlag) != 0) {
    tag = static_cast<std::uint32_t>(id.value >> kTagShift & kTagMask);
  }
  written(end, access_bytes_, tag);
}

void DramPort::hear_host(core::Fs now) {
  if (!from_host_) return;
  auto* controller = dynamic_cast<dram::Controller*>(channel_.get());
  if (controller == nullptr) {
    keep(core::SimError{core::Fault::kBadConfig, std::string(name()),
                        "ranks change hands on the native controller only", now});
    return;
  }
  while (const RankMessage* message = from_host_->front(now)) {
    if (message->give) {
      controller->acquire(0, message->rank);
      refresh_.take(message->refreshes);
      activations_.take(message->activations);
      away_ = false;
    } else {
      controller->release(0);
      leaving_ = true;
    }
    from_host_->pop(now);
  }
  if (!leaving_) return;
  const auto handed = controller->handed(0);
  if (!handed) return;
  leaving_ = false;
  away_ = true;
  if (!to_host_->try_push(now, {true, *handed, refresh_.count(), activations_.account()})) {
    keep(core::SimError{core::Fault::kProtocol, std::string(name()), "a rank given twice", now});
  }
}

void DramPort::end_run() {
  if (!away_) keep(refresh_.check(present_cycle(), present()));
}

PortCounters DramPort::counters() const {
  const dram::Statistics& seen = channel_->statistics();
  const auto count = [&](dram::Action action) {
    std::uint64_t sum = 0;
    for (std::uint8_t c = 0; c < kinds_.size(); ++c) {
      if (kinds_.effect({c}).action == action) sum += seen.commands[c];
    }
    return sum;
  };
  const std::uint64_t refreshes = count(dram::Action::kRefresh);
  const std::uint64_t accesses = count(dram::Action::kRead) + count(dram::Action::kWrite);
  PortCounters sum{
      .read_bursts = seen.reads / accesses_,
      .write_bursts = seen.writes / accesses_,
      .activates = count(dram::Action::kOpen),
      .precharges = count(dram::Action::kClose),
      .refreshes = refreshes,
      .rank_refreshes = static_cast<std::uint64_t>(refresh_.count()),
      .refreshes_due = static_cast<std::uint64_t>(refresh_.due(present_cycle())),
      .rank_managements = static_cast<std::uint64_t>(activations_.account().managements),
      .refresh_cycles = static_cast<std::int64_t>(refreshes) * timing_.refresh.value,
      .bus_cycles = static_cast<std::int64_t>(accesses) * timing_.burst.value,
      .open_bank_cycles = open_time_.until(dram_cycle(present_cycle())),
  };
  for (const dram::BankStatistics& bank : seen.banks) {
    sum.row_hits += bank.hits;
    sum.row_misses += bank.misses;
    sum.row_conflicts += bank.conflicts;
  }
  return sum;
}

}  // namespace neardata::system
