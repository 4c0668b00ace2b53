// SPDX-License-Identifier: Apache-2.0
#include "api/moe_session.h"

#include <chrono>
#include <string>
#include <utility>

#include "api/ndp_session.h"

namespace neardata::system {

core::Answer<void> finish_record(const MoeConfig& config) {
  const link::NetworkConfig& network = config.network;
  if (std::uint64_t{config.dimms} * config.dimms * network.parallel * network.link.credits >
      limits::kMostPackets) {
    return core::bad_input("credits of all links are more than " +
                           std::to_string(limits::kMostPackets));
  }
  if (const auto why = network.topology.refuses(config.dimms)) {
    return core::bad_input("network: " + *why);
  }
  if (config.forwarding && config.forwarding->poll < core::Fs{1}) {
    return core::bad_input("forwarding: time passes between two looks of the host");
  }
  for (const std::uint32_t dimm : config.rtl_dimms) {
    if (dimm < config.dimms) continue;
    return core::misuse("rtlDimms names DIMM " + std::to_string(dimm) + ", which is none");
  }
  if (!config.rtl_dimms.empty() && config.dimm.model != UnitModel::kRtl) {
    return core::misuse("rtlDimms names a DIMM, and the model of a DIMM is not rtl");
  }
  return {};
}

}  // namespace neardata::system

namespace neardata::api {

namespace {

class TimeObserver final : public core::Observer {
 public:
  explicit TimeObserver(core::Progress& progress) : progress_(progress) {}
  bool keep_going(core::Fs now) override {
    return progress_.report(static_cast<double>(now.value), 0);
  }

 private:
  core::Progress& progress_;
};

}  // namespace

std::vector<FlowReport> moe_flows(const MoeReport& report) {
  std::vector<FlowReport> flows;
  for (std::size_t f = 0; f < report.result.flow_spans.size(); ++f) {
    flows.push_back({&report.result.flows[f], report.result.flow_spans[f]});
  }
  return flows;
}

std::vector<LinkUse> moe_links(const MoeReport& report) {
  std::vector<LinkUse> links;
  for (const link::LinkReport& link : report.result.links) {
    links.push_back({link, report.clock.edge({link.counters.busy_cycles})});
  }
  return links;
}

std::vector<LinkUse> moe_pcie(const MoeReport& report) {
  std::vector<LinkUse> links;
  for (std::size_t d = 0; d < report.result.pcie.size(); ++d) {
    links.push_back({{.counters = report.result.pcie[d]}, report.result.transferring[d]});
  }
  return links;
}

std::vector<NdpCounts> moe_units(const MoeReport& report) {
  std::vector<NdpCounts> units;
  for (const auto& counts : report.result.events) units.push_back({counts});
  return units;
}

std::vector<std::vector<system::HostSpans>> moe_host_jobs(const MoeReport& report) {
  std::vector<std::vector<system::HostSpans>> all;
  for (const auto& spans : report.result.host_jobs) all.push_back(host_rows(spans));
  return all;
}

core::Answer<std::unique_ptr<MoeSession>> MoeSession::open(Config config) {
  if (auto good = check_backend(config.dimm); !good) {
    return std::unexpected(std::move(good).error());
  }
  auto plugin = system::load_unit(config.dimm);
  if (!plugin) return core::bad_input(plugin.error());
  return std::unique_ptr<MoeSession>(new MoeSession(std::move(config), *std::move(plugin)));
}

core::Answer<MoeSession::PreparedRun> MoeSession::prepare(const MoeRequest& given) {
  return moe_work(config_, given);
}

MoeReport MoeSession::run(PreparedRun& work, core::Progress& progress) {
  TimeObserver observer(progress);
  const auto start = std::chrono::steady_clock::now();
  system::Stores stores(config_.dimms);
  for (auto& dimm : stores) dimm.resize(config_.dimm.parameters.streams);
  system::fill_sources(work.work.moves, work.seed, stores);
  for (const Contents& contents : work.contents) {
    stores[contents.place.dimm][contents.place.stream].write(contents.place.burst, contents.data);
  }
  MoeReport report{.result = system::run_moe(config_, plugin_ ? &*plugin_ : nullptr, work.work,
                                             stores, observer),
                   .outputs = {},
                   .clock = core::Clock(config_.network.link.clock())};
  for (const OutputRequest& output : work.outputs) {
    for (const system::ByteStore& store : stores[output.dimm]) {
      auto& bytes = report.outputs.emplace_back(std::size_t{output.bursts} * core::kBurstBytes);
      store.read(output.burst, bytes);
    }
  }
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  report.seconds = took.count();
  return report;
}

}  // namespace neardata::api
