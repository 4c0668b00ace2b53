// SPDX-License-Identifier: Apache-2.0
//
// Layouts of a machine of several DIMMs with links and a host: its configuration, its work, and the
// results of a run. Times of results are femtoseconds, -1 for an event that did not occur.
#pragma once

#include <array>
#include <cstdint>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "api/link_records.h"
#include "api/ndp_records.h"
#include "core/record.h"
#include "core/refusal.h"
#include "system/moe/moe_machine.h"

namespace neardata::link {

constexpr auto names_of(const TopologyKind*) { return std::array{"chain", "ring", "mesh", "full"}; }

/// Rates in bits per second of a lane, the latency in cycles of its byte clock; `group` DIMMs are
/// linked with each other, `parallel` links connect two neighbours.
constexpr auto record_of(const NetworkConfig*) {
  using core::field;
  constexpr auto link = [](const char* name, auto member, auto rule) {
    return field(
        name, [member](auto& of) -> auto& { return of.link.*member; }, rule);
  };
  return core::record(
      "Network", link("lanes", &LinkConfig::lanes, limits::kLanes),
      link("laneRate", &LinkConfig::lane_rate, limits::kLaneRate),
      link("latency", &LinkConfig::latency, core::Range{1, limits::kLatency.most}),
      link("credits", &LinkConfig::credits, limits::kCredits),
      link("bitErrorRate", &LinkConfig::bit_error_rate, limits::kLinkErrors),
      link("seed", &LinkConfig::seed, limits::kExact),
      field(
          "topology", [](auto& of) -> auto& { return of.topology.kind; }),
      field(
          "group", [](auto& of) -> auto& { return of.topology.group; }, limits::kGroup),
      field("parallel", &NetworkConfig::parallel, limits::kParallel),
      field("ideal", &NetworkConfig::ideal),
      field(
          "wires", [](auto& of) -> auto& { return of.link.limits; }));
}

}  // namespace neardata::link

namespace neardata::system {

/// `rtlDimms` are the DIMMs whose units are the plug-in; the others have the model. `forwarding`:
/// the host forwards packets between groups of DIMMs; without it there is no path between groups.
constexpr auto record_of(const MoeConfig*) {
  using core::field;
  const auto rtl_dimms = [](MoeConfig& of, const std::vector<std::uint32_t>& dimms) {
    of.rtl_dimms.insert(dimms.begin(), dimms.end());
  };
  return core::record(
      "MoeConfig", field("dimm", &MoeConfig::dimm),
      field("dimms", &MoeConfig::dimms, limits::kDimms), field("network", &MoeConfig::network),
      field("forwarding", &MoeConfig::forwarding),
      core::optional(core::assigned<std::vector<std::uint32_t>>("rtlDimms", rtl_dimms)),
      core::optional(field("threads", &MoeConfig::threads, limits::kThreads)),
      core::optional(
          field("keepCommands", &MoeConfig::recorded_commands, limits::kRecordedOfMany)));
}
[[nodiscard]] core::Answer<void> finish_record(const MoeConfig& config);

constexpr auto record_of(const JobSpan*) {
  return core::row("JobSpan", core::field("taken", &JobSpan::taken),
                   core::field("done", &JobSpan::done));
}
constexpr auto record_of(const TimeSpan*) {
  return core::row("TimeSpan", core::field("begin", &TimeSpan::begin),
                   core::field("end", &TimeSpan::end));
}

/// A command of a rank, of the host or of the rank's NDP side.
constexpr auto record_of(const RankCommand*) {
  using core::field;
  constexpr auto where = [](auto member) {
    return [member](const RankCommand& of) { return of.issued.where.*member; };
  };
  using dram::Location;
  return core::row(
      "RankCommand", field("dimm", [](auto& of) { return of.rank.dimm; }),
      field("stream", [](auto& of) { return of.rank.stream; }), field("host", &RankCommand::host),
      field("cycle", [](auto& of) { return of.issued.cycle; }),
      field("command", [](auto& of) { return of.issued.command.number; }),
      field("bankGroup", where(&Location::bank_group)), field("bank", where(&Location::bank)),
      field("row", where(&Location::row)), field("column", where(&Location::column)));
}

/// `forwardedBursts`: of packets that the host forwards; `held`: memory cycles from the host's
/// request for a rank to its release, over all ranks.
constexpr auto record_of(const HostCounters*) {
  using core::field;
  return core::row("HostCounters", field("readBursts", &HostCounters::read_bursts),
                   field("writeBursts", &HostCounters::write_bursts),
                   field("forwardedBursts", &HostCounters::forwarded_bursts),
                   field("activates", &HostCounters::activates),
                   field("openBankCycles", &HostCounters::open_bank_cycles),
                   field("held", [](auto& of) {
                     return std::accumulate(of.held.begin(), of.held.end(), std::int64_t{0});
                   }));
}

}  // namespace neardata::system

namespace neardata::api {

/// Bursts that are moved from one location to another.
struct RelayoutRow {
  system::BurstPlace from;
  system::BurstPlace to;
  std::uint32_t bursts;
};
constexpr auto record_of(const RelayoutRow*) {
  using core::field;
  return core::row("RelayoutRow", field("fromDimm", [](auto& of) { return of.from.dimm; }),
                   field("fromStream", [](auto& of) { return of.from.stream; }),
                   field("fromBurst", [](auto& of) { return of.from.burst; }),
                   field("toDimm", [](auto& of) { return of.to.dimm; }),
                   field("toStream", [](auto& of) { return of.to.stream; }),
                   field("toBurst", [](auto& of) { return of.to.burst; }),
                   field("bursts", &RelayoutRow::bursts));
}
/// Flows of it that may cross links at a time; not before `start`, in femtoseconds.
struct MoveRequest {
  std::uint32_t links = 1;
  core::Fs start;
  core::Rows<RelayoutRow> runs;
};
constexpr auto record_of(const MoveRequest*) {
  using core::field;
  return core::record("Move", field("links", &MoveRequest::links, limits::kInFlight),
                      field("start", &MoveRequest::start, limits::kExact),
                      field("runs", &MoveRequest::runs));
}

/// A part of a chunk; chunks count from 0 without gaps.
struct ChunkRow {
  std::uint32_t chunk;
  std::uint32_t sub_channel;
  std::uint32_t rank;
  std::uint32_t burst;
  std::uint32_t bursts;
};
constexpr auto record_of(const ChunkRow*) {
  using core::field;
  return core::row("ChunkRow", field("chunk", &ChunkRow::chunk),
                   field("subChannel", &ChunkRow::sub_channel), field("rank", &ChunkRow::rank),
                   field("burst", &ChunkRow::burst), field("bursts", &ChunkRow::bursts));
}
/// An expert of the host: femtoseconds of compute, and the reads of its weights; not before
/// `start`, in femtoseconds.
struct TaskRequest {
  core::Fs compute;
  core::Rows<ChunkRow> chunks;
  core::Fs start;
};
constexpr auto record_of(const TaskRequest*) {
  using core::field;
  return core::record("DeviceTask", field("compute", &TaskRequest::compute, limits::kExact),
                      field("chunks", &TaskRequest::chunks),
                      core::optional(field("start", &TaskRequest::start, limits::kExact)));
}
/// A device without PCIe has no `pcie`. `buffers` is the number of chunks that it can buffer at a
/// time. It fetches the weights of `fetched` while it computes `tasks`.
struct DeviceRequest {
  std::string name;
  std::optional<link::LinkConfig> pcie;
  std::uint32_t buffers = 1;
  std::vector<TaskRequest> tasks;
  std::optional<std::vector<TaskRequest>> fetched;
};
constexpr auto record_of(const DeviceRequest*) {
  using core::field;
  return core::record(
      "HostDevice", field("name", &DeviceRequest::name), field("pcie", &DeviceRequest::pcie),
      field("buffers", &DeviceRequest::buffers, limits::kBuffers),
      field("tasks", &DeviceRequest::tasks), field("fetched", &DeviceRequest::fetched));
}

/// Bytes that are in a stream of a DIMM before the run.
struct ContentsRequest {
  system::BurstPlace place;
  std::span<const std::uint8_t> data;
};
constexpr auto record_of(const ContentsRequest*) {
  using core::field;
  return core::record("Contents",
                      field(
                          "dimm", [](auto& of) -> auto& { return of.place.dimm; }),
                      field(
                          "stream", [](auto& of) -> auto& { return of.place.stream; }),
                      field(
                          "burst", [](auto& of) -> auto& { return of.place.burst; }),
                      field("data", &ContentsRequest::data));
}

/// A job whose outputs are returned: `bursts` from `burst` on of every stream.
struct OutputRequest {
  std::uint32_t dimm = 0;
  std::uint32_t job = 0;
  std::uint32_t burst = 0;
  std::uint32_t bursts = 0;
};
constexpr auto record_of(const OutputRequest*) {
  using core::field;
  return core::record("Output", field("dimm", &OutputRequest::dimm),
                      field("job", &OutputRequest::job), field("burst", &OutputRequest::burst),
                      field("bursts", &OutputRequest::bursts));
}

/// Descriptors by DIMM, which the host sends from `jobsStart` on, in femtoseconds; the seed is that
/// of the bytes that move.
struct MoeRequest {
  std::vector<core::Rows<unit::Descriptor>> jobs;
  core::Fs jobs_start;
  std::vector<MoveRequest> moves;
  std::uint64_t seed = 0;
  std::vector<DeviceRequest> devices;
  std::vector<ContentsRequest> contents;
  std::vector<OutputRequest> outputs;
};
constexpr auto record_of(const MoeRequest*) {
  using core::field;
  return core::record(
      "MoeWork", field("jobs", &MoeRequest::jobs),
      core::optional(field("jobsStart", &MoeRequest::jobs_start, limits::kExact)),
      field("moves", &MoeRequest::moves), field("seed", &MoeRequest::seed, limits::kExact),
      field("devices", &MoeRequest::devices), field("contents", &MoeRequest::contents),
      field("outputs", &MoeRequest::outputs));
}

/// A flow and its time span.
struct FlowReport {
  const system::Flow* flow = nullptr;
  system::TimeSpan span;
};
constexpr auto record_of(const FlowReport*) {
  using core::field;
  constexpr auto flow = [](auto member) {
    return [member](const FlowReport& of) { return of.flow->*member; };
  };
  using system::Flow;
  return core::row("Flow", field("move", flow(&Flow::move)), field("source", flow(&Flow::source)),
                   field("target", flow(&Flow::target)), field("bursts", flow(&Flow::bursts)),
                   field("begin", [](auto& of) { return of.span.begin; }),
                   field("end", [](auto& of) { return of.span.end; }));
}

/// Counters of a link, its busy time in femtoseconds.
struct LinkUse {
  link::LinkReport report;
  core::Fs busy;
};
constexpr auto record_of(const LinkUse*) {
  using core::field;
  constexpr auto count = [](auto member) {
    return [member](const LinkUse& of) { return of.report.counters.*member; };
  };
  using Counters = link::LinkCounters;
  return core::row("Link", field("from", [](auto& of) { return of.report.from; }),
                   field("to", [](auto& of) { return of.report.to; }),
                   field("packets", count(&Counters::packets)),
                   field("payloadBytes", count(&Counters::payload_bytes)),
                   field("wireBytes", count(&Counters::wire_bytes)),
                   field("corrupt", count(&Counters::corrupt)), field("busy", &LinkUse::busy));
}

struct MoeReport {
  system::MoeResult result;
  std::vector<std::vector<std::byte>> outputs;  ///< by requested output and stream
  core::Clock clock;                            ///< of the links
  double seconds = 0;
};
[[nodiscard]] std::vector<FlowReport> moe_flows(const MoeReport& report);
[[nodiscard]] std::vector<LinkUse> moe_links(const MoeReport& report);
/// By device, with the time in which PCIe transferred data; zeros for a device without PCIe.
[[nodiscard]] std::vector<LinkUse> moe_pcie(const MoeReport& report);
/// By DIMM.
[[nodiscard]] std::vector<NdpCounts> moe_units(const MoeReport& report);

/// By DIMM, one row or none.
[[nodiscard]] std::vector<std::vector<system::HostSpans>> moe_host_jobs(const MoeReport& report);

/// By DIMM: spans of descriptors, counters of streams (none for an idle DIMM), events of the unit.
/// By move, flow and link: spans and counters. By device: spans of ended tasks, first `tasks`, then
/// `fetched`; counters of PCIe. By sub-channel: counters of the host. `wall` is in seconds of this
/// machine.
constexpr auto record_of(const MoeReport*) {
  using core::field;
  constexpr auto result = [](auto member) {
    return [member](const MoeReport& of) -> auto& { return of.result.*member; };
  };
  using Result = system::MoeResult;
  return core::record(
      "MoeResult",
      ending_fields(
          [](const MoeReport& of) -> auto& { return of.result.error; },
          [](const MoeReport& of) -> auto& { return of.clock; }),
      field("end", result(&Result::end)), field("jobs", result(&Result::jobs)),
      field("ports", result(&Result::ports)), field("moves", result(&Result::moves)),
      field("flows", moe_flows), field("links", moe_links), field("units", moe_units),
      field("devices", result(&Result::devices)), field("pcie", moe_pcie),
      field("host", result(&Result::host)), field("hostJobs", moe_host_jobs),
      field("commands", result(&Result::commands)), field("outputs", &MoeReport::outputs),
      field("machine", result(&Result::machine)), field("wall", &MoeReport::seconds));
}

}  // namespace neardata::api
