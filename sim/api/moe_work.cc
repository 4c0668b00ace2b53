// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <utility>

#include "api/moe_session.h"
#include "api/ndp_session.h"

namespace neardata::api {

namespace {

/// Flows are numbered in 16 bits on the links.
constexpr std::size_t kMostFlows = 1U << 16U;

/// Valid locations of bursts, and the number of bursts that a run may still move, read or return.
struct Room {
  std::uint32_t dimms = 1;
  std::uint32_t streams = 1;
  std::uint64_t bursts = 0;  ///< of a stream
  std::uint64_t most = 0;
  std::uint64_t left = most;

  [[nodiscard]] bool exists(const system::BurstPlace& place) const {
    return place.dimm < dimms && place.stream < streams;
  }
  /// Counts the bursts against the limit; an error if they do not exist or exceed it.
  [[nodiscard]] core::Answer<void> take(const std::string& name, std::uint64_t burst,
                                        std::uint64_t count, std::uint64_t times = 1) {
    if (burst > bursts || count > bursts - burst) {
      return core::bad_input(name + " lies beyond the bursts of a rank");
    }
    if (count * times > left) {
      return core::bad_input(name + " is more than the " + std::to_string(most) +
                             " bursts of a run");
    }
    left -= count * times;
    return {};
  }
};

std::string numbered(const char* what, std::size_t number) {
  return what + (" " + std::to_string(number));
}

core::Answer<system::RelayoutMove> move_of(const MoveRequest& given, const std::string& name,
                                           Room& room) {
  system::RelayoutMove move{.links = given.links, .start = given.start, .runs = {}};
  if (given.runs.size() == 0) return core::misuse(name + " has no runs");
  for (std::size_t r = 0; r < given.runs.size(); ++r) {
    const RelayoutRow run = given.runs[r];
    const std::string of_run = name + numbered(": run", r);
    if (!room.exists(run.from) || !room.exists(run.to) || run.bursts == 0) {
      return core::misuse(of_run + " lies outside the machine");
    }
    if (auto good = room.take(of_run, run.to.burst, run.bursts, 0); !good) {
      return std::unexpected(std::move(good).error());
    }
    if (auto good = room.take(of_run, run.from.burst, run.bursts); !good) {
      return std::unexpected(std::move(good).error());
    }
    move.runs.push_back({run.from, run.to, run.bursts});
  }
  return move;
}

core::Answer<std::vector<system::HostChunk>> chunks_of(core::Rows<ChunkRow> given,
                                                       const std::string& name, Room& room) {
  std::vector<system::HostChunk> chunks;
  for (std::size_t p = 0; p < given.size(); ++p) {
    const ChunkRow part = given[p];
    const std::string of_part = name + numbered(": part", p);
    if (part.chunk == chunks.size()) chunks.emplace_back();
    if (part.chunk + 1 != chunks.size() || part.sub_channel >= room.dimms ||
        part.rank >= 2 * system::kHostRanks || part.bursts == 0) {
      return core::misuse(of_part + " lies outside the machine");
    }
    if (auto good = room.take(of_part, part.burst, part.bursts); !good) {
      return std::unexpected(std::move(good).error());
    }
    chunks.back().parts.push_back({part.sub_channel, {part.rank, part.burst, part.bursts}});
    chunks.back().bytes.value +=
        std::int64_t{part.bursts} * static_cast<std::int64_t>(core::kBurstBytes);
  }
  return chunks;
}

core::Answer<system::HostDeviceWork> device_of(const DeviceRequest& given, Room& room) {
  system::HostDeviceWork work{
      .name = given.name, .pcie = given.pcie, .buffers = given.buffers, .queues = {}};
  std::vector<const std::vector<TaskRequest>*> queues{&given.tasks};
  if (given.fetched) queues.push_back(&*given.fetched);
  for (const std::vector<TaskRequest>* tasks : queues) {
    std::vector<system::HostTask>& queue = work.queues.emplace_back();
    for (const TaskRequest& task : *tasks) {
      auto chunks = chunks_of(task.chunks, given.name + numbered(": task", queue.size()), room);
      if (!chunks) return std::unexpected(std::move(chunks).error());
      queue.push_back({task.compute, *std::move(chunks), task.start});
    }
  }
  return work;
}

/// Converts the parts of a request in order; the first error is reported.
class Maker {
 public:
  Maker(const system::MoeConfig& config, const MoeRequest& given)
      : config_(config), given_(given) {}

  core::Answer<MoeSession::PreparedRun> make() && {
    work_.seed = given_.seed;
    work_.work.jobs_start = given_.jobs_start;
    for (const auto part :
         {&Maker::jobs, &Maker::moves, &Maker::devices, &Maker::contents, &Maker::outputs}) {
      if (auto good = (this->*part)(); !good) return std::unexpected(std::move(good).error());
    }
    return std::move(work_);
  }

 private:
  [[nodiscard]] Room room(std::uint64_t most) const {
    return {.dimms = config_.dimms,
            .streams = config_.dimm.parameters.streams,
            .bursts = bursts_of(config_.dimm),
            .most = most};
  }

  core::Answer<void> jobs() {
    if (given_.jobs.size() != config_.dimms) return core::misuse("moe: jobs has no entry a DIMM");
    for (std::uint32_t d = 0; d < config_.dimms; ++d) {
      work_.work.jobs.push_back(descriptors_of(given_.jobs[d]));
      if (config_.rtl_dimms.contains(d)) continue;  // its assertions report an error
      const auto why = jobs_refused(config_.dimm.parameters, work_.work.jobs.back());
      if (why) return core::bad_input(numbered("moe: jobs of DIMM", d) + ": " + *why);
    }
    return {};
  }

  core::Answer<void> moves() {
    Room left = room(limits::kMostBursts);
    for (std::size_t m = 0; m < given_.moves.size(); ++m) {
      auto move = move_of(given_.moves[m], numbered("move", m), left);
      if (!move) return std::unexpected(std::move(move).error());
      work_.work.moves.push_back(*std::move(move));
    }
    if (system::flows_of(work_.work.moves).size() < kMostFlows) return {};
    return core::bad_input("moe: moves have " + std::to_string(kMostFlows) + " flows or more");
  }

  core::Answer<void> devices() {
    Room left = room(limits::kMostHostBursts);
    for (const DeviceRequest& given : given_.devices) {
      auto device = device_of(given, left);
      if (!device) return std::unexpected(std::move(device).error());
      work_.work.devices.push_back(*std::move(device));
    }
    return {};
  }

  core::Answer<void> contents() {
    Room left = room(limits::kMostBursts);
    for (std::size_t c = 0; c < given_.contents.size(); ++c) {
      const ContentsRequest& given = given_.contents[c];
      const std::string name = numbered("contents", c);
      const auto bytes = std::as_bytes(given.data);
      if (!left.exists(given.place)) return core::misuse(name + " lies outside the machine");
      if (bytes.size() % core::kBurstBytes != 0) return core::misuse(name + " has no whole bursts");
      if (auto good = left.take(name, given.place.burst, bytes.size() / core::kBurstBytes); !good) {
        return good;
      }
      work_.contents.push_back({given.place, {bytes.begin(), bytes.end()}});
    }
    return {};
  }

  core::Answer<void> outputs() {
    Room left = room(limits::kMostOutputs);
    for (std::size_t o = 0; o < given_.outputs.size(); ++o) {
      const OutputRequest& given = given_.outputs[o];
      const std::string name = numbered("output", o);
      if (given.dimm >= left.dimms) return core::misuse(name + " lies outside the machine");
      if (auto good = left.take(name, given.burst, given.bursts, left.streams); !good) {
        return good;
      }
      work_.outputs.push_back(given);
      work_.work.valued.push_back({given.dimm, given.job});
    }
    return {};
  }

  const system::MoeConfig& config_;
  const MoeRequest& given_;
  MoeSession::PreparedRun work_;
};

}  // namespace

core::Answer<MoeSession::PreparedRun> moe_work(const system::MoeConfig& config,
                                               const MoeRequest& given) {
  return Maker(config, given).make();
}

}  // namespace neardata::api
