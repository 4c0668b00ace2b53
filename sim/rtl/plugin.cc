// SPDX-License-Identifier: Apache-2.0
#include "rtl/plugin.h"

#include <dlfcn.h>

#include <utility>

namespace neardata::rtl {

void NdpPlugin::Unload::operator()(void* library) const { dlclose(library); }

core::Expected<NdpPlugin> NdpPlugin::load(const std::string& path) {
  const auto refuse = [&](std::string why) {
    return std::unexpected(
        core::SimError{core::Fault::kBadConfig, path, std::move(why), core::Fs{}});
  };
  Library library(dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL));
  if (!library) {
    const char* why = dlerror();
    return refuse(why != nullptr ? why : "the plug-in does not load");
  }
  const auto entry =
      reinterpret_cast<NeardataNdpEntry>(dlsym(library.get(), kNeardataNdpEntryName));
  if (entry == nullptr) return refuse("the file is not a plug-in of an NDP unit");
  const NeardataNdpPlugin* api = entry();
  if (api->abi != kNeardataNdpAbi) {
    return refuse("the plug-in has interface version " + std::to_string(api->abi) +
                  " and this program " + std::to_string(std::uint32_t{kNeardataNdpAbi}));
  }
  return NdpPlugin(std::move(library), api);
}

}  // namespace neardata::rtl
