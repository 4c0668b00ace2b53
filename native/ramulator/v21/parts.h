// SPDX-License-Identifier: Apache-2.0
//
// Additions to Ramulator 2.1 through its factory: a front end with a listener, a plugin of the
// controller that forwards every command to the listener, and a channel mapper for a single
// channel.
#pragma once

#include <string>

#include "ramulator/base/base.h"
#include "ramulator/controller/controller_base.h"
#include "ramulator/controller/plugin/i_controller_plugin.h"
#include "ramulator/frontend/i_frontend.h"
#include "ramulator/memory_system/channel_mapper/i_channel_mapper.h"

namespace neardata::native::ramulator {

inline constexpr const char* kExternalFrontEnd = "NeardataFrontEnd";
inline constexpr const char* kCommandTap = "NeardataCommandTap";
inline constexpr const char* kOneChannel = "NeardataOneChannel";

/// Called with every command, by its name, in the cycle of its issue.
class CommandListener {
 public:
  virtual void issued(const std::string& command, const Ramulator::Request& request) = 0;

 protected:
  ~CommandListener() = default;
};

class ExternalFrontEnd : public Ramulator::IFrontEnd, public Ramulator::Implementation {
  using IFrontEnd = Ramulator::IFrontEnd;
  using Implementation = Ramulator::Implementation;
  using Factory = Ramulator::Factory;
  using ConfigNode = Ramulator::ConfigNode;
  RAMULATOR_REGISTER_IMPLEMENTATION(IFrontEnd, ExternalFrontEnd, kExternalFrontEnd)

 public:
  void init() override {}
  void tick() override {}
  bool is_finished() override { return false; }

  CommandListener* listener = nullptr;
};

class CommandTap : public Ramulator::IControllerPlugin, public Ramulator::Implementation {
  using IControllerPlugin = Ramulator::IControllerPlugin;
  using Implementation = Ramulator::Implementation;
  using Factory = Ramulator::Factory;
  using ConfigNode = Ramulator::ConfigNode;
  RAMULATOR_REGISTER_IMPLEMENTATION(IControllerPlugin, CommandTap, kCommandTap)

 public:
  void init() override { controller_ = cast_parent<Ramulator::ControllerBase>(); }
  void setup(Ramulator::IFrontEnd* frontend, Ramulator::IMemorySystem* /*memory*/) override {
    listener_ = dynamic_cast<ExternalFrontEnd&>(*frontend).listener;
  }
  void on_issue(const Ramulator::Request& request) override {
    const auto command = static_cast<std::size_t>(request.command);
    listener_->issued(controller_->m_device.m_spec->command_names.at(command), request);
  }

 private:
  Ramulator::ControllerBase* controller_ = nullptr;
  CommandListener* listener_ = nullptr;
};

/// Requests have a location, and their identity for neardata as the address within the channel.
class OneChannel : public Ramulator::IChannelMapper, public Ramulator::Implementation {
  using IChannelMapper = Ramulator::IChannelMapper;
  using Implementation = Ramulator::Implementation;
  using Factory = Ramulator::Factory;
  using ConfigNode = Ramulator::ConfigNode;
  RAMULATOR_REGISTER_IMPLEMENTATION(IChannelMapper, OneChannel, kOneChannel)

 public:
  void init() override {}
  void setup(int /*channels*/, int /*offset*/) override {}
  void apply(Ramulator::Request& /*request*/) const override {}
};

}  // namespace neardata::native::ramulator
