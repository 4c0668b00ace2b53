// SPDX-License-Identifier: Apache-2.0
#include "rtl/plugin.h"

#include <dlfcn.h>

#include <utility>

namespace neardata::rtl {

namespace {

std::unexpected<core::SimError> refuse(const std::string& path, std::string why) {
  return std::unexpected(core::SimError{core::Fault::kBadConfig, path, std::move(why), core::Fs{}});
}

/// What tells one kind of plug-in from another.
template <typename Api>
struct Kind;

template <>
struct Kind<NeardataNdpPlugin> {
  static constexpr const char* kEntry = kNeardataNdpEntryName;
  static constexpr std::uint32_t kAbi = kNeardataNdpAbi;
  static constexpr const char* kName = "an NDP unit";
};

template <>
struct Kind<NeardataSparfPlugin> {
  static constexpr const char* kEntry = "neardata_sparf_plugin";
  static constexpr std::uint32_t kAbi = kNeardataSparfAbi;
  static constexpr const char* kName = "an attention engine";
};

}  // namespace

void Library::Unload::operator()(void* handle) const { dlclose(handle); }

core::Expected<Library> Library::load(const std::string& path) {
  Library library(dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL));
  if (library.handle_) return library;
  const char* why = dlerror();
  return refuse(path, why != nullptr ? why : "the plug-in does not load");
}

void* Library::symbol(const char* name) const { return dlsym(handle_.get(), name); }

template <typename Api>
core::Expected<Plugin<Api>> Plugin<Api>::load(const std::string& path) {
  auto library = Library::load(path);
  if (!library) return std::unexpected(std::move(library).error());
  using Entry = const Api* (*)();
  const auto entry = reinterpret_cast<Entry>(library->symbol(Kind<Api>::kEntry));
  if (entry == nullptr) {
    return refuse(path, std::string("the file is not a plug-in of ") + Kind<Api>::kName);
  }
  const Api* api = entry();
  if (api->abi != Kind<Api>::kAbi) {
    return refuse(path, "the plug-in has interface version " + std::to_string(api->abi) +
                            " and this program " + std::to_string(Kind<Api>::kAbi));
  }
  return Plugin(*std::move(library), api);
}

template class Plugin<NeardataNdpPlugin>;
template class Plugin<NeardataSparfPlugin>;

}  // namespace neardata::rtl
