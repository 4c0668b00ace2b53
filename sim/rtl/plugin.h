// SPDX-License-Identifier: Apache-2.0
//
// A Verilated unit loaded from a shared object. The object stays loaded as long as the plug-in
// value lives, and every unit made from it must end before it.
#pragma once

#include <memory>
#include <string>

#include "core/error.h"
#include "rtl/ndp_plugin.h"

namespace neardata::rtl {

class NdpPlugin {
 public:
  /// kBadConfig when the file does not load, is no plug-in or has another interface version.
  [[nodiscard]] static core::Expected<NdpPlugin> load(const std::string& path);

  [[nodiscard]] const NeardataNdpPlugin& api() const { return *api_; }

 private:
  struct Unload {
    void operator()(void* library) const;
  };
  using Library = std::unique_ptr<void, Unload>;

  NdpPlugin(Library library, const NeardataNdpPlugin* api)
      : library_(std::move(library)), api_(api) {}

  Library library_;
  const NeardataNdpPlugin* api_;
};

}  // namespace neardata::rtl
