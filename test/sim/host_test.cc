// SPDX-License-Identifier: Apache-2.0
//
// Checks of the host's reads through ranks that NDP owns: rates against closed forms, ranks that
// are returned to the host, and reads concurrent with relayout on the same ranks.
#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "checks.h"
#include "system/dimm/ndp_machine.h"
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

/// `group`: DIMMs on one side of the CPU; the host forwards between sides.
system::MoeResult run(std::vector<HostDeviceWork> devices,
                      std::vector<system::RelayoutMove> moves = {}, std::uint32_t group = kDimms,
                      core::Observer* observer = nullptr) {
  const system::MoeConfig machine{
      .dimm = checks::table1_dimm(),
      .dimms = kDimms,
      .network = {.link = {}, .topology = {link::TopologyKind::kFull, group}},
      .forwarding = system::HostPath{Fs{50'000'000}, Fs{200'000'000}},
      .rtl_dimms = {},
      .recorded_commands = 4096};
  const system::MoeWork work{.jobs = std::vector<std::vector<unit::Descriptor>>(kDimms),
                             .moves = std::move(moves),
                             .devices = std::move(devices),
                             .valued = {}};
  system::Stores stores(kDimms);
  for (auto& dimm : stores) dimm.resize(kStreams);
  system::fill_sources(work.moves, 1, stores);
  Patient patient;
  return system::run_moe(machine, nullptr, work, stores, observer != nullptr ? *observer : patient);
}

/// `count` chunks, each with 256 bursts of one rank from each of the first `width` sub-channels.
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

/// This many bytes per second, without overhead and latency.
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
    if (host.ownership_transfers < 8 || host.ownership_transfers > 64)
      return std::to_string(host.ownership_transfers);
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

/// One run of a rank, and nothing to compute.
HostTask one_run(std::uint32_t burst, std::uint32_t bursts) {
  HostChunk chunk{.parts = {{0, {0, burst, bursts}}}, .bytes = {std::int64_t{bursts} * 64}};
  return {Fs{}, {std::move(chunk)}};
}

/// The second run needs another row of the banks than the first and the third: the controller
/// serves part of the third before it, and the host reports no run before its last data.
Verdict a_run_ends_with_its_own_last_burst() {
  constexpr std::uint32_t kBursts = 8;
  constexpr std::uint32_t kOtherRow = 1U << 20U;
  const auto result =
      run({{"CPU",
            {},
            8,
            {{one_run(0, kBursts)}, {one_run(kOtherRow, kBursts)}, {one_run(kBursts, kBursts)}}}});
  if (result.error) return result.error->message;
  const core::Clock clock(core::Hertz{2'400'000'000});
  const dram::Timing timing = checks::ddr5_4800();
  std::optional<std::uint32_t> row;
  std::vector<std::uint32_t> count(2);  // reads of the row that is open first, and of the other one
  std::vector<Fs> end(2);               // of the last of them
  bool before = false;
  for (const system::RankCommand& command : result.commands) {
    if (!command.host || command.issued.effect.action != dram::Action::kRead) continue;
    if (!row) row = command.issued.where.row;
    const std::size_t which = command.issued.where.row == *row ? 0 : 1;
    before = before || (which == 1 && count[0] > kBursts);
    ++count[which];
    end[which] = clock.edge({(command.issued.cycle + timing.read_latency()).value});
  }
  if (count[0] != 2 * kBursts || count[1] != kBursts) return "reads";
  if (!before) return "no read of the third run is before one of the second";
  if (result.devices[1][0].end < end[1]) return "the second run ends too soon";
  return result.devices[2][0].end < end[0] ? Verdict{"the third run ends too soon"} : kFine;
}

/// A linear layer of 256 inputs: row n of the weights in stream n mod 8, an output burst a stream
/// for 256 rows.
unit::Descriptor linear_layer(std::uint32_t rows, std::uint32_t weights, std::uint32_t output) {
  constexpr std::uint32_t kRowBursts = 8;
  unit::Descriptor words{};
  words[1] = 1;  // token
  words[2] = 1;  // of a pass
  words[3] = 1;  // block of inputs
  words[6] = rows;
  words[8] = 1;
  words[12] = weights;
  words[13] = kRowBursts;
  words[14] = output;
  words[15] = (rows + 255) / 256;
  words[17] = kRowBursts;  // results behind the inputs
  return words;
}

/// Two jobs, the second of them longer, and the limits of their run.
struct TwoJobs {
  static constexpr std::uint32_t kRows = 256;
  static constexpr std::uint32_t kMoreRows = 2048;
  static constexpr std::uint32_t kOutput = 4;
  static constexpr std::uint32_t kOtherOutput = 8;
  static std::vector<unit::Descriptor> jobs() {
    return {linear_layer(kRows, 1024, kOutput), linear_layer(kMoreRows, 4096, kOtherOutput)};
  }

  TwoJobs() : stores(kStreams) {
    std::array<std::byte, unit::kBurstBytes> burst{};
    burst.fill(std::byte{0x5A});
    for (system::ByteStore& store : stores) {
      store.write_burst(kOutput, burst);
      store.write_burst(kOtherOutput, burst);
    }
  }
  /// Whether the output at this address was computed: with zero weights, it is zero.
  [[nodiscard]] bool written(std::uint32_t output) const {
    return std::ranges::any_of(stores, [&](const system::ByteStore& store) {
      return *store.burst(output) != std::byte{0x5A};
    });
  }

  std::vector<system::ByteStore> stores;
};

/// Stops a run at a time, or after so many looks at or behind another, which it counts.
struct Stopper final : core::Observer, system::RunWatcher {
  bool keep_going(Fs now) override {
    if (now >= until) return false;
    if (now < from) return true;
    return ++looks <= most;
  }
  bool keep_going(Fs now, std::uint64_t /*done*/) override { return keep_going(now); }
  Fs until = core::kNever;
  Fs from = core::kNever;
  int most = 0;
  int looks = 0;
};

struct Ran {
  std::optional<core::SimError> error;
  Fs end;
  std::size_t jobs = 0;  ///< done
};

/// The jobs on a single DIMM, or on DIMM 0 of a machine with both outputs requested.
Ran run_two(TwoJobs& two, Stopper& stopper, bool alone) {
  if (alone) {
    const auto result = system::run_ndp(checks::table1_dimm(),
                                        {nullptr, two.stores, TwoJobs::jobs(), {}}, {}, stopper);
    return {result.error, result.end, result.jobs.size()};
  }
  const system::MoeConfig machine{.dimm = checks::table1_dimm(), .dimms = 1, .network = {}};
  const system::MoeWork work{
      .jobs = {TwoJobs::jobs()}, .moves = {}, .devices = {}, .valued = {{0, 0}, {0, 1}}};
  system::Stores stores{std::move(two.stores)};
  const auto result = system::run_moe(machine, nullptr, work, stores, stopper);
  two.stores = std::move(stores.front());
  return {result.error, result.end, result.jobs.front().size()};
}

bool was_cancelled(const Ran& ran) {
  return ran.error && ran.error->fault == core::Fault::kCancelled;
}

Verdict a_cancelled_run_computes_no_values() {
  for (const bool alone : {true, false}) {
    TwoJobs whole;
    Stopper patient;
    const Ran full = run_two(whole, patient, alone);
    if (full.error) return full.error->message;
    if (!whole.written(TwoJobs::kOutput) || !whole.written(TwoJobs::kOtherOutput)) return "values";
    TwoJobs half;
    Stopper stopper;
    stopper.until = Fs{full.end.value / 2};
    const Ran ran = run_two(half, stopper, alone);
    if (!was_cancelled(ran)) return "not cancelled";
    if (ran.jobs != 1) return std::to_string(ran.jobs) + " jobs were done";
    if (half.written(TwoJobs::kOutput)) return "the first job's values were computed";
  }
  return kFine;
}

/// A cancellation after the simulation ends the computation of values at the next row of a matrix.
Verdict values_stop_after_a_cancellation() {
  for (const bool alone : {true, false}) {
    TwoJobs whole;
    Stopper patient;
    const Ran full = run_two(whole, patient, alone);
    TwoJobs part;
    Stopper stopper;
    stopper.from = full.end;
    stopper.most = static_cast<int>(TwoJobs::kRows + 100);
    const Ran ran = run_two(part, stopper, alone);
    if (!was_cancelled(ran)) return "not cancelled";
    if (!part.written(TwoJobs::kOutput)) return "the first job has no values";
    if (part.written(TwoJobs::kOtherOutput)) return "the second job's values were computed";
    if (stopper.looks != stopper.most + 1) return std::to_string(stopper.looks) + " looks";
  }
  return kFine;
}

/// A move that begins after a second: until then all ranks refresh, and nothing else is done.
Verdict a_quiet_second_can_be_cancelled() {
  const system::RelayoutMove move{
      .links = 1, .start = Fs{1'000'000'000'000'000}, .runs = {{{1, 0, 0}, {0, 0, 65536}, 4}}};
  Stopper stopper;
  stopper.from = Fs{0};
  stopper.most = 20;
  const auto result = run({}, {move}, kDimms, &stopper);
  if (!result.error || result.error->fault != core::Fault::kCancelled) return "not cancelled";
  if (result.end >= move.start) return "the second went by";
  return kFine;
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

/// Moves a region of every rank of a DIMM to another one; the host forwards it if the DIMMs are on
/// different sides. It delays concurrent reads by no more than its own bursts on the bus.
Verdict forwarding_and_reads_share_the_channels() {
  system::RelayoutMove move{.links = 1, .start = Fs{0}, .runs = {}};
  for (std::uint32_t at = 0; at < 2048; at += 4) {
    for (std::uint32_t s = 0; s < kStreams; ++s) {
      move.runs.push_back({{2, s, at}, {0, s, 65536 + at}, 4});
    }
  }
  const std::vector<HostDeviceWork> reads{{"CPU", {}, 8, {{task(256, 4, Fs{1000})}}}};
  const auto linked = run(reads, {move});
  const auto forwarded = run(reads, {move}, 2);
  if (linked.error) return linked.error->message;
  if (forwarded.error) return forwarded.error->message;
  const std::uint64_t bursts = forwarded.host[0].forwarded_bursts;
  if (linked.host[0].forwarded_bursts != 0 || bursts == 0) return "forwarded bursts";
  if (forwarded.host[0].read_bursts != linked.host[0].read_bursts) return "read bursts";
  const double forwarding = static_cast<double>(bursts) * kBurst;
  const double later = nanoseconds(forwarded.devices[0][0]) - nanoseconds(linked.devices[0][0]);
  if (later < forwarding / 2) return "the reads are no slower";
  if (later > forwarding) {
    return "the reads lost " + std::to_string(later / forwarding) + " times the bus's time";
  }
  return kFine;
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
    {"a run ends with its own last burst", a_run_ends_with_its_own_last_burst},
    {"a cancelled run computes no values", a_cancelled_run_computes_no_values},
    {"values stop after a cancellation", values_stop_after_a_cancellation},
    {"a quiet second can be cancelled", a_quiet_second_can_be_cancelled},
    {"two readers share the channels", two_readers_share_the_channels},
    {"moves and reads meet and end", moves_and_reads_meet_and_end},
    {"forwarding and reads share the channels", forwarding_and_reads_share_the_channels},
};

}  // namespace

int main() { neardata::checks::run_checks(kChecks); }
