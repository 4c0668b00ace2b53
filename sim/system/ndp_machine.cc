// SPDX-License-Identifier: Apache-2.0
#include "system/ndp_machine.h"

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
                      const NdpRunOptions& options) {
  const core::Clock unit_clock(config.unit_clock);
  const core::Clock memory_clock(config.memory_clock);
  // One more than the unit may have outstanding: neither channel is ever full.
  const std::size_t room = config.parameters.queue_bursts + std::size_t{1};
  NdpStream stream{
      .requests = std::make_unique<Channel<unit::ReadRequest>>(room, unit_clock, memory_clock),
      .responses = std::make_unique<Channel<unit::ReadResponse>>(room, memory_clock, unit_clock),
      .writes = std::make_unique<Channel<WriteRequest>>(kWriteCapacity, unit_clock, memory_clock),
      .port = nullptr};
  const PortLinks links{stream.requests.get(), stream.responses.get(), stream.writes.get(), &store};
  const std::string name = "sub-channel " + std::to_string(index);
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
                                    const NdpRunOptions& options) {
  std::vector<NdpStream> streams;
  for (std::uint32_t s = 0; s < config.parameters.streams; ++s) {
    streams.push_back(make_stream(s, config, stores[s], options));
  }
  return streams;
}

std::vector<Channel<WriteRequest>*> write_channels(const std::vector<NdpStream>& streams) {
  std::vector<Channel<WriteRequest>*> channels;
  for (const NdpStream& stream : streams) channels.push_back(stream.writes.get());
  return channels;
}

/// Tells a watcher in cycles and bytes what the engine tells in time.
class CycleObserver final : public core::Observer {
 public:
  CycleObserver(const core::Clock& clock, const unit::NdpEvents& events, RunWatcher& watcher)
      : clock_(clock), events_(events), watcher_(watcher) {}
  bool keep_going(core::Fs now) override {
    return watcher_.keep_going(clock_.at_or_after(now), events_.bytes_read());
  }

 private:
  core::Clock clock_;
  const unit::NdpEvents& events_;
  RunWatcher& watcher_;
};

/// The output port carries a whole burst a cycle.
core::BusRate output_port_rate(const core::Clock& clock) {
  return {std::int64_t{unit::kBurstBytes} * 8, clock.frequency().value};
}

core::EngineLimits engine_limits(const core::Clock& clock, const NdpRunOptions& options) {
  core::EngineLimits limits;
  if (options.max_cycles.value > 0) limits.until = clock.edge(options.max_cycles);
  return limits;
}

}  // namespace

NdpMachine::NdpMachine(const NdpDimmConfig& config, const rtl::NdpPlugin* plugin,
                       std::vector<ByteStore>& stores, const std::vector<unit::Descriptor>& jobs,
                       const NdpRunOptions& options)
    : unit_clock_(config.unit_clock),
      kept_commands_(options.kept_commands),
      events_(options.bins),
      streams_(make_streams(config, stores, options)),
      output_(kOutputCapacity, unit_clock_, unit_clock_),
      descriptors_(kDescriptorCapacity, unit_clock_, unit_clock_),
      done_(kDescriptorCapacity, unit_clock_, unit_clock_),
      dispatcher_(jobs, descriptors_, done_),
      router_(unit_clock_, output_port_rate(unit_clock_), output_, write_channels(streams_), stores,
              Pauses(options.pauses, streams_.size())),
      engine_(engine_limits(unit_clock_, options)) {
  make_unit(config, plugin, options);
  connect();
}

void NdpMachine::make_unit(const NdpDimmConfig& config, const rtl::NdpPlugin* plugin,
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

void NdpMachine::connect() {
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

  engine_.add(dispatcher_, core::Fs{0});
  engine_.add(*unit_, core::Fs{0});
  engine_.add(router_);
  for (const NdpStream& stream : streams_) engine_.add(*stream.port);
}

NdpRunResult NdpMachine::run(RunWatcher& watcher) {
  CycleObserver observer(unit_clock_, events_, watcher);
  auto outcome = engine_.run(observer);
  const core::Fs end = engine_.now();
  std::optional<core::SimError> error;
  if (!outcome) error = std::move(outcome).error();
  // A unit falls asleep some cycles after its last descriptor; how many is no matter of its clock.
  core::Cycle cycles = unit_clock_.after(end);
  if (!dispatcher_.spans().empty()) {
    cycles = std::max(cycles, unit_clock_.after(dispatcher_.spans().back().done) + kAfterwards);
  }
  unit_->finish(cycles);
  std::vector<PortCounters> ports;
  for (const NdpStream& stream : streams_) {
    stream.port->settle(end);
    ports.push_back(stream.port->counters());
  }
  return {.error = std::move(error),
          .end = end,
          .jobs = dispatcher_.spans(),
          .cycles = cycles,
          .skipped = unit_->skipped(),
          .events = events_,
          .ports = std::move(ports),
          .commands = commands(kept_commands_),
          .times = engine_.times()};
}

/// The first commands of all sub-channels in order of time.
std::vector<StreamCommand> NdpMachine::commands(std::size_t kept) const {
  std::vector<StreamCommand> all;
  for (std::uint32_t s = 0; s < streams_.size(); ++s) {
    const auto* port = dynamic_cast<const DramPort*>(streams_[s].port.get());
    if (port == nullptr) continue;
    for (const dram::IssuedCommand& command : port->commands()) all.push_back({s, command});
  }
  std::ranges::stable_sort(all, {}, [](const StreamCommand& c) { return c.command.cycle; });
  if (all.size() > kept) all.resize(kept);
  return all;
}

}  // namespace neardata::system
