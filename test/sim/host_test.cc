// SPDX-License-Identifier: Apache-2.0
//
// Checks of the host's reads through ranks that belong to NDP: rates against closed forms, ranks
// that come back, and what meets relayout on the same ranks.
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
using system::HostChunk;
using system::HostDeviceWork;
using system::HostTask;

constexpr std::uint32_t kDimms = 4;
constexpr std::uint32_t kStreams = 8;
constexpr std::uint32_t kChunkBursts = 256;

system::MoeResult run(std::vector<HostDeviceWork> devices,
                      std::vector<system::RelayoutMove> moves = {}) {
  const system::MoeConfig machine{
      .dimm = checks::table1_dimm(),
      .dimms = kDimms,
      .network = {.link = {}, .topology = {link::TopologyKind::kFull, kDimms}},
      .rtl_dimms = {}};
  const system::MoeWork work{.jobs = std::vector<std::vector<unit::Descriptor>>(kDimms),
                             .moves = std::move(moves),
                             .devices = std::move(devices),
                             .valued = {}};
  system::Stores stores(kDimms);
  for (auto& dimm : stores) dimm.resize(kStreams);
  system::fill_sources(work.moves, 1, stores);
  Patient patient;
  return system::run_moe(machine, nullptr, work, stores, patient);
}

/// `count` chunks that take 256 bursts of one rank from each of the first `width` sub-channels.
HostTask task(std::uint32_t count, std::uint32_t width, Fs compute) {
  HostTask made{compute, {}};
  for (std::uint32_t c = 0; c < count; ++c) {
    HostChunk chunk;
    for (std::uint32_t k = 0; k < width; ++k) {
      const std::uint32_t rank = c % 2 * 4 + c / 2 % 4;
      chunk.parts.push_back({k, {rank, c / 8 * kChunkBursts, kChunkBursts}});
      chunk.bytes.value += kChunkBursts * 64;
    }
    made.chunks.push_back(std::move(chunk));
  }
  return made;
}

/// So many bytes a second, nothing beside them and no way to go.
link::LinkConfig pcie(std::int64_t rate) {
  constexpr std::int64_t kLanes = 16;
  const core::Hertz lane{rate * 8 / kLanes};
  return {.lanes = kLanes,
          .lane_rate = lane,
          .latency = {1},
          .credits = 64,
          .format = {.header_bytes = 0},
          .limits = {.wires = {kLanes, lane.value}}};
}

double nanoseconds(const system::TimeSpan& span) {
  return static_cast<double>((span.end - span.begin).value) / 1e6;
}

Verdict near(const char* what, double took, double floor, double slack) {
  if (took >= floor && took <= floor * slack) return kFine;
  return std::string(what) + " took " + std::to_string(took) + " ns, its floor is " +
         std::to_string(floor);
}

constexpr double kBurst = 64 / 19.2;  // nanoseconds on a sub-channel

Verdict reads_go_at_the_rate_of_the_sub_channels() {
  const auto result = run({{"CPU", {}, 8, {{task(64, 4, Fs{1000})}}}});
  if (result.error) return result.error->message;
  return near("a read", nanoseconds(result.devices[0][0]), 64 * kChunkBursts * kBurst, 1.2);
}

Verdict every_rank_comes_back() {
  const auto result = run({{"CPU", {}, 8, {{task(64, 4, Fs{1000})}}}});
  for (const system::HostCounters& host : result.host) {
    if (host.bursts != 64 * kChunkBursts) return "bursts";
    if (host.hand_overs < 8 || host.hand_overs > 64) return std::to_string(host.hand_overs);
    for (const std::int64_t held : host.held) {
      if (held < 8 * kChunkBursts * 8) return "a rank held for too short a time";
    }
  }
  return kFine;
}

/// Two readers with equal work, and so many between and behind them that have none.
Verdict idle_readers_give_nobody_more(std::size_t idle) {
  const std::vector<HostTask> work{task(64, 4, Fs{1000})};
  std::vector<HostDeviceWork> devices{{"one", {}, 8, {work}}, {"other", {}, 8, {work}}};
  for (std::size_t i = 0; i < idle; ++i)
    devices.push_back({"idle " + std::to_string(i), {}, 8, {{}}});
  const auto result = run(devices);
  if (result.error) return result.error->message;
  const double one = nanoseconds(result.devices[0][0]);
  const double other = nanoseconds(result.devices[1][0]);
  // One of them ends no more than the buffers of the other before it, eight chunks of 64.
  if (std::min(one, other) >= std::max(one, other) * (1 - 8.0 / 64)) return kFine;
  return std::to_string(one) + " and " + std::to_string(other) + " ns";
}

Verdict readers_take_turns() {
  for (const std::size_t idle : {0U, 1U, 2U, 6U}) {
    if (auto verdict = idle_readers_give_nobody_more(idle); verdict) return verdict;
  }
  return kFine;
}

Verdict compute_hides_reads() {
  const auto result = run({{"CPU", {}, 8, {{task(16, 4, Fs{100'000'000'000})}}}});
  return near("compute", nanoseconds(result.devices[0][0]), 100'000, 1.02);
}

Verdict pcie_bounds_the_gpu() {
  const auto result = run({{"GPU", pcie(16'000'000'000), 8, {{task(16, 4, Fs{1000})}}}});
  const double floor = 16.0 * 4 * kChunkBursts * 64 / 16;
  return near("PCIe", nanoseconds(result.devices[0][0]), floor, 1.05);
}

Verdict a_resident_expert_reads_nothing() {
  const auto result = run({{"GPU", pcie(64'000'000'000), 8, {{{Fs{5'000'000'000}, {}}}}}});
  if (result.host[0].bursts != 0) return "bursts";
  return near("compute", nanoseconds(result.devices[0][0]), 5000, 1.001);
}

Verdict a_device_computes_one_thing_at_a_time() {
  const HostTask resident{Fs{20'000'000'000}, {}};
  const HostTask fetched = task(16, 4, Fs{30'000'000'000});
  const auto result = run({{"GPU", pcie(400'000'000'000), 8, {{resident}, {fetched}}}});
  if (result.error) return result.error->message;
  if (result.devices.size() != 2) return "queues";
  // 14 us of reads hide behind the resident expert; the last chunk's share may not.
  return near("both", nanoseconds(result.devices[1][0]), 50'000, 1.02);
}

Verdict a_read_beyond_a_rank_is_reported() {
  HostTask beyond{Fs{1000}, {{.parts = {{0, {1, (1U << 28U) - 4, 8}}}, .bytes = {512}}}};
  const auto result = run({{"CPU", {}, 8, {{beyond}}}});
  if (!result.error || result.error->place != "host sub-channel 0") return "no error of the port";
  const std::string& said = result.error->message;
  if (said.find("8 bursts from 268435452 of rank 1 is beyond") == std::string::npos) return said;
  beyond.chunks[0].parts[0].run = {9, 0, 1};
  return run({{"CPU", {}, 8, {{beyond}}}}).error ? Verdict{} : Verdict{"a rank that is none"};
}

Verdict two_readers_share_the_channels() {
  const auto alone = run({{"CPU", {}, 8, {{task(64, 4, Fs{1000})}}}});
  const auto both = run({{"CPU", {}, 8, {{task(64, 4, Fs{1000})}}},
                         {"GPU", pcie(400'000'000'000), 8, {{task(64, 4, Fs{1000})}}}});
  if (both.error) return both.error->message;
  const double one = nanoseconds(alone.devices[0][0]);
  return near("two", nanoseconds(both.devices[0][0]), one * 1.6, 1.6);
}

Verdict moves_and_reads_meet_and_end() {
  system::RelayoutMove move{.links = 3, .start = Fs{0}, .runs = {}};
  for (std::uint32_t d = 1; d < kDimms; ++d) {
    for (std::uint32_t at = 0; at < 1024; at += 4) {
      for (std::uint32_t s = 0; s < kStreams; ++s) {
        move.runs.push_back({{d, s, at}, {0, s, 65536 + d * 1024 + at}, 4});
      }
    }
  }
  const auto alone = run({}, {move});
  const auto both = run({{"CPU", {}, 8, {{task(256, 4, Fs{1000})}}}}, {move});
  if (both.error) return both.error->message;
  if (nanoseconds(both.moves[0]) <= nanoseconds(alone.moves[0])) return "no contention";
  return both.devices[0].size() == 1 ? Verdict{} : Verdict{"the read did not end"};
}

constexpr Check kChecks[] = {
    {"reads go at the rate of the sub-channels", reads_go_at_the_rate_of_the_sub_channels},
    {"every rank comes back to NDP", every_rank_comes_back},
    {"readers take turns, whoever is idle", readers_take_turns},
    {"compute hides reads", compute_hides_reads},
    {"PCIe bounds the GPU", pcie_bounds_the_gpu},
    {"a resident expert reads nothing", a_resident_expert_reads_nothing},
    {"a device computes one thing at a time", a_device_computes_one_thing_at_a_time},
    {"a read beyond a rank is reported", a_read_beyond_a_rank_is_reported},
    {"two readers share the channels", two_readers_share_the_channels},
    {"moves and reads meet and end", moves_and_reads_meet_and_end},
};

}  // namespace

int main() { neardata::checks::run_checks(kChecks); }
