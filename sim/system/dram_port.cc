// SPDX-License-Identifier: Apache-2.0
#include "system/dram_port.h"

#include <utility>

namespace neardata::system {

namespace {

// A request's id is what it needs on its way back: burst, tag, and what kind it is.
constexpr unsigned kTagShift = 32;
constexpr std::uint64_t kTagMask = 0xFFFF;
constexpr std::uint64_t kWriteFlag = std::uint64_t{1} << 62U;

dram::Cycle dram_cycle(core::Cycle cycle) { return {cycle.value}; }

std::optional<core::Cycle> optional_cycle(dram::Cycle cycle) {
  if (cycle == dram::kNever) return std::nullopt;
  return core::Cycle{cycle.value};
}

}  // namespace

DramPort::DramPort(std::string name, const core::Clock& clock, const PortLinks& links,
                   const BusLimits& limits, Pauses pauses, const DramConfig& config,
                   std::size_t kept_commands)
    : MemoryPort(std::move(name), clock, links, limits, pauses),
      timing_(config.controller.timing),
      access_bytes_(config.controller.organization.access_bytes()),
      mapper_(config.mapping, config.controller.organization),
      controller_(config.controller),
      kept_commands_(kept_commands) {}

void DramPort::advance(core::Cycle now) { controller_.advance(dram_cycle(now), *this); }

dram::Request DramPort::request(std::uint32_t burst, dram::Operation operation,
                                std::uint64_t id) const {
  const std::uint64_t address = std::uint64_t{burst} * access_bytes_;
  return {{id}, operation, address, mapper_.map(address).where};
}

bool DramPort::offer_read(const unit::ReadRequest& read, core::Cycle now) {
  const std::uint64_t id = read.burst | std::uint64_t{read.tag} << kTagShift;
  const std::uint64_t forwarded = controller_.statistics().forwarded_reads;
  if (!controller_.offer(request(read.burst, dram::Operation::kRead, id), dram_cycle(now))) {
    return false;
  }
  if (read.tag >= forwarded_.size()) forwarded_.resize(read.tag + std::size_t{1});
  forwarded_[read.tag] = controller_.statistics().forwarded_reads != forwarded;
  return true;
}

bool DramPort::offer_write(const WriteRequest& write, core::Cycle now) {
  const std::uint64_t id = write.burst | kWriteFlag;
  return controller_.offer(request(write.burst, dram::Operation::kWrite, id), dram_cycle(now));
}

std::optional<core::Cycle> DramPort::next_answer() {
  if (controller_.outstanding() == 0) return std::nullopt;
  return optional_cycle(controller_.next_completion());
}

std::optional<core::Cycle> DramPort::retry() { return optional_cycle(controller_.next_event()); }

void DramPort::settle(core::Fs end) {
  // Up to the last edge that is not after the end.
  controller_.advance(dram_cycle(clock().after(end) - core::Cycle{1}), *this);
}

void DramPort::command(const dram::IssuedCommand& issued) {
  if (commands_.size() < kept_commands_) commands_.push_back(issued);
}

void DramPort::completion(dram::RequestId id, dram::Cycle cycle) {
  if ((id.value & kWriteFlag) != 0) {
    written(core::Cycle{(cycle + timing_.nCWL + timing_.nBL).value});
    return;
  }
  const unit::ReadRequest read{static_cast<std::uint32_t>(id.value >> kTagShift & kTagMask),
                               static_cast<std::uint32_t>(id.value)};
  answer(read, !forwarded_[read.tag]);
}

PortCounters DramPort::counters() const {
  const dram::Statistics& seen = controller_.statistics();
  const auto count = [&](dram::Command c) { return seen.commands[dram::index(c)]; };
  const std::uint64_t refreshes = count(dram::Command::kRefreshAll);
  const std::uint64_t accesses = count(dram::Command::kRead) + count(dram::Command::kWrite);
  PortCounters sum{
      .read_bursts = seen.reads,
      .write_bursts = seen.writes,
      .activates = count(dram::Command::kActivate),
      .precharges = count(dram::Command::kPrecharge) + count(dram::Command::kPrechargeAll),
      .refreshes = refreshes,
      .refresh_cycles = static_cast<std::int64_t>(refreshes) * timing_.nRFC1.value,
      .bus_cycles = static_cast<std::int64_t>(accesses) * timing_.nBL.value,
  };
  for (const dram::BankStatistics& bank : seen.banks) {
    sum.row_hits += bank.hits;
    sum.row_misses += bank.misses;
    sum.row_conflicts += bank.conflicts;
  }
  return sum;
}

}  // namespace neardata::system
