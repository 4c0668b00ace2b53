// SPDX-License-Identifier: Apache-2.0
//
// A Verilated unit loaded from a shared object. The object stays loaded as long as the plug-in
// value lives, and every unit made from it must end before it.
#pragma once

#include <memory>
#include <string>

#include "core/error.h"
#include "rtl/ndp_plugin.h"
#include "rtl/sparf_plugin.h"

namespace neardata::rtl {

/// A loaded shared object.
class Library {
 public:
  /// kBadConfig when the file does not load.
  [[nodiscard]] static core::Expected<Library> load(const std::string& path);
  /// Null when the object has no such symbol.
  [[nodiscard]] void* symbol(const char* name) const;

 private:
  struct Unload {
    void operator()(void* handle) const;
  };
  explicit Library(void* handle) : handle_(handle) {}

  std::unique_ptr<void, Unload> handle_;
};

/// A plug-in with the interface `Api`, whose first member is its version `abi`.
template <typename Api>
class Plugin {
 public:
  /// kBadConfig when the file does not load, is no such plug-in or has another interface version.
  [[nodiscard]] static core::Expected<Plugin> load(const std::string& path);

  [[nodiscard]] const Api& api() const { return *api_; }

 private:
  Plugin(Library library, const Api* api) : library_(std::move(library)), api_(api) {}

  Library library_;
  const Api* api_;
};

using NdpPlugin = Plugin<NeardataNdpPlugin>;
using SparfPlugin = Plugin<NeardataSparfPlugin>;

}  // namespace neardata::rtl
