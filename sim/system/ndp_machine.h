// SPDX-License-Identifier: Apache-2.0
//
// The parts of one run of an NDP DIMM and the channels between them. Lives for the run.
#pragma once

#include <memory>
#include <vector>

#include "core/channel.h"
#include "core/clock.h"
#include "core/engine.h"
#include "system/dispatcher.h"
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

class NdpMachine {
 public:
  NdpMachine(const NdpDimmConfig& config, const rtl::NdpPlugin* plugin,
             std::vector<ByteStore>& stores, const std::vector<unit::Descriptor>& jobs,
             const NdpRunOptions& options);

  [[nodiscard]] NdpRunResult run(RunWatcher& watcher);

 private:
  void make_unit(const NdpDimmConfig& config, const rtl::NdpPlugin* plugin,
                 const NdpRunOptions& options);
  void connect();
  [[nodiscard]] std::vector<StreamCommand> commands(std::size_t kept) const;

  core::Clock unit_clock_;
  std::size_t kept_commands_;
  unit::NdpEvents events_;
  std::vector<NdpStream> streams_;
  core::Channel<unit::WriteBurst> output_;
  core::Channel<unit::Descriptor> descriptors_;
  core::Channel<unit::DescriptorDone> done_;
  Dispatcher dispatcher_;
  OutputRouter router_;
  std::unique_ptr<unit::NdpUnit> unit_;
  core::Engine engine_;
};

}  // namespace neardata::system
