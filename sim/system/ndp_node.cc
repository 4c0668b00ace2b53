// SPDX-License-Identifier: Apache-2.0
#include "system/ndp_node.h"

#include <algorithm>
#include <string>
#include <utility>

#include "system/cycle_ndp_unit.h"

namespace neardata::system {

using core::Channel;

namespace {

constexpr std::size_t kOutputCapacity = 4;
constexpr std::size_t kWriteCapacity = 8;
constexpr std::size_t kDescriptorCapacity = 4;
constexpr core::Cycle kAfterwards{16};

NdpStream make_stream(std::uint32_t index, const NdpDimmConfig& config, const ByteStore& store,
                      const NdpRunOptions& options, const std::string& prefix,
                      const StreamSharing& sharing) {
  const core::Clock unit_clock(config.unit_clock);
  const core::Clock memory_clock(config.memory_clock);
  // One more than the unit may have outstanding: neither channel is ever full.
  const std::size_t room = config.parameters.queue_bursts + std::size_t{1};
  NdpStream stream{
      .requests = std::make_unique<Channel<unit::ReadRequest>>(room, unit_clock, memory_clock),
      .responses = std::make_unique<Channel<unit::ReadResponse>>(room, memory_clock, unit_clock),
      .writes = std::make_unique<Channel<WriteRequest>>(kWriteCapacity, unit_clock, memory_clock),
      .port = nullptr};
  const PortLinks links{stream.requests.get(), stream.responses.get(), stream.writes.get(), &store,
                        sharing.background,    sharing.from_host,      sharing.to_host};
  const std::string name = prefix + "sub-channel " + std::to_string(index);
  const Pauses pauses(options.pauses, index);
  if (const auto* dram = std::get_if<DramConfig>(&config.memory)) {
    stream.port = std::make_unique<DramPort>(name, memory_clock, links, config.limits, pauses,
                                             *dram, options.kept_commands);
  } else {
    stream.port = std::make_unique<IdealPort>(name, memory_clock, links, config.limits, pauses,
                                              std::get<IdealConfig>(config.memory));
  }
  return stream;
}

std::vector<NdpStream> make_streams(const NdpDimmConfig& config,
                                    const std::vector<ByteStore>& stores,
                                    const NdpRunOptions& options, const std::string& prefix,
                                    const std::vector<StreamSharing>& sharing) {
  std::vector<NdpStream> streams;
  for (std::uint32_t s = 0; s < config.parameters.streams; ++s) {
    streams.push_back(make_stream(s, config, stores[s], options, prefix,
                                  sharing.empty() ? StreamSharing{} : sharing[s]));
  }
  return streams;
}

std::vector<Channel<WriteRequest>*> write_channels(const std::vector<NdpStream>& streams) {
  std::vector<Channel<WriteRequest>*> channels;
  for (const NdpStream& stream : streams) channels.push_back(stream.writes.get());
  return channels;
}

/// Bursts of a sub-channel; an ideal one has all that can be named.
std::uint64_t bursts_of(const NdpDimmConfig& config) {
  const auto* dram = std::get_if<DramConfig>(&config.memory);
  if (dram == nullptr) return std::uint64_t{1} << 32U;
  const dram::Organization& organization = dram->controller.organization;
  return organization.channel_bytes() / organization.access_bytes();
}

/// The output port carries a whole burst a cycle.
core::BusRate output_port_rate(const core::Clock& clock) {
  return {std::int64_t{unit::kBurstBytes} * 8, clock.frequency().value};
}

}  // namespace

NdpNode::NdpNode(const NdpDimmConfig& config, const rtl::NdpPlugin* plugin,
                 std::vector<ByteStore>& stores, const std::vector<unit::Descriptor>& jobs,
                 const NdpRunOptions& options, const std::string& prefix,
                 const std::vector<StreamSharing>& sharing)
    : unit_clock_(config.unit_clock),
      events_(options.bins),
      streams_(make_streams(config, stores, options, prefix, sharing)),
      output_(kOutputCapacity, unit_clock_, unit_clock_),
      descriptors_(kDescriptorCapacity, unit_clock_, unit_clock_),
      done_(kDescriptorCapacity, unit_clock_, unit_clock_),
      dispatcher_(jobs, descriptors_, done_),
      router_(unit_clock_, output_port_rate(unit_clock_), output_, write_channels(streams_), stores,
              bursts_of(config), Pauses(options.pauses, streams_.size())) {
  make_unit(config, plugin, options);
  connect();
}

void NdpNode::make_unit(const NdpDimmConfig& config, const rtl::NdpPlugin* plugin,
                        const NdpRunOptions& options) {
  unit::NdpPorts ports{
      .streams = {}, .output = &output_, .descriptors = &descriptors_, .done = &done_};
  for (const NdpStream& stream : streams_) {
    ports.streams.push_back({stream.requests.get(), stream.responses.get()});
  }
  if (config.model == UnitModel::kRtl) {
    unit_ = std::make_unique<rtl::RtlNdpUnit>(*plugin, std::move(ports), unit_clock_, events_,
                                              options.trace);
  } else {
    unit_ =
        std::make_unique<CycleNdpUnit>(config.parameters, std::move(ports), unit_clock_, events_);
  }
}

void NdpNode::connect() {
  core::Alarm& unit = unit_->alarm();
  for (const NdpStream& stream : streams_) {
    core::Alarm& port = stream.port->alarm();
    stream.requests->connect(unit, port, stream.port->patience());
    stream.responses->connect(port, unit);
    stream.writes->connect(router_.alarm(), port);
  }
  output_.connect(unit, router_.alarm());
  descriptors_.connect(dispatcher_.alarm(), unit);
  done_.connect(unit, dispatcher_.alarm());
}

void NdpNode::add_to(core::Engine& engine) {
  engine.add(dispatcher_, core::Fs{0});
  engine.add(*unit_, core::Fs{0});
  engine.add(router_);
  for (const NdpStream& stream : streams_) engine.add(*stream.port);
}

core::Cycle NdpNode::finish(core::Fs end) {
  // A unit falls asleep some cycles after its last descriptor; how many is no matter of its clock.
  core::Cycle cycles = unit_clock_.after(end);
  if (!spans().empty()) {
    cycles = std::max(cycles, unit_clock_.after(spans().back().done) + kAfterwards);
  }
  unit_->finish(cycles);
  for (const NdpStream& stream : streams_) stream.port->settle(end);
  return cycles;
}

std::vector<PortCounters> NdpNode::port_counters() const {
  std::vector<PortCounters> counters;
  for (const NdpStream& stream : streams_) counters.push_back(stream.port->counters());
  return counters;
}

}  // namespace neardata::system
