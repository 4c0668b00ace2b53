// SPDX-License-Identifier: Apache-2.0
#include "system/host_side.h"

#include <string>
#include <utility>

namespace neardata::system {

using core::Channel;

namespace {

constexpr std::size_t kRankRoom = 4;
constexpr std::size_t kRunRoom = 64;

std::uint32_t sub_channel_of(std::uint32_t dimm, std::uint32_t stream) {
  return dimm / 2 * 2 + stream / HostSide::kRanks;
}

std::uint32_t rank_of(std::uint32_t dimm, std::uint32_t stream) {
  return dimm % 2 * HostSide::kRanks + stream % HostSide::kRanks;
}

}  // namespace

HostSide::HostSide(const std::vector<HostDeviceWork>& work, const NdpDimmConfig& dimm,
                   const DramConfig& memory, std::uint32_t dimms)
    : rank_lines_(dimms), read_lines_(dimms) {
  const core::Clock clock(dimm.memory_clock);
  for (std::uint32_t k = 0; k < dimms; ++k) {
    HostLinks links;
    for (std::uint32_t r = 0; r < 2 * kRanks; ++r) {
      RankLine& made = rank_lines_[k].emplace_back(
          std::make_unique<Channel<RankMessage>>(kRankRoom, clock, clock),
          std::make_unique<Channel<RankMessage>>(kRankRoom, clock, clock));
      links.ranks.push_back({made.to_ndp.get(), made.from_ndp.get()});
    }
    for (std::size_t d = 0; d < work.size(); ++d) {
      ReadLine& made = read_lines_[k].emplace_back(
          std::make_unique<Channel<HostRun>>(kRunRoom, clock, clock),
          std::make_unique<Channel<HostRunDone>>(kRunRoom, clock, clock));
      links.readers.push_back({made.runs.get(), made.done.get()});
    }
    ports_.push_back(std::make_unique<HostPort>("host sub-channel " + std::to_string(k), clock,
                                                links, dimm.limits.rate, memory));
  }
  for (std::size_t d = 0; d < work.size(); ++d) {
    std::vector<HostDevice::Line> lines;
    for (const auto& lines_of : read_lines_) {
      lines.push_back({lines_of[d].runs.get(), lines_of[d].done.get()});
    }
    devices_.push_back(std::make_unique<HostDevice>(work[d], clock, std::move(lines)));
    for (std::uint32_t k = 0; k < dimms; ++k) {
      core::Alarm& device = devices_.back()->alarm();
      read_lines_[k][d].runs->connect(device, ports_[k]->alarm());
      read_lines_[k][d].done->connect(ports_[k]->alarm(), device);
    }
  }
}

HostSide::RankLine& HostSide::line(std::uint32_t dimm, std::uint32_t stream) {
  return rank_lines_[sub_channel_of(dimm, stream)][rank_of(dimm, stream)];
}

void HostSide::share(std::uint32_t dimm, std::uint32_t stream, StreamSharing& sharing) {
  RankLine& shared = line(dimm, stream);
  sharing.from_host = shared.to_ndp.get();
  sharing.to_host = shared.from_ndp.get();
}

void HostSide::attach(std::uint32_t dimm, std::uint32_t stream, core::Alarm& port) {
  RankLine& shared = line(dimm, stream);
  core::Alarm& host = ports_[sub_channel_of(dimm, stream)]->alarm();
  shared.to_ndp->connect(host, port);
  shared.from_ndp->connect(port, host);
}

void HostSide::add_to(core::Engine& engine) {
  for (const auto& device : devices_) engine.add(*device, core::Fs{0});
  for (const auto& port : ports_) engine.add(*port);
}

}  // namespace neardata::system
