// SPDX-License-Identifier: Apache-2.0
//
// What one run of a DIMM in NDP mode is made of: the channels, ports and components of its unit,
// wired to each other and ready to join an engine, alone or beside other DIMMs.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "system/ndp_dimm.h"
#include "system/output_router.h"

namespace neardata::system {

/// The channels of one stream and the port at their end.
struct NdpStream {
  std::unique_ptr<core::Channel<unit::ReadRequest>> requests;
  std::unique_ptr<core::Channel<unit::ReadResponse>> responses;
  std::unique_ptr<core::Channel<WriteRequest>> writes;
  std::unique_ptr<MemoryPort> port;
};

/// What a stream's port shares with others than the unit.
struct StreamSharing {
  std::optional<PortLinks::Background> background;
  core::Channel<RankMessage>* from_host = nullptr;
  core::Channel<RankMessage>* to_host = nullptr;
};

class NdpNode {
 public:
  /// `prefix` begins the names of the ports; `sharing` is empty or has an entry a stream.
  NdpNode(const NdpDimmConfig& config, const rtl::NdpPlugin* plugin, std::vector<ByteStore>& stores,
          const std::vector<unit::Descriptor>& jobs, const NdpRunOptions& options,
          const std::string& prefix, const std::vector<StreamSharing>& sharing);

  void add_to(core::Engine& engine);
  /// The run ended at `end`: counts and does what was put off. Returns the unit's cycles.
  core::Cycle finish(core::Fs end);

  [[nodiscard]] const unit::NdpEvents& events() const { return events_; }
  [[nodiscard]] const std::vector<NdpStream>& streams() const { return streams_; }
  [[nodiscard]] const std::vector<JobSpan>& spans() const { return dispatcher_.spans(); }
  [[nodiscard]] std::int64_t skipped() const { return unit_->skipped(); }
  [[nodiscard]] std::vector<PortCounters> port_counters() const;

 private:
  void make_unit(const NdpDimmConfig& config, const rtl::NdpPlugin* plugin,
                 const NdpRunOptions& options);
  void connect();

  core::Clock unit_clock_;
  unit::NdpEvents events_;
  std::vector<NdpStream> streams_;
  core::Channel<unit::WriteBurst> output_;
  core::Channel<unit::Descriptor> descriptors_;
  core::Channel<unit::DescriptorDone> done_;
  Dispatcher dispatcher_;
  OutputRouter router_;
  std::unique_ptr<unit::NdpUnit> unit_;
};

}  // namespace neardata::system
