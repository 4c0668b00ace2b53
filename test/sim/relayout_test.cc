// SPDX-License-Identifier: Apache-2.0
//
// Checks of moves between DIMMs: random runs on every topology, their bounds, and injected faults.
#include <random>
#include <string>
#include <vector>

#include "checks.h"
#include "system/moe/moe_machine.h"
#include "table1_dimm.h"

namespace {

using namespace neardata;
using checks::Check;
using checks::kFine;
using checks::Patient;
using checks::Verdict;
using core::Fs;
using system::RelayoutMove;
using system::RelayoutRun;

constexpr std::uint32_t kDimms = 8;
constexpr std::uint32_t kStreams = 8;

/// The DIMM of Table 1, or one of a memory without banks.
system::NdpDimmConfig dimm_config(bool ideal) {
  system::NdpDimmConfig config = checks::table1_dimm();
  if (ideal) config.memory = system::IdealConfig{core::Cycle{48}, core::Cycle{8}};
  return config;
}

system::MoeConfig config(link::TopologyKind kind, bool ideal = false) {
  return {
      .dimm = dimm_config(ideal), .dimms = kDimms, .network = {.link = {}, .topology = {kind, 8}}};
}

/// Two sides of a CPU with four DIMMs each, between which the host forwards.
system::MoeConfig two_sides(link::TopologyKind kind) {
  system::MoeConfig machine = config(kind);
  machine.network.topology.group = 4;
  machine.forwarding = system::HostPath{Fs{50'000'000}, Fs{200'000'000}};
  return machine;
}

system::Stores make_stores() {
  system::Stores stores(kDimms);
  for (auto& dimm : stores) dimm.resize(kStreams);
  return stores;
}

system::MoeResult run(const system::MoeConfig& machine, std::vector<RelayoutMove> moves,
                      std::uint64_t seed = 1) {
  system::Stores stores = make_stores();
  const system::MoeWork work{.jobs = std::vector<std::vector<unit::Descriptor>>(kDimms),
                             .moves = std::move(moves)};
  system::fill_sources(work.moves, seed, stores);
  Patient patient;
  return system::run_moe(machine, nullptr, work, stores, patient);
}

constexpr link::TopologyKind kKinds[] = {link::TopologyKind::kChain, link::TopologyKind::kRing,
                                         link::TopologyKind::kMesh, link::TopologyKind::kFull};

/// Moves whose runs go from anywhere to anywhere; no two touch the same burst.
std::vector<RelayoutMove> random_moves(std::uint32_t seed, std::uint32_t moves,
                                       std::uint32_t runs) {
  std::mt19937 random(seed);
  std::vector<std::uint32_t> next(kDimms * kStreams, 0);
  const auto place = [&](std::uint32_t bursts) {
    const auto dimm = static_cast<std::uint32_t>(random() % kDimms);
    const auto stream = static_cast<std::uint32_t>(random() % kStreams);
    const std::uint32_t burst = next[dimm * kStreams + stream];
    next[dimm * kStreams + stream] += bursts;
    return system::BurstPlace{dimm, stream, burst};
  };
  std::vector<RelayoutMove> all;
  for (std::uint32_t m = 0; m < moves; ++m) {
    RelayoutMove move{
        .links = static_cast<std::uint32_t>(1 + random() % 3), .start = Fs{0}, .runs = {}};
    for (std::uint32_t r = 0; r < runs; ++r) {
      const auto bursts = static_cast<std::uint32_t>(1 + random() % 40);
      const system::BurstPlace from = place(bursts);
      move.runs.push_back({from, place(bursts), bursts});
    }
    all.push_back(std::move(move));
  }
  return all;
}

Verdict random_moves_arrive() {
  for (const auto kind : kKinds) {
    for (std::uint32_t seed = 1; seed <= 6; ++seed) {
      const auto result = run(config(kind, seed % 3 == 0), random_moves(seed, 1 + seed % 4, 60));
      if (result.error) return result.error->place + ": " + result.error->message;
    }
  }
  return kFine;
}

Verdict the_host_forwards_between_sides() {
  for (const auto kind : kKinds) {
    for (std::uint32_t seed = 1; seed <= 4; ++seed) {
      const auto moves = random_moves(seed, 1 + seed % 4, 60);
      const auto result = run(two_sides(kind), moves);
      if (result.error) return result.error->place + ": " + result.error->message;
      std::uint64_t forwarded = 0;
      for (const system::HostCounters& host : result.host) {
        forwarded += host.forwarded_bursts;
        if (host.read_bursts + host.write_bursts + host.activates > 0) return "DRAM of the host";
      }
      std::uint64_t between = 0;
      for (const system::Flow& flow : result.flows) {
        if (flow.source / 4 != flow.target / 4) between += flow.bursts;
      }
      // Each is read and written, with a header and a CRC a packet, and the ends of batches.
      if (forwarded < 2 * between || forwarded > 4 * between + 64) return "forwarded bursts";
    }
  }
  return kFine;
}

Verdict threads_change_no_forwarding() {
  system::MoeConfig machine = two_sides(link::TopologyKind::kChain);
  const auto moves = random_moves(7, 3, 80);
  const auto one = run(machine, moves);
  machine.threads = 3;
  const auto three = run(machine, moves);
  if (one.error || three.error) return "an error";
  if (one.end != three.end) return "end";
  for (std::size_t f = 0; f < one.flow_spans.size(); ++f) {
    if (one.flow_spans[f].end != three.flow_spans[f].end) return "flow " + std::to_string(f);
  }
  return kFine;
}

Verdict bit_errors_do_not_show() {
  system::MoeConfig machine = config(link::TopologyKind::kRing);
  machine.network.link.bit_error_rate = 2e-5;
  const auto result = run(machine, random_moves(9, 2, 200));
  if (result.error) return result.error->message;
  std::uint64_t corrupt = 0;
  for (const auto& link : result.links) corrupt += link.counters.corrupt;
  return corrupt > 0 ? Verdict{} : Verdict{"no errors"};
}

/// One region from each of `sources`, the first of them `first` DIMMs on, to `target`, from all
/// ranks at once, as an expert is striped.
RelayoutMove gather(std::uint32_t sources, std::uint32_t links, std::uint32_t target = 0,
                    std::uint32_t first = 1) {
  RelayoutMove move{.links = links, .start = Fs{0}, .runs = {}};
  const std::uint32_t base = target * 1024;
  for (std::uint32_t s = 0; s < sources; ++s) {
    const std::uint32_t source = (target + first + s) % kDimms;
    for (std::uint32_t at = 0; at < 1024; at += 4) {
      for (std::uint32_t stream = 0; stream < kStreams; ++stream) {
        const std::uint32_t to = 65536 + s * 1024 + at;
        move.runs.push_back({{source, stream, base + at}, {target, stream, to}, 4});
      }
    }
  }
  return move;
}

/// Bytes over the rate of `links` links, with header and CRC, compared with the machine's time.
Verdict as_fast_as(std::uint32_t sources, std::uint32_t links) {
  const auto result = run(config(link::TopologyKind::kFull), {gather(sources, links)});
  if (result.error) return result.error->message;
  const double bytes = sources * 8.0 * 1024 * 64;
  const double closed_form = bytes * 272 / 256 / (25.0 * links);  // nanoseconds
  const double took =
      static_cast<double>((result.moves[0].end - result.moves[0].begin).value) / 1e6;
  if (took < closed_form || took > closed_form * 1.05) {
    return std::to_string(took) + " ns, and " + std::to_string(closed_form) + " ns of wire";
  }
  return kFine;
}

/// Packets from the other side, with header and CRC, occupy the two sub-channels of their target.
Verdict a_channel_is_the_bound_of_forwarding() {
  const auto result = run(two_sides(link::TopologyKind::kChain), {gather(4, 4, 0, 4)});
  if (result.error) return result.error->message;
  const double closed_form = 4 * 8.0 * 1024 * 64 * 272 / 256 / 38.4;  // nanoseconds
  const double took =
      static_cast<double>((result.moves[0].end - result.moves[0].begin).value) / 1e6;
  if (took >= closed_form && took < closed_form * 1.1) return kFine;
  return std::to_string(took) + " ns, and " + std::to_string(closed_form) + " ns of bus";
}

/// Both links into the middle of a chain are used at once, while packets arrive over either.
Verdict a_move_uses_the_links_of_both_neighbours() {
  const auto result = run(config(link::TopologyKind::kChain), {gather(7, 2, 4)});
  if (result.error) return result.error->message;
  const double one_link = 4 * 8.0 * 1024 * 64 * 272 / 256 / 25;  // nanoseconds, of the longer side
  const double took =
      static_cast<double>((result.moves[0].end - result.moves[0].begin).value) / 1e6;
  if (took >= one_link && took < one_link * 1.15) return kFine;
  return std::to_string(took) + " ns, and " + std::to_string(one_link) + " ns of wire";
}

Verdict one_link_is_the_bound() { return as_fast_as(4, 1); }
Verdict three_links_are_the_bound() { return as_fast_as(6, 3); }

Verdict moves_to_several_dimms_share_the_sources() {
  const auto result =
      run(config(link::TopologyKind::kFull), {gather(7, 3, 0), gather(7, 3, 2), gather(7, 3, 5)});
  return result.error ? Verdict{result.error->message} : kFine;
}

Verdict a_lost_byte_is_found() {
  system::Stores stores = make_stores();
  const RelayoutMove move = gather(1, 1);
  system::fill_sources({move}, 3, stores);
  const auto wrong = system::difference(move, stores);
  return wrong && wrong->find("DIMM 0") != std::string::npos ? Verdict{} : Verdict{"not found"};
}

Verdict no_way_is_an_error() {
  system::MoeConfig machine = config(link::TopologyKind::kChain);
  machine.network.topology.group = 4;
  const auto result = run(machine, {gather(5, 1)});
  return result.error && result.error->fault == core::Fault::kBadConfig ? Verdict{}
                                                                        : Verdict{"no error"};
}

Verdict same_seed_same_times() {
  system::MoeConfig machine = config(link::TopologyKind::kRing);
  machine.network.link.bit_error_rate = 1e-5;
  const auto moves = random_moves(4, 3, 80);
  const auto a = run(machine, moves);
  const auto b = run(machine, moves);
  if (a.end != b.end) return "end";
  for (std::size_t f = 0; f < a.flow_spans.size(); ++f) {
    if (a.flow_spans[f].end != b.flow_spans[f].end) return "flow " + std::to_string(f);
  }
  return kFine;
}

/// The machine of a move from every DIMM to every other, with nobody at the host.
Verdict a_machine_of_rooms_describes_itself() {
  const system::MoeWork work{.jobs = std::vector<std::vector<unit::Descriptor>>(kDimms),
                             .moves = {gather(kDimms - 1, 3)},
                             .devices = {},
                             .valued = {}};
  system::Stores stores = make_stores();
  system::fill_sources(work.moves, 5, stores);
  const std::vector<system::Flow> flows = system::flows_of(work.moves);
  core::Machine machine;
  const auto subsystems =
      system::add_moe(machine, config(link::TopologyKind::kFull), {nullptr, work, flows, stores});
  if (!subsystems) return subsystems.error().message;
  if (!machine.close().empty()) return machine.close().front();
  Patient patient;
  if (const auto end = machine.run(patient); !end) return end.error().message;
  const core::MachineRecord record = machine.describe();

  std::vector<std::uint64_t> reads(kDimms);
  for (const core::EdgeRecord& edge : record.edges) {
    if (edge.message != "read request") continue;
    for (std::uint32_t d = 0; d < kDimms; ++d) {
      if (edge.to.part.starts_with(link::dimm_subsystem(d) + " sub-channel"))
        reads[d] += edge.messages;
    }
  }
  for (std::uint32_t d = 0; d < kDimms; ++d) {
    std::uint64_t bursts = 0;
    for (const system::PortCounters& port : subsystems->dimms[d].port_counters()) {
      bursts += port.read_bursts;
    }
    if (reads[d] != bursts || (d > 0 && bursts == 0)) return "reads of DIMM " + std::to_string(d);
  }
  for (const core::PartRecord& part : record.parts) {
    const bool in_subsystem = part.subsystem.empty() || part.name.starts_with(part.subsystem + " ");
    if (!in_subsystem) return part.name + " in subsystem " + part.subsystem;
    for (const core::PortRecord& port : part.ports) {
      const bool at_host = port.option == "host";
      if (port.joined == at_host) return port.name + " of " + part.name;
    }
  }
  return record.clocks.size() == 3 ? Verdict{} : Verdict{"clocks"};
}

constexpr Check kChecks[] = {
    {"random moves arrive on every topology", random_moves_arrive},
    {"the host forwards between the sides of a CPU", the_host_forwards_between_sides},
    {"threads change nothing of forwarding", threads_change_no_forwarding},
    {"a channel is the bound of forwarding", a_channel_is_the_bound_of_forwarding},
    {"a move uses the links of both neighbours", a_move_uses_the_links_of_both_neighbours},
    {"bit errors do not show", bit_errors_do_not_show},
    {"one link is the bound of a move", one_link_is_the_bound},
    {"three links are the bound of a move", three_links_are_the_bound},
    {"moves to several DIMMs share the sources", moves_to_several_dimms_share_the_sources},
    {"a lost byte is found", a_lost_byte_is_found},
    {"a move without a way is an error", no_way_is_an_error},
    {"same seed, same times", same_seed_same_times},
    {"a machine of subsystems describes itself", a_machine_of_rooms_describes_itself},
};

}  // namespace

int main() { neardata::checks::run_checks(kChecks); }
