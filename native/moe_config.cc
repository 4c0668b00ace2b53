// SPDX-License-Identifier: Apache-2.0
#include "moe_config.h"

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "ndp_config.h"
#include "reader.h"

namespace neardata::native {

namespace {

constexpr std::size_t kRunWords = 7;
/// Flows are numbered in 16 bits on the links.
constexpr std::size_t kMostFlows = 1U << 16U;

/// Where bursts may lie, and how many of them a run may still move or copy.
struct Room {
  std::uint32_t dimms = 1;
  std::uint32_t streams = 1;
  std::uint64_t bursts = 0;  ///< of a stream
  std::uint64_t most = limits::kMostBursts;
  std::uint64_t left = limits::kMostBursts;

  [[nodiscard]] bool holds(std::uint64_t burst, std::uint64_t count) const {
    return burst <= bursts && count <= bursts - burst;
  }
  [[nodiscard]] bool exists(std::uint32_t dimm, std::uint32_t stream) const {
    return dimm < dimms && stream < streams;
  }
  /// False when there is no room for so many more.
  [[nodiscard]] bool take(std::uint64_t count) {
    if (count > left) return false;
    left -= count;
    return true;
  }
};

std::string too_many(const Room& room) {
  return "is more than the " + std::to_string(room.most) + " bursts of a run";
}

core::BusRate link_wires(const Reader& from) {
  return {.pins = from.whole("pins", limits::kPins),
          .transfers_per_second = from.whole("transfersPerSecond", limits::kTransfers)};
}

link::NetworkConfig read_network(const Reader& from, std::uint32_t dimms) {
  link::NetworkConfig config;
  const Reader wires = from.object("wires");
  config.link = {.lanes = from.whole("lanes", limits::kLanes),
                 .lane_rate = core::Hertz{from.whole("laneRate", limits::kLaneRate)},
                 .latency = core::Cycle{from.whole("latency", {1, limits::kLatency.most})},
                 .credits = from.whole32("credits", limits::kCredits),
                 .bit_error_rate = from.real("bitErrorRate", limits::kLinkErrors),
                 .seed = static_cast<std::uint64_t>(from.whole("seed", limits::kExact)),
                 .wires = link_wires(wires),
                 .flight = core::Fs{wires.whole("flight", limits::kExact)}};
  const auto kind = link::topology_named(from.text("topology"));
  if (!kind) from.complain("topology is chain, ring or full");
  config.topology = {kind.value_or(link::TopologyKind::kFull),
                     from.whole32("group", limits::kGroup)};
  config.parallel = from.whole32("parallel", limits::kParallel);
  if (std::uint64_t{dimms} * dimms * config.parallel * config.link.credits > limits::kMostPackets) {
    from.refuse("credits of all links are more than " + std::to_string(limits::kMostPackets));
  }
  config.ideal = from.flag("ideal");
  return config;
}

/// Words of whole records.
std::vector<std::uint32_t> words_of(const TypedArray<std::uint32_t>& array, std::size_t multiple,
                                    const Reader& from) {
  const auto words = array.data();
  if (words.size() % multiple == 0) return {words.begin(), words.end()};
  from.complain("an array of words is no Uint32Array of whole records");
  return {};
}

std::vector<unit::Descriptor> read_jobs(const Napi::Value& value, const Reader& from) {
  const auto words = TypedArray<std::uint32_t>::of(value);
  if (words && words->data().size() % unit::kDescriptorWords == 0) {
    return descriptors_of(words->data());
  }
  from.complain("an item of jobs is no Uint32Array of 20 words a descriptor");
  return {};
}

system::RelayoutMove read_move(const Napi::Value& value, Room& room, Problem& problem) {
  const Reader from(value, "move", problem);
  if (problem) return {};
  system::RelayoutMove move{.links = from.whole32("links", limits::kInFlight),
                            .start = core::Fs{from.whole("start", limits::kExact)},
                            .runs = {}};
  const auto words = words_of(from.array<std::uint32_t>("runs"), kRunWords, from);
  for (std::size_t at = 0; at < words.size(); at += kRunWords) {
    const std::uint32_t* w = words.data() + at;
    const system::RelayoutRun run{{w[0], w[1], w[2]}, {w[3], w[4], w[5]}, w[6]};
    const std::string name = "run " + std::to_string(at / kRunWords);
    if (!room.exists(run.from.dimm, run.from.stream) || !room.exists(run.to.dimm, run.to.stream) ||
        run.bursts == 0) {
      from.complain(name + " lies outside the machine");
      break;
    }
    if (!room.holds(run.from.burst, run.bursts) || !room.holds(run.to.burst, run.bursts)) {
      from.refuse(name + " lies beyond the bursts of a rank");
      break;
    }
    if (!room.take(run.bursts)) {
      from.refuse(name + " " + too_many(room));
      break;
    }
    move.runs.push_back(run);
  }
  if (move.runs.empty()) from.complain("has no runs");
  return move;
}

/// Five words a part: chunk, sub-channel, rank, burst, bursts; chunks count from 0 without gaps.
std::vector<system::HostChunk> read_chunks(const Reader& from, Room& room) {
  constexpr std::size_t kPartWords = 5;
  const auto words = words_of(from.array<std::uint32_t>("chunks"), kPartWords, from);
  std::vector<system::HostChunk> chunks;
  for (std::size_t at = 0; at < words.size(); at += kPartWords) {
    const std::uint32_t* w = words.data() + at;
    const std::string name = "part " + std::to_string(at / kPartWords);
    if (w[0] == chunks.size()) chunks.emplace_back();
    if (w[0] + 1 != chunks.size() || w[1] >= room.dimms || w[2] >= 2 * system::kHostRanks ||
        w[4] == 0) {
      from.complain(name + " lies outside the machine");
      return {};
    }
    if (!room.holds(w[3], w[4])) {
      from.refuse(name + " lies beyond the bursts of a rank");
      return {};
    }
    if (!room.take(w[4])) {
      from.refuse(name + " " + too_many(room));
      return {};
    }
    chunks.back().parts.push_back({w[1], {w[2], w[3], w[4]}});
    chunks.back().bytes.value += std::int64_t{w[4]} * static_cast<std::int64_t>(unit::kBurstBytes);
  }
  return chunks;
}

std::vector<system::HostTask> read_tasks(const std::vector<Napi::Value>& items, Room& room,
                                         Problem& problem) {
  std::vector<system::HostTask> tasks;
  for (const Napi::Value& item : items) {
    const Reader task(item, "task", problem);
    if (problem) return tasks;
    tasks.push_back({core::Fs{task.whole("compute", limits::kExact)}, read_chunks(task, room)});
  }
  return tasks;
}

system::HostDeviceWork read_device(const Napi::Value& value, Room& room, Problem& problem) {
  const Reader from(value, "device", problem);
  if (problem) return {};
  system::HostDeviceWork work{.name = from.text("name"),
                              .transfer_rate = from.whole("transferRate", limits::kTransferRate),
                              .buffers = from.whole32("buffers", limits::kBuffers),
                              .queues = {},
                              .wires = std::nullopt};
  if (from.has("wires")) work.wires = link_wires(from.object("wires"));
  if (work.transfer_rate > 0 && work.transfer_rate < limits::kByteRate.least) {
    from.refuse("transferRate is " + std::to_string(work.transfer_rate) + ", and must be 0 or " +
                std::to_string(limits::kByteRate.least) + " at least");
  }
  work.queues.push_back(read_tasks(from.items("tasks"), room, problem));
  if (from.has("fetched")) {
    work.queues.push_back(read_tasks(from.items("fetched"), room, problem));
  }
  return work;
}

/// Bytes that are in a stream of a DIMM before the run.
MoeContents read_contents(const Napi::Value& value, const Room& room, Problem& problem) {
  const Reader from(value, "contents", problem);
  if (problem) return {};
  MoeContents contents{
      .place = {from.whole32("dimm"), from.whole32("stream"), from.whole32("burst")}, .data = {}};
  const auto array = from.array<std::uint8_t>("data");
  const auto bytes = std::as_bytes(array.data());
  if (!room.exists(contents.place.dimm, contents.place.stream)) {
    from.complain("lies outside the machine");
  }
  if (bytes.size() % unit::kBurstBytes != 0) from.complain("data is of no whole bursts");
  if (!room.holds(contents.place.burst, bytes.size() / unit::kBurstBytes)) {
    from.refuse("lies beyond the bursts of a rank");
  }
  contents.data.assign(bytes.begin(), bytes.end());
  return contents;
}

/// The job whose outputs are wanted, and where they lie in every stream.
MoeOutput read_output(const Napi::Value& value, Room& room, Problem& problem) {
  const Reader from(value, "output", problem);
  if (problem) return {};
  const MoeOutput output{.job = {from.whole32("dimm"), from.whole32("job")},
                         .burst = from.whole32("burst"),
                         .bursts = from.whole32("bursts")};
  if (output.job.dimm >= room.dimms) from.complain("lies outside the machine");
  if (!room.holds(output.burst, output.bursts)) from.refuse("lies beyond the bursts of a rank");
  if (!room.take(std::uint64_t{output.bursts} * room.streams))
    from.refuse("its bursts are more than a run gives back");
  return output;
}

void read_rtl_dimms(const Reader& from, system::MoeConfig& config) {
  const auto dimms = from.array<std::uint32_t>("rtlDimms");
  for (const std::uint32_t dimm : dimms.data()) {
    if (dimm >= config.dimms)
      from.complain("rtlDimms names DIMM " + std::to_string(dimm) + ", which is none");
    config.rtl_dimms.insert(dimm);
  }
  if (!config.rtl_dimms.empty() && config.dimm.model != system::UnitModel::kRtl) {
    from.complain("rtlDimms names a DIMM, and the model of a DIMM is not rtl");
  }
}

void read_work(const Reader& from, MoeRequest& request, Problem& problem) {
  const system::MoeConfig& config = request.config;
  Room room{.dimms = config.dimms,
            .streams = config.dimm.parameters.streams,
            .bursts = bursts_of(config.dimm)};
  for (const Napi::Value& jobs : from.items("jobs")) {
    request.work.jobs.push_back(read_jobs(jobs, from));
    const std::size_t dimm = request.work.jobs.size() - 1;
    if (config.rtl_dimms.contains(static_cast<std::uint32_t>(dimm)))
      continue;  // its assertions say it
    const auto why = refuses(config.dimm.parameters, request.work.jobs.back());
    if (why) from.refuse("jobs of DIMM " + std::to_string(dimm) + ": " + *why);
  }
  for (const Napi::Value& move : from.items("moves")) {
    request.work.moves.push_back(read_move(move, room, problem));
  }
  Room for_host = room;
  for_host.left = for_host.most = limits::kMostHostBursts;
  for (const Napi::Value& device : from.items("devices")) {
    request.work.devices.push_back(read_device(device, for_host, problem));
  }
  for (const Napi::Value& contents : from.items("contents")) {
    request.contents.push_back(read_contents(contents, room, problem));
  }
  Room for_outputs = room;
  for_outputs.left = limits::kMostOutputs;
  for (const Napi::Value& output : from.items("outputs")) {
    request.outputs.push_back(read_output(output, for_outputs, problem));
    request.work.valued.push_back(request.outputs.back().job);
  }
}

}  // namespace

std::expected<MoeRequest, Refusal> read_moe(Napi::Value value) {
  Problem problem;
  const Reader from(value, "moe", problem);
  if (problem) return std::unexpected(*problem);
  MoeRequest request;
  const auto of_dimm = from.value("dimm");
  auto dimm = read_ndp_config(of_dimm, "dimm");
  if (!dimm) return std::unexpected(std::move(dimm).error());
  request.config.dimm = *std::move(dimm);
  request.config.dimms = from.whole32("dimms", limits::kDimms);
  request.config.network = read_network(from.object("network"), request.config.dimms);
  request.seed = static_cast<std::uint64_t>(from.whole("seed", limits::kExact));
  if (from.has("threads")) request.config.threads = from.whole32("threads", limits::kThreads);
  if (from.has("keepCommands")) {
    request.config.kept_commands =
        static_cast<std::size_t>(from.whole("keepCommands", limits::kKeptOfMany));
  }
  if (from.has("rtlDimms")) read_rtl_dimms(from, request.config);
  read_work(from, request, problem);
  if (problem) return std::unexpected(*problem);
  if (request.work.jobs.size() != request.config.dimms) {
    return misuse("moe: jobs has no entry a DIMM");
  }
  if (system::flows_of(request.work.moves).size() >= kMostFlows) {
    return bad_input("moe: moves have " + std::to_string(kMostFlows) + " flows or more");
  }
  return request;
}

}  // namespace neardata::native
