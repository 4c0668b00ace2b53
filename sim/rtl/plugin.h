// SPDX-License-Identifier: Apache-2.0
//
// A Verilated unit loaded from a shared object. The object stays loaded as long as the plug-in
// value lives, and every unit made from it must end before it.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "core/error.h"
#include "rtl/shim/unit_plugin.h"

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

class UnitPlugin {
 public:
  /// kBadConfig if the file does not load, is not a plug-in, has another interface version or
  /// contains a unit with a combinational path from an input to an output (unit_probe.h).
  [[nodiscard]] static core::Expected<UnitPlugin> load(const std::string& path);
  /// The same of a unit that may have such paths.
  [[nodiscard]] static core::Expected<UnitPlugin> load_any(const std::string& path);

  [[nodiscard]] const NeardataUnitPlugin& api() const { return *api_; }
  /// A symbol of another interface in the same object; null if the object has none.
  [[nodiscard]] void* symbol(const char* name) const { return library_.symbol(name); }
  [[nodiscard]] std::optional<std::int64_t> parameter(std::string_view name) const;

 private:
  UnitPlugin(Library library, const NeardataUnitPlugin* api)
      : library_(std::move(library)), api_(api) {}

  Library library_;
  const NeardataUnitPlugin* api_;
};

}  // namespace neardata::rtl
