// SPDX-License-Identifier: Apache-2.0
#include "system/moe_machine.h"

#include <utility>

#include "system/store_memory.h"
#include "unit/ndp_values.h"

namespace neardata::system {

using core::Channel;

namespace {

constexpr std::size_t kWriteRoom = 8;
constexpr std::size_t kOrderRoom = 64;
/// More than a port can have accepted and not ended.
constexpr std::size_t kWrittenRoom = 256;

}  // namespace

MoeMachine::MoeMachine(const MoeConfig& config, const rtl::NdpPlugin* plugin, const MoeWork& work,
                       Stores& stores)
    : config_(config),
      work_(work),
      stores_(stores),
      unit_clock_(config.dimm.unit_clock),
      memory_clock_(config.dimm.memory_clock),
      flows_(flows_of(work.moves)),
      network_(config.network, unit_clock_) {
  make_links();
  make_host();
  if (broken_) return;
  for (std::uint32_t d = 0; d < config.dimms; ++d) {
    if (host_ || !work.jobs[d].empty() || relayouts_.contains(d)) make_node(d, plugin);
  }
  make_director();
  if (host_) host_->add_to(engine_);
  network_.add_to(engine_);
}

void MoeMachine::make_links() {
  for (const Flow& flow : flows_) {
    if (!network_.connect(flow.source, flow.target)) {
      broken_ = core::SimError{core::Fault::kBadConfig, "DIMM-Link",
                               "there is no way from DIMM " + std::to_string(flow.source) +
                                   " to DIMM " + std::to_string(flow.target),
                               core::Fs{}};
      return;
    }
    for (const std::uint32_t dimm : {flow.source, flow.target}) relayouts_.try_emplace(dimm);
  }
}

void MoeMachine::make_host() {
  if (work_.devices.empty()) return;
  const auto* memory = std::get_if<DramConfig>(&config_.dimm.memory);
  constexpr std::uint32_t kStreams = 2 * HostSide::kRanks;
  if (memory == nullptr || config_.dimms % 2 != 0 || config_.dimm.parameters.streams != kStreams) {
    broken_ =
        core::SimError{core::Fault::kBadConfig, "host",
                       "a host reads pairs of DIMMs with eight ranks of DDR5 each", core::Fs{}};
    return;
  }
  host_ = std::make_unique<HostSide>(work_.devices, config_.dimm, *memory, config_.dimms);
}

std::vector<StreamSharing> MoeMachine::make_sharing(std::uint32_t dimm) {
  std::vector<StreamSharing> sharing(config_.dimm.parameters.streams);
  if (relayouts_.contains(dimm)) make_relayout(dimm, sharing);
  if (host_) {
    for (std::uint32_t s = 0; s < sharing.size(); ++s) host_->share(dimm, s, sharing[s]);
  }
  return sharing;
}

void MoeMachine::make_relayout(std::uint32_t dimm, std::vector<StreamSharing>& sharing) {
  Relayout& made = relayouts_.at(dimm);
  constexpr std::size_t kReadRoom = RelayoutUnit::kMostUnderWay + 1;
  RelayoutPorts ports;
  for (StreamSharing& stream : sharing) {
    made.requests.push_back(
        std::make_unique<Channel<unit::ReadRequest>>(kReadRoom, unit_clock_, memory_clock_));
    made.responses.push_back(
        std::make_unique<Channel<unit::ReadResponse>>(kReadRoom, memory_clock_, unit_clock_));
    made.writes.push_back(
        std::make_unique<Channel<WriteRequest>>(kWriteRoom, unit_clock_, memory_clock_));
    made.written.push_back(
        std::make_unique<Channel<WriteDone>>(kWrittenRoom, memory_clock_, unit_clock_));
    ports.streams.push_back({made.requests.back().get(), made.responses.back().get(),
                             made.writes.back().get(), made.written.back().get()});
    stream.background = ports.streams.back();
  }
  made.orders = std::make_unique<Channel<FlowOrder>>(kOrderRoom, unit_clock_, unit_clock_);
  made.done = std::make_unique<Channel<FlowDone>>(kOrderRoom, unit_clock_, unit_clock_);
  ports.inject = &network_.inject(dimm);
  ports.eject = &network_.eject(dimm);
  ports.orders = made.orders.get();
  ports.done = made.done.get();
  made.unit = std::make_unique<RelayoutUnit>(dimm, unit_clock_, ports, flows_, stores_[dimm]);
  network_.attach(dimm, made.unit->alarm());
  engine_.add(*made.unit);
}

void MoeMachine::make_node(std::uint32_t dimm, const rtl::NdpPlugin* plugin) {
  NdpDimmConfig config = config_.dimm;
  config.model = config_.rtl_dimm == dimm ? UnitModel::kRtl : UnitModel::kCycle;
  auto node =
      std::make_unique<NdpNode>(config, plugin, stores_[dimm], work_.jobs[dimm], NdpRunOptions{},
                                "DIMM " + std::to_string(dimm) + " ", make_sharing(dimm));
  node->add_to(engine_);
  connect(dimm, *node);
  nodes_.emplace(dimm, std::move(node));
}

void MoeMachine::connect(std::uint32_t dimm, const NdpNode& node) {
  const auto relayout = relayouts_.find(dimm);
  for (std::uint32_t s = 0; s < node.streams().size(); ++s) {
    MemoryPort& port = *node.streams()[s].port;
    if (host_) host_->attach(dimm, s, port.alarm());
    if (relayout == relayouts_.end()) continue;
    const Relayout& with = relayout->second;
    core::Alarm& unit = with.unit->alarm();
    with.requests[s]->connect(unit, port.alarm(), port.patience());
    with.responses[s]->connect(port.alarm(), unit);
    with.writes[s]->connect(unit, port.alarm());
    with.written[s]->connect(port.alarm(), unit);
  }
}

void MoeMachine::make_director() {
  std::map<std::uint32_t, RelayoutDirector::Line> lines;
  for (const auto& [dimm, relayout] : relayouts_) {
    lines[dimm] = {relayout.orders.get(), relayout.done.get()};
  }
  director_ = std::make_unique<RelayoutDirector>(work_.moves, flows_, std::move(lines));
  for (const auto& [dimm, relayout] : relayouts_) {
    relayout.orders->connect(director_->alarm(), relayout.unit->alarm());
    relayout.done->connect(relayout.unit->alarm(), director_->alarm());
  }
  engine_.add(*director_, core::Fs{0});
}

MoeResult MoeMachine::run(core::Observer& observer) {
  MoeResult result;
  result.error = broken_;
  result.flows = flows_;
  if (broken_) return result;
  auto outcome = engine_.run(observer);
  result.end = engine_.now();
  result.error = outcome ? check_bytes() : std::optional(std::move(outcome).error());
  result.jobs.resize(config_.dimms);
  result.ports.resize(config_.dimms);
  for (const auto& [dimm, node] : nodes_) {
    node->finish(result.end);
    result.jobs[dimm] = node->spans();
    result.ports[dimm] = node->port_counters();
  }
  compute_values();
  result.moves = director_->spans();
  result.flow_spans = director_->flow_spans();
  result.links = network_.report();
  if (host_) {
    for (const auto& device : host_->devices()) {
      result.devices.push_back(device->spans());
      result.transferring.push_back(device->transferring());
    }
    for (const auto& port : host_->ports()) result.host.push_back(port->counters());
  }
  result.times = engine_.times();
  return result;
}

void MoeMachine::compute_values() const {
  for (const auto& [dimm, job] : work_.valued) {
    const auto node = nodes_.find(dimm);
    const bool done = node != nodes_.end() && job < node->second->spans().size();
    if (!done || config_.rtl_dimm == dimm) continue;
    StoreMemory memory(stores_[dimm]);
    unit::compute_values(config_.dimm.parameters, work_.jobs[dimm][job], memory);
  }
}

std::optional<core::SimError> MoeMachine::check_bytes() const {
  for (std::size_t m = 0; m < work_.moves.size(); ++m) {
    if (const auto wrong = difference(work_.moves[m], stores_)) {
      return core::SimError{core::Fault::kProtocol, "move " + std::to_string(m), *wrong,
                            engine_.now()};
    }
  }
  return std::nullopt;
}

}  // namespace neardata::system
