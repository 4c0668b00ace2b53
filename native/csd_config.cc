// SPDX-License-Identifier: Apache-2.0
#include "csd_config.h"

#include <cmath>
#include <string>
#include <utility>

#include "flash_marshal.h"
#include "reader.h"
#include "run_options.h"

namespace neardata::native {

namespace {

constexpr std::size_t kJobFields = 10;
constexpr double kFsPerNs = 1e6;

core::Fs read_nanoseconds(const Reader& from, const char* name) {
  return {static_cast<std::int64_t>(from.real(name, limits::kNanoseconds) * kFsPerNs)};
}

unit::SparfParameters read_parameters(const Reader& from) {
  return {.channels = from.whole32("channels"),
          .kernels = from.whole32("kernels"),
          .lanes = from.whole32("lanes"),
          .width = from.whole32("width"),
          .max_keys = from.whole32("maxKeys"),
          .max_group = from.whole32("maxGroup"),
          .slots = from.whole32("slots"),
          .ring_lines = from.whole32("ringLines"),
          .max_page_rows = from.whole32("maxPageRows"),
          .tags = from.whole32("tags")};
}

core::BusRate read_wires(const Reader& from) {
  return {.pins = from.whole("pins", limits::kPins),
          .transfers_per_second = from.whole("transfersPerSecond", limits::kTransfers)};
}

flash::ReadPolicy read_policy(const Reader& from, std::int64_t ticks_per_ns) {
  const auto ticks = [&](const char* name) {
    return flash::Tick{static_cast<std::int64_t>(from.real(name, limits::kNanoseconds) *
                                                 static_cast<double>(ticks_per_ns))};
  };
  flash::BitErrorModel errors = read_bit_errors(from, "rawBitErrorRate");
  const auto factors = from.array<double>("errorsByPageType");
  for (const double factor : factors.data()) {
    if (!(factor >= 0 && factor <= limits::kRetryGain.most)) {
      from.refuse("errorsByPageType has a factor that is not from 0 to " +
                  std::to_string(limits::kRetryGain.most));
    }
    errors.by_page_type.push_back(factor);
  }
  return {.errors = std::move(errors),
          .retry_setup = ticks("retrySetupNs"),
          .dead_timeout = ticks("deadTimeoutNs"),
          .dead_channels = {}};
}

flash::EccConfig read_ecc(const Reader& from, std::int64_t ticks_per_ns, std::uint32_t codeword) {
  const auto ticks = [&](const char* name) {
    return flash::Tick{static_cast<std::int64_t>(from.real(name, limits::kNanoseconds) *
                                                 static_cast<double>(ticks_per_ns))};
  };
  return {.on = from.flag("on"),
          .codeword_bytes = codeword,
          .parity_bytes = from.whole32("parityBytes"),
          .latency = ticks("latencyNs"),
          .failed = ticks("failedNs"),
          .interval = ticks("intervalNs")};
}

/// Sensing by type of page, in ticks; empty where all take the same.
void read_page_types(const Reader& from, flash::Timing& timing) {
  const auto given = from.array<double>("senseByPageType");
  if (given.data().size() > flash::kMostPageTypes)
    from.refuse("senseByPageType has more than four");
  for (const double ticks : given.data()) {
    if (timing.page_types == flash::kMostPageTypes) break;
    if (!(ticks >= 0 && ticks <= limits::kLongestOperation && ticks == std::floor(ticks))) {
      from.refuse("senseByPageType has a time that is no whole number of ticks");
      continue;
    }
    timing.sense_of_type[timing.page_types++] = {static_cast<std::int64_t>(ticks)};
  }
}

}  // namespace

std::expected<system::CsdConfig, Refusal> read_csd_config(Napi::Value value) {
  Problem problem;
  const Reader from(value, "config", problem);
  if (problem) return std::unexpected(*problem);
  system::CsdConfig config;
  config.devices = from.whole32("devices", limits::kDevices);
  const std::string model = from.text("model");
  if (model != "rtl" && model != "cycle") from.complain("model is rtl or cycle");
  config.model = model == "rtl" ? system::UnitModel::kRtl : system::UnitModel::kCycle;
  if (model == "rtl") config.plugin = from.text("plugin");
  config.parameters = read_parameters(from.object("parameters"));
  config.clock = core::Hertz{from.whole("clock", limits::kClock)};

  const Reader flash = from.object("flash");
  const FlashDevice device = read_flash_device(flash);
  config.flash.timing = device.timing;
  config.flash.shape = device.shape;
  config.flash.arbitration = device.arbitration;
  config.flash.ticks_per_ns = flash.whole("ticksPerNs", limits::kTicks);
  config.flash.wires = read_wires(flash.object("wires"));
  const Reader floors = flash.object("floors");
  config.flash.floors = {.read = read_nanoseconds(floors, "readNs"),
                         .program = read_nanoseconds(floors, "programNs"),
                         .erase = read_nanoseconds(floors, "eraseNs")};
  read_page_types(flash, config.flash.timing);
  config.flash.transposition = {.buffer_bytes = static_cast<std::uint64_t>(
                                    flash.whole("transpositionBytes", limits::kTransposition))};
  const Reader translation = flash.object("translation");
  config.flash.translation = {
      .latency = read_nanoseconds(translation, "latencyNs"),
      .interval = {translation.whole("intervalFs", limits::kLookupInterval)},
      .in_dram = translation.flag("inDram")};
  config.flash.reads = read_policy(from.object("reads"), config.flash.ticks_per_ns);
  config.flash.ecc = read_ecc(from.object("ecc"), config.flash.ticks_per_ns,
                              config.flash.reads.errors.codeword_bytes);
  const auto dead = flash.array<std::uint32_t>("deadChannels");
  config.cache = {.device = config.flash.shape,
                  .blocks = read_flash_blocks(flash, config.flash.shape),
                  .page_bytes = flash.whole32("pageBytes", limits::kPageBytes),
                  .width = config.parameters.width,
                  .max_tokens = config.parameters.max_keys,
                  .hot_pages = from.whole32("hotPages")};

  const Reader dram = from.object("dram");
  config.dram = {.latency = read_nanoseconds(dram, "latencyNs"),
                 .line_time = {dram.whole("lineFs", limits::kLineTime)},
                 .wires = read_wires(dram.object("wires"))};
  const Reader link = from.object("link");
  config.link = {.latency = read_nanoseconds(link, "latencyNs"),
                 .bytes_per_second = link.whole("bytesPerSecond", limits::kByteRate)};
  if (from.has("sharedLink")) {
    const Reader shared = from.object("sharedLink");
    config.shared_link = {.bytes_per_second = shared.whole("bytesPerSecond", limits::kByteRate),
                          .wires = read_wires(shared.object("wires"))};
  }
  if (problem) return std::unexpected(*problem);
  const auto silent = dead.data();
  config.flash.reads.dead_channels.assign(silent.begin(), silent.end());
  return config;
}

std::expected<CsdRunSpec, Refusal> read_csd_run(Napi::Value value) {
  Problem problem;
  const Reader from(value, "run", problem);
  CsdRunSpec spec;
  spec.fields = from.array<std::uint32_t>("jobs");
  spec.rows = from.array<std::uint16_t>("rows");
  system::CsdRunOptions& options = spec.options;
  options.in_flight = from.whole32("inFlight");
  options.max_cycles = core::Cycle{from.whole("maxCycles", limits::kExact)};
  options.kept_pages = static_cast<std::size_t>(from.whole("keepPages", limits::kKept));
  options.threads = read_threads(from);
  if (from.has("stalls")) options.pauses = read_stalls(from.object("stalls"));
  options.rtl = read_rtl_options(from);
  if (problem) return std::unexpected(*problem);
  return spec;
}

std::expected<CsdRunRequest, Refusal> csd_jobs_of(const CsdRunSpec& spec,
                                                  system::CsdMachine& machine) {
  auto& caches = machine.caches();
  const auto fields = spec.fields.data();
  const auto rows = spec.rows.data();
  if (fields.size() % kJobFields != 0) return misuse("jobs has ten numbers a job");
  CsdRunRequest request;
  request.options = spec.options;
  request.jobs.resize(caches.size());
  std::size_t row = 0;
  for (std::size_t at = 0; at < fields.size(); at += kJobFields) {
    const auto field = fields.subspan(at, kJobFields);
    const std::string name = "job " + std::to_string(at / kJobFields);
    const std::uint32_t device = field[0];
    if (device >= caches.size()) return misuse(name + ": there is no such device");
    const auto head = caches[device].head(field[1], field[2]);
    if (!head) return misuse(name + ": the device has no such sequence or head");
    if (field[3] > 2 || field[9] > rows.size() - row) {
      return misuse(name + ": its operation or the number of its values is wrong");
    }
    const auto values = rows.subspan(row, field[9]);
    system::CsdJob job{.operation = static_cast<unit::SparfOperation>(field[3]),
                       .head = *head,
                       .group = field[4],
                       .rows = {values.begin(), values.end()},
                       .r = field[5],
                       .k = field[6],
                       .window = field[7],
                       .mean = field[8] != 0};
    row += field[9];
    request.places.push_back({device, request.jobs[device].size()});
    request.jobs[device].push_back(std::move(job));
  }
  for (std::size_t d = 0; d < caches.size(); ++d) {
    if (const auto why = machine.refuses(d, request.jobs[d])) {
      return bad_input("device " + std::to_string(d) + ": " + *why);
    }
  }
  return request;
}

}  // namespace neardata::native
