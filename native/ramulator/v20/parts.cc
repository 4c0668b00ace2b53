// SPDX-License-Identifier: Apache-2.0
#include "ramulator/v20/parts.h"

#include <memory>
#include <optional>
#include <stdexcept>

#include "addr_mapper/addr_mapper.h"
#include "dram/dram.h"
#include "dram_controller/refresh.h"
#include "memory_system/memory_system.h"

namespace neardata::native::ramulator {

using Ramulator::Factory;
using Ramulator::IAddrMapper;
using Ramulator::IFrontEnd;
using Ramulator::IMemorySystem;
using Ramulator::Implementation;
using Ramulator::IRefreshManager;

class NoRefresh : public IRefreshManager, public Implementation {
  RAMULATOR_REGISTER_IMPLEMENTATION(IRefreshManager, NoRefresh, kNoRefresh, "Refreshes nothing.")

 public:
  void init() override {}
  void tick() override {}
};

class ChannelMapper : public IAddrMapper, public Implementation {
  RAMULATOR_REGISTER_IMPLEMENTATION(IAddrMapper, ChannelMapper, kChannelMapper,
                                    "One of several channels that share an address space.")

 public:
  void init() override {
    channels_ = param<int>("channels").required();
    channel_ = param<int>("channel").required();
    const std::optional<std::string> name = param<std::string>("mapper").optional();
    if (!name) return;
    YAML::Node config;
    config[IAddrMapper::get_name()]["impl"] = *name;
    part_.reset(Factory::create_implementation(IAddrMapper::get_name(), *name, config, this));
    mapper_ = dynamic_cast<IAddrMapper*>(part_.get());
  }

  /// During its set-up the mapper sees the channels of the whole memory.
  void setup(IFrontEnd* frontend, IMemorySystem* memory) override {
    if (!part_) return;
    auto* device = memory->get_ifce<Ramulator::IDRAM>();
    int& channels = device->m_organization.count.at(0);
    const int here = std::exchange(channels, channels_);
    part_->setup(frontend, memory);
    channels = here;
  }

  void apply(Ramulator::Request& request) override {
    if (mapper_ == nullptr) return;
    mapper_->apply(request);
    if (request.addr_vec.at(0) != channel_) throw std::logic_error("mapped to another channel");
    request.addr_vec[0] = 0;
  }

 private:
  int channels_ = 1;
  int channel_ = 0;
  std::unique_ptr<Implementation> part_;
  IAddrMapper* mapper_ = nullptr;  ///< the same part
};

}  // namespace neardata::native::ramulator
