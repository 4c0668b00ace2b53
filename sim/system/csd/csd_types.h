// SPDX-License-Identifier: Apache-2.0
//
// The configuration, the jobs and the results of a computational storage device, as plain structs.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/engine/engine.h"
#include "core/machine_record.h"
#include "link/link_config.h"
#include "rtl/rtl_options.h"
#include "system/flash/flash_types.h"
#include "system/memory/pauses.h"
#include "system/pages/kv_cache.h"
#include "system/unit_model.h"
#include "unit/sparf/sparf_events.h"
#include "unit/sparf/sparf_unit.h"

namespace neardata::system {

/// A run ends here at the latest: times that are added to its present still have a value.
inline constexpr core::Fs kEndOfTime = core::kLongestRun;

/// Parameters of the messages between a device and its host, apart from rows and outputs:
/// device_link.h.
struct CommandConfig {
  std::uint32_t reply_header = 0;  ///< bytes of a reply's packet in addition to its payload
  std::uint32_t reads = 1;         ///< limit of the device's reads in flight
  std::uint32_t depth = 1;         ///< commands that the host submits ahead
};

/// A device's lanes, both directions alike. Reads, and writes of outputs, are of `piece` bytes at
/// most.
struct DeviceLinkConfig {
  link::LinkConfig link;
  std::uint64_t piece = 512;
  std::optional<CommandConfig> commands;
};

/// The link between a switch and the host that devices share; the devices' lanes are connected to
/// the switch.
struct SharedLinkConfig {
  link::LinkConfig link;
  core::Cycle switch_latency{1};  ///< of the device link's clock
};

/// Devices that are all alike.
struct CsdConfig {
  std::uint32_t devices = 1;
  UnitModel model = UnitModel::kCycle;
  std::string plugin;  ///< path of the Verilated engine, for kRtl
  unit::SparfParameters parameters;
  core::Hertz clock;
  FlashConfig flash;
  KvCacheConfig cache;
  ControllerDramConfig dram;
  DeviceLinkConfig link;
  std::optional<SharedLinkConfig> shared_link;
};

/// One head's work. `rows` are the queries; of an append the row of K and the row of V.
struct CsdJob {
  unit::SparfOperation operation = unit::SparfOperation::kSparse;
  KvHeadId head = 0;
  std::uint32_t group = 1;
  std::vector<unit::Half> rows;
  std::uint32_t r = 0;
  std::uint32_t k = 0;
  std::uint32_t window = 0;
  bool mean = true;
};

struct CsdJobResult {
  bool finished = false;
  bool unreadable = false;  ///< a page was; the outputs are not to be used
  bool refused = false;     ///< the engine refused the descriptor
  bool non_finite = false;  ///< a query, key or value was infinite or not a number
  unit::SparfField field = unit::SparfField::kNone;  ///< why it was refused
  std::vector<unit::Half> outputs;
  std::vector<std::uint32_t> dims;
  std::vector<std::uint32_t> tokens;
  std::vector<float> alpha;
  std::uint32_t dim_flash = 0;           ///< tokens on flash when the job began
  std::uint32_t token_flash = 0;         ///< likewise, in token order
  std::array<std::uint32_t, 3> pages{};  ///< requested, by kind
  core::Fs sent;
  core::Fs taken;
  core::Fs done;
  core::Fs received;
};

/// Bytes over one bus or link.
struct Traffic {
  std::uint64_t in = 0;   ///< towards the device's memory
  std::uint64_t out = 0;  ///< away from it
};

/// Counters of the link that devices share: arrived bytes, and the time in which it carried data.
struct SharedLinkCounters {
  Traffic traffic;
  core::Fs busy_in;
  core::Fs busy_out;
};

struct CsdRunOptions {
  std::uint32_t in_flight = 0;  ///< limit of jobs in flight; zero for as many as fit
  core::Cycle max_cycles{};     ///< of the engine; zero for no limit
  PauseConfig pauses;
  std::size_t recorded_pages = 0;  ///< of a device
  rtl::RtlOptions rtl;             ///< a waveform is of the first device
  std::uint32_t threads = 1;       ///< of the devices at most; changes no result
};

/// One device of a run.
struct CsdRunResult {
  /// Empty if the device completed its work: an error of one device ends the run of all.
  std::optional<core::SimError> error;
  std::vector<CsdJobResult> jobs;
  core::Fs end;        ///< the last output is at the host
  core::Cycle cycles;  ///< of the engine until the last job was done
  std::int64_t skipped = 0;
  unit::SparfEvents events{1, 1};
  std::vector<core::Fs> bus_command;  ///< by channel
  std::vector<core::Fs> bus_data;
  ReadCounters reads;
  std::uint64_t failed_programs = 0;
  Traffic dram;
  Traffic link;        ///< rows and outputs
  Traffic link_wires;  ///< all bytes on its lanes
  std::vector<PageRecord> pages;
  double engine_seconds = 0;   ///< wall-clock, of the attention engine
  double storage_seconds = 0;  ///< likewise, of flash, DRAM and host
};

struct CsdMachineResult {
  std::vector<CsdRunResult> devices;
  std::optional<SharedLinkCounters> shared_link;
  core::MachineRecord machine;  ///< with the traffic of its edges
};

}  // namespace neardata::system
