// SPDX-License-Identifier: Apache-2.0
#include "moe_config.h"

#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "ndp_config.h"
#include "reader.h"

namespace neardata::native {

namespace {

constexpr std::size_t kRunWords = 7;
/// DIMMs and flows are numbered in 8 and 16 bits on the links.
constexpr std::uint32_t kMostDimms = 64;
constexpr std::size_t kMostFlows = 1U << 16U;

link::NetworkConfig read_network(const Reader& from) {
  link::NetworkConfig config;
  config.link = {.lanes = from.whole("lanes", 1),
                 .lane_rate = core::Hertz{from.whole("laneRate", 8)},
                 .latency = core::Cycle{from.whole("latency", 1)},
                 .credits = from.whole32("credits"),
                 .bit_error_rate = from.real("bitErrorRate"),
                 .seed = static_cast<std::uint64_t>(from.whole("seed")),
                 .wires = {from.whole("lanes", 1), from.whole("laneRate", 8)}};
  if (config.link.credits == 0) from.complain("credits is 0");
  if (!(config.link.bit_error_rate >= 0 && config.link.bit_error_rate < 0.01)) {
    from.complain("bitErrorRate is not in 0 to below 0.01");
  }
  const auto kind = link::topology_named(from.text("topology"));
  if (!kind) from.complain("topology is chain, ring or full");
  config.topology = {kind.value_or(link::TopologyKind::kFull), from.whole32("group")};
  config.parallel = from.whole32("parallel");
  if (config.parallel == 0 || config.topology.group == 0) from.complain("there are no links");
  config.ideal = from.flag("ideal");
  return config;
}

std::vector<Napi::Value> read_array(Napi::Value value, const char* name, const Reader& from) {
  const Napi::Value array = value.As<Napi::Object>().Get(name);
  std::vector<Napi::Value> items;
  if (!array.IsArray()) {
    from.complain(std::string(name) + " is no array");
    return items;
  }
  for (std::uint32_t i = 0; i < array.As<Napi::Array>().Length(); ++i) {
    items.push_back(array.As<Napi::Array>().Get(i));
  }
  return items;
}

std::vector<std::uint32_t> read_words(const Napi::Value& value, std::size_t multiple,
                                      const Reader& from) {
  if (!value.IsTypedArray() || value.As<Napi::TypedArray>().TypedArrayType() != napi_uint32_array ||
      value.As<Napi::TypedArray>().ElementLength() % multiple != 0) {
    from.complain("an array of words is no Uint32Array of whole records");
    return {};
  }
  const auto words = value.As<Napi::Uint32Array>();
  return {words.Data(), words.Data() + words.ElementLength()};
}

std::vector<unit::Descriptor> read_jobs(const Napi::Value& value, const Reader& from) {
  const auto words = read_words(value, unit::kDescriptorWords, from);
  std::vector<unit::Descriptor> jobs(words.size() / unit::kDescriptorWords);
  for (std::size_t i = 0; i < words.size(); ++i) {
    jobs[i / unit::kDescriptorWords][i % unit::kDescriptorWords] = words[i];
  }
  return jobs;
}

system::RelayoutMove read_move(const Napi::Value& value, const system::MoeConfig& config,
                               std::optional<std::string>& problem) {
  const Reader from(value, "move", problem);
  if (problem) return {};
  system::RelayoutMove move{
      .links = from.whole32("links"), .start = core::Fs{from.whole("start")}, .runs = {}};
  if (move.links == 0) from.complain("links is 0");
  const auto words = read_words(value.As<Napi::Object>().Get("runs"), kRunWords, from);
  const auto sound = [&](const system::BurstPlace& place, std::uint32_t bursts) {
    return place.dimm < config.dimms && place.stream < config.dimm.parameters.streams &&
           bursts > 0 && place.burst + bursts > place.burst;
  };
  for (std::size_t at = 0; at < words.size(); at += kRunWords) {
    const std::uint32_t* w = words.data() + at;
    const system::RelayoutRun run{{w[0], w[1], w[2]}, {w[3], w[4], w[5]}, w[6]};
    if (!sound(run.from, run.bursts) || !sound(run.to, run.bursts)) {
      from.complain("run " + std::to_string(at / kRunWords) + " lies outside the machine");
      break;
    }
    move.runs.push_back(run);
  }
  if (move.runs.empty()) from.complain("has no runs");
  return move;
}

/// Five words a part: chunk, sub-channel, rank, burst, bursts; chunks count from 0 without gaps.
std::vector<system::HostChunk> read_chunks(const Napi::Value& value, const Reader& from,
                                           std::uint32_t sub_channels) {
  constexpr std::size_t kPartWords = 5;
  const auto words = read_words(value, kPartWords, from);
  std::vector<system::HostChunk> chunks;
  for (std::size_t at = 0; at < words.size(); at += kPartWords) {
    const std::uint32_t* w = words.data() + at;
    if (w[0] == chunks.size()) chunks.emplace_back();
    if (w[0] + 1 != chunks.size() || w[1] >= sub_channels || w[2] >= 2 * system::HostSide::kRanks ||
        w[4] == 0) {
      from.complain("part " + std::to_string(at / kPartWords) + " lies outside the machine");
      return {};
    }
    chunks.back().parts.push_back({w[1], {w[2], w[3], w[4]}});
    chunks.back().bytes.value += std::int64_t{w[4]} * static_cast<std::int64_t>(unit::kBurstBytes);
  }
  return chunks;
}

system::HostDeviceWork read_device(const Napi::Value& value, std::uint32_t sub_channels,
                                   std::optional<std::string>& problem) {
  const Reader from(value, "device", problem);
  if (problem) return {};
  system::HostDeviceWork work{.name = from.text("name"),
                              .transfer_rate = from.whole("transferRate"),
                              .buffers = from.whole32("buffers"),
                              .tasks = {}};
  if (work.buffers == 0 || work.buffers > 32) from.complain("buffers is not in 1 to 32");
  for (const Napi::Value& item : read_array(value, "tasks", from)) {
    const Reader task(item, "task", problem);
    if (problem) return work;
    work.tasks.push_back({core::Fs{task.whole("compute")},
                          read_chunks(item.As<Napi::Object>().Get("chunks"), task, sub_channels)});
  }
  return work;
}

/// Bytes that are in a stream of a DIMM before the run.
MoeContents read_contents(const Napi::Value& value, const system::MoeConfig& config,
                          std::optional<std::string>& problem) {
  const Reader from(value, "contents", problem);
  if (problem) return {};
  MoeContents contents{
      .place = {from.whole32("dimm"), from.whole32("stream"), from.whole32("burst")}, .data = {}};
  if (contents.place.dimm >= config.dimms ||
      contents.place.stream >= config.dimm.parameters.streams) {
    from.complain("lies outside the machine");
  }
  const Napi::Value data = value.As<Napi::Object>().Get("data");
  if (!data.IsTypedArray() || data.As<Napi::TypedArray>().TypedArrayType() != napi_uint8_array ||
      data.As<Napi::TypedArray>().ByteLength() % unit::kBurstBytes != 0) {
    from.complain("data is no Uint8Array of whole bursts");
    return contents;
  }
  const auto bytes = std::as_bytes(
      std::span(data.As<Napi::Uint8Array>().Data(), data.As<Napi::Uint8Array>().ByteLength()));
  contents.data.assign(bytes.begin(), bytes.end());
  return contents;
}

/// The job whose outputs are wanted, and where they lie in every stream.
MoeOutput read_output(const Napi::Value& value, const system::MoeConfig& config,
                      std::optional<std::string>& problem) {
  const Reader from(value, "output", problem);
  if (problem) return {};
  const MoeOutput output{.job = {from.whole32("dimm"), from.whole32("job")},
                         .burst = from.whole32("burst"),
                         .bursts = from.whole32("bursts")};
  if (output.job.dimm >= config.dimms) from.complain("lies outside the machine");
  return output;
}

}  // namespace

std::expected<MoeRequest, Refusal> read_moe(Napi::Value value) {
  std::optional<std::string> problem;
  const Reader from(value, "moe", problem);
  if (problem) return misuse(*problem);
  MoeRequest request;
  auto dimm = read_ndp_config(value.As<Napi::Object>().Get("dimm"));
  if (!dimm) return std::unexpected(std::move(dimm).error());
  request.config.dimm = *std::move(dimm);
  request.config.dimms = from.whole32("dimms");
  request.config.network = read_network(from.object("network"));
  request.seed = static_cast<std::uint64_t>(from.whole("seed"));
  if (request.config.dimms == 0 || request.config.dimms > kMostDimms) {
    from.complain("a machine has 1 to 64 DIMMs");
  }
  for (const Napi::Value& jobs : read_array(value, "jobs", from)) {
    request.work.jobs.push_back(read_jobs(jobs, from));
  }
  for (const Napi::Value& move : read_array(value, "moves", from)) {
    request.work.moves.push_back(read_move(move, request.config, problem));
  }
  for (const Napi::Value& device : read_array(value, "devices", from)) {
    request.work.devices.push_back(read_device(device, request.config.dimms, problem));
  }
  for (const Napi::Value& contents : read_array(value, "contents", from)) {
    request.contents.push_back(read_contents(contents, request.config, problem));
  }
  for (const Napi::Value& output : read_array(value, "outputs", from)) {
    request.outputs.push_back(read_output(output, request.config, problem));
    request.work.valued.push_back(request.outputs.back().job);
  }
  if (from.has("rtlDimm")) request.config.rtl_dimm = from.whole32("rtlDimm");
  if (request.work.jobs.size() != request.config.dimms) from.complain("jobs has no entry a DIMM");
  if (system::flows_of(request.work.moves).size() >= kMostFlows) from.complain("too many flows");
  if (problem) return misuse(*problem);
  return request;
}

}  // namespace neardata::native
