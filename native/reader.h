// SPDX-License-Identifier: Apache-2.0
//
// Reads plain objects from JavaScript into structs. The first problem is kept, with its path, and
// reading goes on with numbers that are legal: a number out of its range is bad input, anything
// else is a disagreement with the TypeScript side. Getters run while an object is read, and may do
// anything: what they could change (a session, a typed array's memory) is looked at afterwards.
#pragma once

#include <napi.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "entry.h"
#include "number_ranges.h"
#include "typed_array.h"

namespace neardata::native {

/// The first problem of what is read, if any.
using Problem = std::optional<Refusal>;

/// An argument that is a whole number from 0 on, of 2^62 if it is larger; nothing if it is none.
[[nodiscard]] std::optional<std::uint64_t> whole_argument(const Napi::CallbackInfo& info,
                                                          std::size_t argument);

class Reader {
 public:
  Reader(Napi::Value value, std::string path, Problem& problem);

  [[nodiscard]] bool has(const char* name) const { return get(name).has_value(); }
  [[nodiscard]] Reader object(const char* name) const;
  /// Undefined where there is none.
  [[nodiscard]] Napi::Value value(const char* name) const;
  [[nodiscard]] std::int64_t whole(const char* name, limits::Range range) const;
  [[nodiscard]] std::uint32_t whole32(const char* name, limits::Range range = limits::kWord) const;
  [[nodiscard]] double real(const char* name, limits::RealRange range) const;
  /// Up to 4096 characters without zeros among them.
  [[nodiscard]] std::string text(const char* name) const;
  [[nodiscard]] bool flag(const char* name) const;
  /// Items of an array; none with a problem.
  [[nodiscard]] std::vector<Napi::Value> items(const char* name) const;

  template <typename T>
  [[nodiscard]] TypedArray<T> array(const char* name) const {
    const auto value = get(name);
    if (value) {
      if (auto array = TypedArray<T>::of(*value)) return *array;
    }
    complain(std::string(name) + " is no " + TypedArray<T>::kName + " with memory of its own");
    return {};
  }

  /// The two sides disagree.
  void complain(const std::string& what) const;
  /// A value that is of the right kind is refused.
  void refuse(const std::string& what) const;

 private:
  [[nodiscard]] std::optional<Napi::Value> get(const char* name) const;
  [[nodiscard]] std::optional<double> number(const char* name) const;

  Napi::Env env_;
  Napi::Object object_;
  std::string path_;
  Problem* problem_;
};

}  // namespace neardata::native
