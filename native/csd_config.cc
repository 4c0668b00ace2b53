// SPDX-License-Identifier: Apache-2.0
#include "csd_config.h"

#include <optional>
#include <string>

#include "flash_marshal.h"
#include "reader.h"

namespace neardata::native {

namespace {

constexpr std::size_t kJobFields = 10;
constexpr std::int64_t kFsPerNs = 1'000'000;

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
  return {.pins = from.whole("pins", 1),
          .transfers_per_second = from.whole("transfersPerSecond", 1)};
}

flash::ReadPolicy read_policy(const Reader& from, std::int64_t ticks_per_ns) {
  const auto ticks = [&](const char* name) {
    return flash::Tick{
        static_cast<std::int64_t>(from.real(name) * static_cast<double>(ticks_per_ns))};
  };
  return {.errors = {.raw_rate = from.real("rawBitErrorRate"),
                     .retry_gain = from.real("retryGain"),
                     .codeword_bytes = from.whole32("codewordBytes"),
                     .correctable_bits = from.whole32("correctableBits"),
                     .most_retries = from.whole32("mostRetries"),
                     .seed = static_cast<std::uint64_t>(from.whole("seed"))},
          .retry_setup = ticks("retrySetupNs"),
          .dead_timeout = ticks("deadTimeoutNs"),
          .dead_channels = {}};
}

}  // namespace

std::expected<CsdSessionConfig, Refusal> read_csd_config(Napi::Value value) {
  std::optional<std::string> problem;
  const Reader from(value, "config", problem);
  if (problem) return misuse(*problem);
  CsdSessionConfig session;
  session.devices = from.whole32("devices");
  system::CsdConfig& config = session.device;
  const std::string model = from.text("model");
  if (model != "rtl" && model != "cycle") from.complain("model is rtl or cycle");
  config.model = model == "rtl" ? system::EngineModel::kRtl : system::EngineModel::kCycle;
  if (model == "rtl") config.plugin = from.text("plugin");
  config.parameters = read_parameters(from.object("parameters"));
  config.clock = core::Hertz{from.whole("clock", 1)};

  const Napi::Object flash_value = value.As<Napi::Object>().Get("flash").ToObject();
  auto device = flash_device_of(flash_value);
  if (!device) return std::unexpected(std::move(device).error());
  const Reader flash = from.object("flash");
  config.flash.timing = device->timing;
  config.flash.shape = device->shape;
  config.flash.arbitration = device->arbitration;
  config.flash.ticks_per_ns = flash.whole("ticksPerNs", 1);
  config.flash.wires = read_wires(flash.object("wires"));
  config.flash.reads = read_policy(from.object("reads"), config.flash.ticks_per_ns);
  const auto dead = typed_array_of<std::uint32_t>(flash_value, "deadChannels", napi_uint32_array);
  if (!dead) return std::unexpected(dead.error());
  config.flash.reads.dead_channels.assign(dead->Data(), dead->Data() + dead->ElementLength());
  config.cache = {
      .device = config.flash.shape,
      .blocks = {.blocks = flash.whole32("blocks"), .pages = flash.whole32("pagesPerBlock")},
      .page_bytes = flash.whole32("pageBytes"),
      .width = config.parameters.width,
      .max_tokens = config.parameters.max_keys,
      .hot_pages = from.whole32("hotPages")};

  const Reader dram = from.object("dram");
  config.dram = {.latency = {static_cast<std::int64_t>(dram.real("latencyNs") * kFsPerNs)},
                 .line_time = {dram.whole("lineFs", 1)},
                 .wires = read_wires(dram.object("wires"))};
  const Reader link = from.object("link");
  config.link = {.latency = {static_cast<std::int64_t>(link.real("latencyNs") * kFsPerNs)},
                 .bytes_per_second = link.whole("bytesPerSecond", 1)};
  if (problem) return misuse(*problem);
  if (session.devices == 0) return misuse("a session has at least one device");
  return session;
}

std::expected<CsdRunRequest, Refusal> read_csd_run(Napi::Value value,
                                                   std::vector<system::CsdDevice>& devices) {
  std::optional<std::string> problem;
  const Reader from(value, "run", problem);
  if (problem) return misuse(*problem);
  const Napi::Object object = value.As<Napi::Object>();
  const auto fields = typed_array_of<std::uint32_t>(object, "jobs", napi_uint32_array);
  if (!fields) return std::unexpected(fields.error());
  const auto rows = typed_array_of<std::uint16_t>(object, "rows", napi_uint16_array);
  if (!rows) return std::unexpected(rows.error());

  CsdRunRequest request;
  request.jobs.resize(devices.size());
  std::size_t row = 0;
  for (std::size_t at = 0; at + kJobFields <= fields->ElementLength(); at += kJobFields) {
    const std::uint32_t* field = fields->Data() + at;
    const std::string name = "job " + std::to_string(at / kJobFields);
    const std::uint32_t device = field[0];
    if (device >= devices.size()) return misuse(name + ": there is no such device");
    const auto head = devices[device].cache().head(field[1], field[2]);
    if (!head) return misuse(name + ": the device has no such sequence or head");
    if (field[3] > 2 || field[9] > rows->ElementLength() - row) {
      return misuse(name + ": its operation or the number of its values is wrong");
    }
    system::CsdJob job{.operation = static_cast<unit::SparfOperation>(field[3]),
                       .head = *head,
                       .group = field[4],
                       .rows = {rows->Data() + row, rows->Data() + row + field[9]},
                       .r = field[5],
                       .k = field[6],
                       .window = field[7],
                       .mean = field[8] != 0};
    row += field[9];
    request.places.push_back({device, request.jobs[device].size()});
    request.jobs[device].push_back(std::move(job));
  }
  for (std::size_t d = 0; d < devices.size(); ++d) {
    if (const auto why = devices[d].refuses(request.jobs[d])) {
      return std::unexpected(Refusal{"bad-input", "device " + std::to_string(d) + ": " + *why});
    }
  }
  system::CsdRunOptions& options = request.options;
  options.in_flight = from.whole32("inFlight");
  options.max_cycles = core::Cycle{from.whole("maxCycles")};
  options.kept_pages = static_cast<std::size_t>(from.whole("keepPages"));
  if (from.has("stalls")) {
    const Reader stalls = from.object("stalls");
    options.pauses = {.seed = static_cast<std::uint64_t>(stalls.whole("seed")),
                      .probability = stalls.real("probability")};
    if (options.pauses.probability < 0 || options.pauses.probability > 0.99) {
      stalls.complain("probability is not in 0 to 0.99");
    }
  }
  if (from.has("waveform")) {
    const Reader waveform = from.object("waveform");
    options.trace = {.path = waveform.text("path"),
                     .from = core::Cycle{waveform.whole("from")},
                     .to = core::Cycle{waveform.whole("to")}};
  }
  if (problem) return misuse(*problem);
  return request;
}

}  // namespace neardata::native
