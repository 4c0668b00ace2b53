// SPDX-License-Identifier: Apache-2.0
#include "api/ndp_session.h"

#include <algorithm>
#include <chrono>
#include <utility>
#include <variant>

namespace neardata::api {

namespace {

class NdpWatcher final : public system::RunWatcher {
 public:
  NdpWatcher(core::Progress& progress, const core::Clock& clock)
      : progress_(progress), clock_(clock) {}
  bool keep_going(core::Fs now, std::uint64_t bytes_read) override {
    return progress_.report(static_cast<double>(clock_.at_or_after(now).value),
                            static_cast<double>(bytes_read));
  }

 private:
  core::Progress& progress_;
  const core::Clock& clock_;
};

}  // namespace

CommandPlace place_of(const dram::IssuedCommand& issued) {
  const dram::Reach reach = issued.effect.reach;
  CommandPlace place{.cycle = issued.cycle.value, .command = issued.command};
  if (reach == dram::Reach::kBank) {
    place.logical_rank = issued.where.logical_rank;
    place.bank_group = issued.where.bank_group;
  }
  if (reach != dram::Reach::kRank) place.bank = issued.where.bank;
  if (issued.effect.has_row()) place.row = issued.where.row;
  if (issued.effect.has_column()) place.column = issued.where.column;
  return place;
}

NdpTotals ndp_totals(const NdpReport& report) {
  NdpTotals all;
  std::ranges::copy(report.run.events.totals(), all.counts.begin());
  all.counts[unit::kBytesRead] = report.run.events.bytes_read();
  return all;
}

NdpSeries ndp_series(const NdpReport& report) {
  const auto& series = report.run.events.series();
  NdpSeries out{.width = series.width(), .bins = {}};
  for (std::size_t i = 0; i < series.used(); ++i) out.bins.push_back({series.bins()[i]});
  return out;
}

std::vector<JobCycles> ndp_jobs(const NdpReport& report) {
  std::vector<JobCycles> out;
  for (const system::JobSpan& job : report.run.jobs) {
    out.push_back({report.clock.at_or_after(job.taken), report.clock.at_or_after(job.done)});
  }
  return out;
}

std::vector<NdpCommand> ndp_commands(const NdpReport& report) {
  std::vector<NdpCommand> out;
  for (const auto& [stream, issued] : report.run.commands) {
    out.push_back({stream, place_of(issued)});
  }
  return out;
}

RunTimes ndp_times(const NdpReport& report) {
  RunTimes times{.total = report.seconds};
  for (const core::ComponentTime& time : report.run.times) {
    if (time.name.starts_with("sub-channel")) times.memory += time.seconds;
    if (time.name == "NDP unit") times.unit += time.seconds;
  }
  times.engine = std::max(0.0, report.seconds - times.unit - times.memory);
  return times;
}

std::uint64_t bursts_of(const system::NdpDimmConfig& config) {
  const auto* memory = std::get_if<system::DramConfig>(&config.memory);
  if (memory == nullptr) return limits::kIdealBursts;
  return memory->controller.organization.channel_bytes() / core::kBurstBytes;
}

std::optional<std::string> jobs_refused(const unit::NdpParameters& parameters,
                                        const std::vector<unit::Descriptor>& jobs) {
  for (std::size_t j = 0; j < jobs.size(); ++j) {
    if (const auto why = unit::refuses(parameters, jobs[j])) {
      return "descriptor " + std::to_string(j) + ": " + *why;
    }
  }
  return std::nullopt;
}

std::vector<unit::Descriptor> descriptors_of(core::Rows<unit::Descriptor> rows) {
  std::vector<unit::Descriptor> jobs(rows.size());
  for (std::size_t j = 0; j < jobs.size(); ++j) jobs[j] = rows[j];
  return jobs;
}

core::Answer<void> check_backend(const system::NdpDimmConfig& config) {
  const auto* memory = std::get_if<system::DramConfig>(&config.memory);
  if (memory == nullptr) return {};
  if (auto refused = dram::backend_refuses(memory->controller)) {
    return core::bad_input("memory: " + *std::move(refused));
  }
  return {};
}

core::Answer<std::unique_ptr<NdpSession>> NdpSession::open(Config config) {
  if (auto good = check_backend(config); !good) return std::unexpected(std::move(good).error());
  auto dimm = system::NdpDimm::make(config);
  if (!dimm) return core::bad_input(dimm.error());
  return std::unique_ptr<NdpSession>(new NdpSession(*std::move(dimm), config));
}

core::Answer<system::ByteStore*> NdpSession::store(const Stream& of) {
  auto& stores = dimm_.stores();
  if (of.stream >= stores.size()) return core::misuse("the machine has no such stream");
  return &stores[of.stream];
}

core::Answer<system::ByteStore*> NdpSession::region(const Stream& of, std::uint64_t burst,
                                                    std::uint64_t bursts) {
  const auto found = store(of);
  if (!found) return found;
  if (bursts > limits::kMostBursts) {
    return core::bad_input("a call copies at most " + std::to_string(limits::kMostBursts) +
                           " bursts");
  }
  if (burst > bursts_ || bursts > bursts_ - burst) {
    return core::bad_input("burst " + std::to_string(burst) + " and " + std::to_string(bursts) +
                           " from there on are beyond the " + std::to_string(bursts_) +
                           " of the sub-channel");
  }
  return found;
}

core::Answer<void> NdpSession::clear(const Nothing& /*none*/) {
  for (system::ByteStore& store : dimm_.stores()) store = system::ByteStore{};
  return {};
}

core::Answer<void> NdpSession::load(const Load& given) {
  if (given.bytes.size() % core::kBurstBytes != 0) {
    return core::misuse("the bytes are no Uint8Array of whole 64-byte bursts");
  }
  const auto to = region(given, given.burst, given.bytes.size() / core::kBurstBytes);
  if (!to) return std::unexpected(to.error());
  (*to)->write(static_cast<std::uint32_t>(given.burst), std::as_bytes(given.bytes));
  return {};
}

core::Answer<NdpSession::Contents> NdpSession::keep(const Stream& of) {
  const auto from = store(of);
  if (!from) return std::unexpected(from.error());
  return std::make_shared<const system::ByteStore>(**from);
}

core::Answer<void> NdpSession::restore(const Restore& given) {
  const auto to = store(given);
  if (!to) return std::unexpected(to.error());
  **to = *given.contents;
  return {};
}

core::Answer<std::vector<std::byte>> NdpSession::read(const Read& of) {
  const auto from = region(of, of.burst, of.bursts);
  if (!from) return std::unexpected(from.error());
  std::vector<std::byte> bytes(of.bursts * core::kBurstBytes);
  (*from)->read(static_cast<std::uint32_t>(of.burst), bytes);
  return bytes;
}

core::Answer<NdpSession::PreparedRun> NdpSession::prepare(const NdpRunRequest& given) {
  PreparedRun work{.jobs = descriptors_of(given.descriptors), .options = given};
  if (modelled_) {
    if (const auto why = jobs_refused(*modelled_, work.jobs)) return core::bad_input(*why);
  }
  return work;
}

NdpReport NdpSession::run(PreparedRun& work, core::Progress& progress) {
  NdpWatcher watcher(progress, clock_);
  const auto start = std::chrono::steady_clock::now();
  auto result = dimm_.run(work.jobs, work.options, watcher);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  return {.run = std::move(result), .clock = clock_, .seconds = took.count()};
}

}  // namespace neardata::api
