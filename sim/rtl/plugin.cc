// SPDX-License-Identifier: Apache-2.0
#include "rtl/plugin.h"

#include <dlfcn.h>

#include <utility>

#include "rtl/unit_probe.h"

namespace neardata::rtl {

void Library::Unload::operator()(void* handle) const { dlclose(handle); }

core::Expected<Library> Library::load(const std::string& path) {
  Library library(dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL));
  if (library.handle_) return library;
  const char* why = dlerror();
  return core::bad_config(path, why != nullptr ? why : "the plug-in does not load");
}

void* Library::symbol(const char* name) const { return dlsym(handle_.get(), name); }

core::Expected<UnitPlugin> UnitPlugin::load(const std::string& path) {
  auto plugin = load_any(path);
  if (!plugin) return plugin;
  const NeardataUnitPlugin& api = plugin->api();
  if (auto found = combinational_path(api)) return core::bad_config(api.top, *std::move(found));
  return plugin;
}

core::Expected<UnitPlugin> UnitPlugin::load_any(const std::string& path) {
  auto library = Library::load(path);
  if (!library) return std::unexpected(std::move(library).error());
  using PluginEntry = const NeardataUnitPlugin* (*)();
  const auto entry = reinterpret_cast<PluginEntry>(library->symbol(kNeardataUnitEntryName));
  if (entry == nullptr) return core::bad_config(path, "the file is not a plug-in of a unit");
  const NeardataUnitPlugin* api = entry();
  if (api->abi != kNeardataUnitAbi) {
    return core::bad_config(path, "the plug-in has interface version " + std::to_string(api->abi) +
                                      " and this program " + std::to_string(kNeardataUnitAbi));
  }
  return UnitPlugin(*std::move(library), api);
}

std::optional<std::int64_t> UnitPlugin::parameter(std::string_view name) const {
  for (std::uint32_t p = 0; p < api_->parameter_count; ++p) {
    if (api_->parameters[p].name == name) return api_->parameters[p].value;
  }
  return std::nullopt;
}

}  // namespace neardata::rtl
