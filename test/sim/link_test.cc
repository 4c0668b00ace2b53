// SPDX-License-Identifier: Apache-2.0
//
// Checks of sim/link against closed forms, and injected faults.
#include "link/link.h"

#include <cmath>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "checks.h"
#include "core/machine/machine.h"
#include "link/crc32c.h"
#include "link/cxl.h"
#include "link/network.h"
#include "link/stream.h"
#include "link_parts.h"

namespace {

using namespace neardata;
using checks::Check;
using checks::kFine;
using checks::Patient;
using checks::Verdict;
using core::Clock;
using core::Fs;
using link::Packet;
using link::PacketHeader;

Verdict crc_is_castagnolis() {
  // RFC 3720, appendix B.4, and the check value of "123456789".
  const std::string digits = "123456789";
  if (link::crc32c(std::as_bytes(std::span(digits))) != 0xE3069283) return "123456789";
  std::array<std::byte, 32> bytes{};
  if (link::crc32c(bytes) != 0x8A9136AA) return "zeros";
  bytes.fill(std::byte{0xFF});
  if (link::crc32c(bytes) != 0x62A8AB43) return "ones";
  return kFine;
}

Verdict every_single_and_double_error_is_found() {
  Packet packet = make_packet(1, 2, 3);
  packet.seal(9);
  if (!packet.intact()) return "intact";
  const std::size_t bits = packet.wire_bytes() * 8;
  for (std::size_t bit = 0; bit < bits; ++bit) {
    packet.flip(bit);
    if (packet.intact()) return "bit " + std::to_string(bit);
    const std::size_t other = (bit * 31 + 17) % bits;
    packet.flip(other);
    if (other != bit && packet.intact()) return "bits " + std::to_string(bit);
    packet.flip(other);
    packet.flip(bit);
  }
  return packet.intact() ? Verdict{} : Verdict{"restored"};
}

Verdict throughput_is_rate_less_headers() {
  constexpr std::uint32_t kPackets = 2000;
  for (const auto kind : {link::TopologyKind::kFull, link::TopologyKind::kChain}) {
    const Outcome outcome = run(on(kind), {{0, 5}}, {kPackets});
    if (outcome.error || outcome.wrong != 0 || outcome.received != kPackets) return "delivery";
    const Clock clock(link::LinkConfig{}.clock());
    const std::int64_t took = (outcome.dimms[5].last - outcome.dimms[5].first).value;
    const std::int64_t ideal = clock.edge({(kPackets - 1) * kPacketCycles}).value;
    // The DIMM looks once a nanosecond.
    if (std::abs(took - ideal) > 1'000'000) return "took " + std::to_string(took) + " fs";
  }
  return kFine;
}

Verdict parallel_links_add_up() {
  link::NetworkConfig config = on(link::TopologyKind::kChain);
  config.parallel = 3;
  const Outcome outcome = run(config, {{0, 2}}, {3000});
  if (outcome.error || outcome.wrong != 0 || outcome.received != 3000) return "delivery";
  const double took = static_cast<double>((outcome.dimms[2].last - outcome.dimms[2].first).value);
  const double one = 3000 * 34 * 0.32e6;
  const double gain = one / took;
  return std::abs(gain - 3) < 0.02 ? Verdict{} : Verdict{"gain " + std::to_string(gain)};
}

Verdict latency_grows_by_a_hop() {
  std::vector<std::int64_t> first;
  for (const std::uint32_t target : {1U, 2U, 3U, 4U}) {
    const Outcome outcome = run(on(link::TopologyKind::kChain), {{0, target}}, {1});
    if (outcome.received != 1) return "delivery";
    first.push_back(outcome.dimms[target].first.value);
  }
  // Wire time, latency, and one edge each into hub, link.
  const std::int64_t hop = (kPacketCycles + 32 + 2) * 320'000;
  for (std::size_t i = 1; i < first.size(); ++i) {
    const std::int64_t more = first[i] - first[i - 1];
    if (std::abs(more - hop) > 1'000'000) return "hop " + std::to_string(more) + " fs";
  }
  return kFine;
}

Verdict credits_bound_what_is_on_the_way() {
  link::NetworkConfig config = on(link::TopologyKind::kFull);
  config.link.credits = 1;
  const Outcome outcome = run(config, {{0, 1}}, {400});
  const double took = static_cast<double>((outcome.dimms[1].last - outcome.dimms[1].first).value);
  // One packet a round trip: wire, latency, an edge to the hub, latency back.
  const double closed_form = 399.0 * (kPacketCycles + 32 + 1 + 32) * 320'000;
  if (std::abs(took / closed_form - 1) > 0.02) return "took " + std::to_string(took / closed_form);
  return kFine;
}

Verdict slow_reader_loses_nothing() {
  for (const auto kind : {link::TopologyKind::kFull, link::TopologyKind::kRing}) {
    const Outcome outcome = run(on(kind), {{0, 3}, {1, 3}, {5, 3}}, {200, 40});
    if (outcome.error) return outcome.error->message;
    if (outcome.wrong != 0 || outcome.received != 600) return "delivery";
  }
  return kFine;
}

Verdict idle_inputs_give_their_turn_to_nobody() {
  const Outcome outcome =
      run(on(link::TopologyKind::kFull),
          {{0, 3}, {1, 3, false}, {2, 3, false}, {4, 3, false}, {5, 3}}, {200, 40});
  if (outcome.error || outcome.received != 400) return "delivery";
  const std::uint32_t most = outcome.dimms[3].most_in_a_row;
  return most <= 2 ? Verdict{} : Verdict{std::to_string(most) + " of one sender in a row"};
}

Verdict all_to_all_arrives_on_every_topology() {
  using link::TopologyKind;
  for (const auto kind :
       {TopologyKind::kChain, TopologyKind::kRing, TopologyKind::kMesh, TopologyKind::kFull}) {
    for (const bool ideal : {false, true}) {
      std::vector<Flow> flows;
      for (std::uint32_t a = 0; a < 8; ++a) {
        for (std::uint32_t b = 0; b < 8; ++b) {
          if (a != b) flows.push_back({a, b});
        }
      }
      link::NetworkConfig config = on(kind);
      config.ideal = ideal;
      config.link.credits = 2;
      const Outcome outcome = run(config, flows, {60, 7});
      if (outcome.error) return outcome.error->message;
      if (outcome.wrong != 0 || outcome.received != flows.size() * 60) return "delivery";
    }
  }
  return kFine;
}

Verdict ways_are_the_shortest() {
  const auto way = [](link::TopologyKind kind, std::uint32_t a, std::uint32_t b) {
    std::string text;
    for (const std::uint32_t at : link::Topology{kind, 8}.path(a, b)) text += std::to_string(at);
    return text;
  };
  using link::TopologyKind;
  if (way(TopologyKind::kChain, 1, 4) != "234") return "chain up";
  if (way(TopologyKind::kChain, 4, 1) != "321") return "chain down";
  if (way(TopologyKind::kRing, 1, 7) != "07") return "ring down";
  if (way(TopologyKind::kRing, 6, 1) != "701") return "ring up";
  if (way(TopologyKind::kRing, 0, 4) != "1234") return "ring tie";
  if (way(TopologyKind::kMesh, 1, 6) != "3576" || way(TopologyKind::kMesh, 7, 6) != "6" ||
      way(TopologyKind::kMesh, 6, 1) != "4201") {
    return "mesh";
  }
  if (way(TopologyKind::kFull, 3, 7) != "7") return "full";
  return way(TopologyKind::kFull, 3, 9).empty() ? Verdict{} : Verdict{"between groups"};
}

Verdict groups_are_not_linked() {
  const Outcome outcome = run(on(link::TopologyKind::kRing, 4), {{1, 6}}, {1});
  return outcome.error ? Verdict{} : Verdict{"a way between groups"};
}

Verdict groups_are_whole() {
  using link::TopologyKind;
  const auto refused = [](TopologyKind kind, std::uint32_t group, std::uint32_t dimms) {
    return link::Topology{kind, group}.refuses(dimms).has_value();
  };
  if (!refused(TopologyKind::kRing, 6, 16)) return "a ring with DIMMs that are not there";
  if (!refused(TopologyKind::kMesh, 6, 16)) return "a mesh with DIMMs that are not there";
  if (!refused(TopologyKind::kMesh, 5, 15)) return "a mesh of five";
  for (const auto kind : {TopologyKind::kChain, TopologyKind::kRing, TopologyKind::kMesh}) {
    if (refused(kind, 8, 16)) return "groups of eight";
  }
  return refused(TopologyKind::kChain, 6, 16) ? Verdict{"a shorter chain"} : kFine;
}

Verdict errors_are_found_and_repaired() {
  link::NetworkConfig config = on(link::TopologyKind::kChain);
  config.link.bit_error_rate = 1e-4;  // a packet in five
  config.link.seed = 11;
  const Outcome outcome = run(config, {{0, 3}, {3, 0}}, {1500});
  if (outcome.error) return outcome.error->message;
  if (outcome.wrong != 0 || outcome.received != 3000) return "delivery";
  std::uint64_t corrupt = 0;
  double sent = 0;
  for (const auto& link : outcome.links) {
    corrupt += link.counters.corrupt;
    sent += static_cast<double>(link.counters.wire_bytes) / 272;
    if (link.counters.packets != 1500) return "a packet twice";
  }
  const double share = static_cast<double>(corrupt) / sent;
  const double expected = 1 - std::pow(1 - 1e-4, 272 * 8);
  return std::abs(share / expected - 1) < 0.1 ? Verdict{}
                                              : Verdict{"share " + std::to_string(share)};
}

/// Packets of mixed sizes, in both directions at once, through wires that corrupt up to nine in ten
/// of them: all arrive, once and in order, whatever the number of retransmissions.
Verdict mixed_packets_arrive_both_ways() {
  for (const double rate : {1e-4, 3e-4, 1e-3}) {
    for (const std::uint32_t credits : {2U, 16U}) {
      for (std::uint64_t seed = 0; seed < 250; ++seed) {
        link::NetworkConfig config = on(link::TopologyKind::kFull, 2);
        config.link.bit_error_rate = rate;
        config.link.credits = credits;
        config.link.seed = seed;
        const auto count = static_cast<std::uint32_t>(8 + seed % 20);
        const Outcome outcome = run(config, {{0, 1}, {1, 0}}, {count, 0, 2, mixed});
        const std::string which = " at " + std::to_string(rate) + ", " + std::to_string(credits) +
                                  " credits, seed " + std::to_string(seed);
        if (outcome.error) return outcome.error->message + which;
        if (outcome.wrong + outcome.out_of_order != 0) return "wrong" + which;
        if (outcome.received != std::uint64_t{2} * count) return "lost" + which;
      }
    }
  }
  return kFine;
}

Verdict errors_repeat_with_their_seed() {
  link::NetworkConfig config = on(link::TopologyKind::kFull);
  config.link.bit_error_rate = 1e-4;
  const auto sent = [&](std::uint64_t seed) {
    config.link.seed = seed;
    return run(config, {{0, 1}}, {500}).links.front().counters.wire_bytes;
  };
  if (sent(1) != sent(1)) return "same seed";
  return sent(1) != sent(2) || sent(1) != sent(3) ? Verdict{} : Verdict{"other seeds"};
}

Verdict ideal_link_is_faster_by_the_header() {
  link::NetworkConfig config = on(link::TopologyKind::kFull);
  const Outcome real = run(config, {{0, 1}}, {2000});
  config.ideal = true;
  const Outcome ideal = run(config, {{0, 1}}, {2000});
  const double ratio = static_cast<double>(real.dimms[1].last.value) /
                       static_cast<double>(ideal.dimms[1].last.value);
  return std::abs(ratio - 272.0 / 256) < 0.002 ? Verdict{} : Verdict{std::to_string(ratio)};
}

Verdict guard_fires_on_fewer_wires() {
  link::NetworkConfig config = on(link::TopologyKind::kFull);
  config.link.limits.wires = {7, 25'000'000'000};
  const Outcome outcome = run(config, {{0, 1}}, {10});
  if (!outcome.error || outcome.error->fault != core::Fault::kPhysics) return "no fault";
  return outcome.error->place == "link 0 to 1" ? Verdict{} : Verdict{outcome.error->place};
}

Verdict more_packets_than_room_are_a_fault() {
  core::Machine machine;
  machine.add_clock("DIMM", kDimm);
  const auto& liar = machine.subsystem().add<Liar>("liar", "DIMM");
  const link::LinkConfig config{.credits = 2};
  const auto& wire = machine.subsystem().add<link::Link<Packet>>("link", "DIMM", config, 0U);
  machine.join(liar.port("packets"), wire.port("input"), {.capacity = 4});
  machine.join(wire.port("output"), liar.port("arrived"));
  machine.join(liar.port("credits"), wire.port("credits"));
  Patient patient;
  const auto done = machine.run(patient);
  // A third credit for a buffer of two: the buffer is full for the third packet.
  if (done || done.error().fault != core::Fault::kProtocol) return "no fault";
  return done.error().place == "link" ? Verdict{} : Verdict{done.error().place};
}

/// A long stream through CXL, from a memory that answers after 50 ns and has a rate to spare.
link::StreamConfig through_cxl(std::int64_t lanes, link::CxlFlit flit) {
  const auto [requests, lines] = link::cxl_links(lanes, flit);
  return {.requests = requests,
          .lines = lines,
          .count = 20'000,
          .window = 256,
          .latency = Fs{50'000'000},
          .line_time = Fs{500'000}};
}

Verdict cxl_delivers_its_slots() {
  for (const std::int64_t lanes : {4, 8, 16}) {
    for (const auto flit : {link::CxlFlit::k68, link::CxlFlit::k256}) {
      const link::StreamConfig config = through_cxl(lanes, flit);
      const auto times = link::stream(config);
      if (!times) return times.error().message;
      const auto& lines = config.lines;
      const auto bytes = static_cast<std::size_t>(lines.format.header_bytes + link::kCxlLine);
      const Fs line = core::Clock(lines.clock()).edge({lines.wire_cycles(bytes).value * 1000});
      const double most = 64e18 / static_cast<double>(line.value);
      const double least_of_wires = 0.66 * static_cast<double>(lanes) * 32e9 / 8;
      const double rate = times->rate(config.count);
      if (std::abs(rate / most - 1) > 0.002 || rate < least_of_wires) {
        return std::to_string(lanes) + " lanes: " + std::to_string(rate) + " of " +
               std::to_string(most);
      }
    }
  }
  return kFine;
}

Verdict cxl_takes_both_ways() {
  link::StreamConfig config = through_cxl(8, link::CxlFlit::k68);
  config.count = 1;
  const auto times = link::stream(config);
  // Both latencies, the memory's, 17 and 85 bytes at 31.5 GB/s.
  const std::int64_t least = 2 * 25'000'000 + 50'000'000 + 3'230'000;
  if (!times || times->first < Fs{least}) return "too soon";
  return times->first < Fs{least + 3'000'000} ? Verdict{} : Verdict{"too late"};
}

Verdict few_lines_are_a_round_trip_apart() {
  link::StreamConfig config = through_cxl(16, link::CxlFlit::k68);
  config.window = 8;
  config.count = 4000;
  const auto times = link::stream(config);
  if (!times) return times.error().message;
  config.count = 1;
  const auto one = link::stream(config);
  const double most = 8 * 64e15 / static_cast<double>(one->first.value);
  const double rate = times->rate(4000);
  return rate < 1.02 * most && rate > 0.85 * most ? Verdict{}
                                                  : Verdict{std::to_string(rate / most)};
}

Verdict credits_of_cxl_bound_it() {
  link::StreamConfig config = through_cxl(16, link::CxlFlit::k68);
  config.lines.credits = 4;
  config.count = 4000;
  const auto times = link::stream(config);
  if (!times) return times.error().message;
  // Four lines or their credits are in flight: two latencies and their wires.
  const double most = 4 * 64 / 51e-9;
  const double rate = times->rate(4000);
  return rate < 1.02 * most && rate > 0.8 * most ? Verdict{} : Verdict{std::to_string(rate / most)};
}

/// Nothing crosses 8 mm of trace in no time; pins and credits are as they have to be.
Verdict guard_of_pcie_knows_the_way() {
  if (const auto honest = over_pcie({1})) return honest->message;
  const auto fast = over_pcie({0});
  if (!fast || fast->fault != core::Fault::kPhysics) return "no fault of the way";
  return fast->place == "wire latency" ? Verdict{} : Verdict{fast->place};
}

Verdict guard_of_cxl_knows_the_standard() {
  link::StreamConfig config = through_cxl(8, link::CxlFlit::k256);
  config.lines.lane_rate = {8 * 33'000'000'000};
  const auto fast = link::stream(config);
  if (fast || fast.error().fault != core::Fault::kPhysics) return "no fault";
  if (fast.error().place != "lines") return fast.error().place;
  config = through_cxl(8, link::CxlFlit::k256);
  config.lines.limits.flight = Fs{30'000'000};
  const auto near = link::stream(config);
  if (near || near.error().fault != core::Fault::kPhysics) return "no fault of the way";
  return near.error().place == "lines latency" ? Verdict{} : Verdict{near.error().place};
}

constexpr Check kChecks[] = {
    {"the CRC is CRC-32C", crc_is_castagnolis},
    {"one or two wrong bits never pass", every_single_and_double_error_is_found},
    {"throughput is the rate less header and CRC", throughput_is_rate_less_headers},
    {"links side by side add up", parallel_links_add_up},
    {"a hop costs wire time and latency", latency_grows_by_a_hop},
    {"one credit is one packet a round trip", credits_bound_what_is_on_the_way},
    {"a slow reader loses nothing", slow_reader_loses_nothing},
    {"idle inputs give their turn to nobody", idle_inputs_give_their_turn_to_nobody},
    {"all to all arrives on every topology", all_to_all_arrives_on_every_topology},
    {"ways are the shortest", ways_are_the_shortest},
    {"groups are not linked", groups_are_not_linked},
    {"rings and meshes are whole", groups_are_whole},
    {"bit errors are found and repaired", errors_are_found_and_repaired},
    {"mixed packets arrive both ways through many errors", mixed_packets_arrive_both_ways},
    {"errors repeat with their seed", errors_repeat_with_their_seed},
    {"the ideal link is faster by the header", ideal_link_is_faster_by_the_header},
    {"the guard fires on fewer wires", guard_fires_on_fewer_wires},
    {"more packets than room are a fault", more_packets_than_room_are_a_fault},
    {"CXL delivers what its slots leave of its wires", cxl_delivers_its_slots},
    {"a line of CXL takes both ways and the memory", cxl_takes_both_ways},
    {"few lines asked for are a round trip apart", few_lines_are_a_round_trip_apart},
    {"few credits are a round trip apart", credits_of_cxl_bound_it},
    {"the guard of PCIe knows the way", guard_of_pcie_knows_the_way},
    {"guards of CXL know the standard and the way", guard_of_cxl_knows_the_standard},
};

}  // namespace

int main() { neardata::checks::run_checks(kChecks); }
