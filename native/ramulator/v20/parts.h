// SPDX-License-Identifier: Apache-2.0
//
// Additions to Ramulator 2.0 through its factory: a plugin of the controller that forwards every
// command, and the factory names of the plugin and of the parts of parts.cc.
#pragma once

#include "base/base.h"
#include "dram_controller/controller.h"
#include "dram_controller/plugin.h"

namespace neardata::native::ramulator {

inline constexpr const char* kCommandTap = "NeardataCommandTap";
/// Refreshes nothing.
inline constexpr const char* kNoRefresh = "NeardataNoRefresh";
/// One of several channels that share an address space: maps with the mapper called `mapper`;
/// without one the location is unchanged.
inline constexpr const char* kChannelMapper = "NeardataChannelMapper";

/// Called with every command in the cycle of its issue, before its effect.
class CommandListener {
 public:
  virtual void issued(const Ramulator::Request& request) = 0;

 protected:
  ~CommandListener() = default;
};

class CommandTap : public Ramulator::IControllerPlugin, public Ramulator::Implementation {
  using IControllerPlugin = Ramulator::IControllerPlugin;
  using Implementation = Ramulator::Implementation;
  using Factory = Ramulator::Factory;
  RAMULATOR_REGISTER_IMPLEMENTATION(IControllerPlugin, CommandTap, kCommandTap,
                                    "Passes commands on.")

 public:
  void init() override {}
  void listen(CommandListener& listener) { listener_ = &listener; }
  void update(bool found, Ramulator::ReqBuffer::iterator& request) override {
    if (found && listener_ != nullptr) listener_->issued(*request);
  }

 private:
  CommandListener* listener_ = nullptr;
};

}  // namespace neardata::native::ramulator
